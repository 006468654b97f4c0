"""Repairing finished tracks: swaps at crossings are undone, gaps bridged, strangers kept apart."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.index.tracking.scenes import look_of
from vidence.index.tracking.mend import MAX_GAP_S, mend
from vidence.index.tracking.tracker import TimedBox
from vidence.schema.perception import Box, FloatArray

TIMES = [step / 10 for step in range(120)]


def _run(
    start_s: float,
    end_s: float,
    x: float,
    speed: float = 0.0,
    *,
    look: FloatArray | None = None,
    height: float = 0.4,
) -> list[TimedBox]:
    """Return the detections of someone who is at `x` at time 0 and walks at `speed`."""
    times = [time for time in TIMES if start_s <= time < end_s]
    return [TimedBox(time, Box(x + speed * time, 0.3, 0.1, height), 0.9, "person", look) for time in times]


def _mend(*tracks: Sequence[TimedBox], groups: Sequence[str] = ()) -> list[list[TimedBox]]:
    names = groups or ["person"] * len(tracks)
    return mend(zip(names, tracks, strict=True), aspect=1.0, times=TIMES)


def _ways(chains: list[list[TimedBox]]) -> list[float]:
    return sorted(round(chain[-1].box.x - chain[0].box.x, 1) for chain in chains)


def test_nothing_in_nothing_out() -> None:
    assert _mend() == []


def test_a_track_without_a_break_is_returned_as_it_is() -> None:
    track = _run(0, 3, 0.1, 0.2)
    assert _mend(track) == [track]


def test_two_tracks_that_swapped_at_a_crossing_are_swapped_back() -> None:
    right, left = _run(0, 4, 0.1, 0.2), _run(0, 4, 0.9, -0.2)
    meet = 20
    swapped = [right[:meet] + left[meet:], left[:meet] + right[meet:]]
    assert _ways(swapped) == [-0.0, 0.0]
    assert _ways(_mend(*swapped)) == [-0.8, 0.8]


def test_colours_decide_where_courses_do_not() -> None:
    # Both stop where they meet, and each walks back to where it came from.
    red, blue = look_of(1), look_of(2)
    here, there = 0.4, 0.45
    tracks = [
        _run(0, 1, here, look=red) + _run(1, 2, there, look=blue),
        _run(0, 1, there, look=blue) + _run(1, 2, here, look=red),
    ]
    for chain in _mend(*tracks):
        looks = {id(seen.colours) for seen in chain}
        assert len(looks) == 1


def test_the_pieces_before_and_after_a_gap_are_joined() -> None:
    before, after = _run(0, 2, 0.1, 0.1), _run(3, 5, 0.1, 0.1)
    assert _mend(before, after) == [before + after]
    assert _mend(after, before) == [before + after]


def test_a_gap_longer_than_the_longest_is_not_bridged() -> None:
    before, after = _run(0, 2, 0.3), _run(2 + MAX_GAP_S + 0.5, 8, 0.3)
    assert len(_mend(before, after)) == 2


@pytest.mark.parametrize(
    "after",
    [_run(2.5, 4, 0.8), _run(2.5, 4, 0.1, height=0.9)],
    ids=["elsewhere", "another size"],
)
def test_someone_elsewhere_or_of_another_size_is_a_stranger(after: list[TimedBox]) -> None:
    assert len(_mend(_run(0, 2, 0.1), after)) == 2


def test_other_colours_in_the_same_place_are_a_stranger() -> None:
    before = _run(0, 2, 0.3, look=look_of(1))
    assert len(_mend(before, _run(2.5, 4, 0.3, look=look_of(1)))) == 1
    assert len(_mend(before, _run(2.5, 4, 0.3, look=look_of(2)))) == 2


def test_groups_are_never_joined_and_do_not_cross() -> None:
    person, dog = _run(0, 2, 0.3), _run(2.5, 4, 0.3)
    assert len(_mend(person, dog, groups=["person", "animal"])) == 2
    here, same = _run(0, 2, 0.3), _run(0, 2, 0.31)
    assert _mend(here, same, groups=["person", "animal"]) == [here, same]


def test_a_track_that_jumped_to_someone_else_after_an_absence_is_cut() -> None:
    jumped = _run(0, 1, 0.1) + _run(2, 3, 0.8)
    assert [len(chain) for chain in _mend(jumped)] == [10, 10]


def test_frames_that_were_not_analysed_are_no_absence() -> None:
    jumped = _run(0, 1, 0.1) + _run(2, 3, 0.8)
    seen = [one.time_s for one in jumped]
    assert mend([("person", jumped)], aspect=1.0, times=seen) == [jumped]


def test_every_detection_is_kept_once() -> None:
    tracks = [_run(0, 4, 0.1, 0.2), _run(0, 4, 0.9, -0.2), _run(5, 6, 0.5)]
    chains = _mend(*tracks)
    kept = sorted(id(seen) for chain in chains for seen in chain)
    assert kept == sorted(id(seen) for track in tracks for seen in track)
