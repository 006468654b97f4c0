"""The controls of the tools bench: as many tools as induction finds, without what it learns."""

from __future__ import annotations

from vidence.bench.tool_videos import _drawn, _random, _shuffled
from vidence.tools import as_operation
from vidence.tools.induction import Episode, PastCall, find_tools

THINGS = ("dog", "cup", "car", "bird")


def _episode(number: int, thing: str) -> Episode:
    looks = [
        PastCall("detect_objects", {"category": thing, "timestamp": float(n)}, needed=n < 2) for n in range(8)
    ]
    notes = PastCall("get_notes", {"language": "en"}, needed=False)
    search = PastCall("temporal_search", {"query": thing}, needed=False)
    batch = (*looks, notes, search)
    return Episode(f"How many {thing}s are there?", f"vid_{number}", (batch,), is_sure=True)


RUNS = [_episode(number, thing) for number, thing in enumerate(THINGS)]


def test_random_macros_are_as_many_as_were_found_and_differ_by_draw() -> None:
    drawn = {seed: _random(seed, RUNS) for seed in range(6)}
    for found in drawn.values():
        assert 1 <= len(found) <= len(find_tools(RUNS))
        for one in found:
            assert as_operation(one.tool).category == "tool"
            assert len(one.sources) >= 2
    assert [one.tool.json for one in _random(1, RUNS)] == [one.tool.json for one in drawn[1]]
    assert len({tuple(one.tool.json for one in found) for found in drawn.values()}) > 1


def test_random_macros_do_not_know_which_step_is_made_most() -> None:
    steps = [call.api for seed in range(40) for one in _random(seed, RUNS) for call in one.tool.calls]
    shares = {api: steps.count(api) / len(steps) for api in set(steps)}
    assert set(shares) == {"detect_objects", "get_notes", "temporal_search"}
    assert max(shares.values()) < 0.5, "detect_objects is 8 of 10 calls, and no likelier than the others"


def test_drawn_and_shuffled_calls_give_tools_of_the_same_calls() -> None:
    for found in (_drawn(1, RUNS), _shuffled(2, RUNS)):
        assert {call.api for one in found for call in one.tool.calls} <= {
            "detect_objects",
            "get_notes",
            "temporal_search",
        }
