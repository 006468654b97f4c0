"""The embedded engine calls tools for what it plans, and finds their steps as calls of its own."""

from __future__ import annotations

from typing import Any

from vidence.embedded.recipes.recipe import Finding
from vidence.embedded.tool_use import using_tools
from vidence.embedded.wire import call_reply, finding_reply
from vidence.llm.structured import parse_reply
from vidence.prompts import Prompt
from vidence.schema.agent import AnswerPayload, CallPayload, OperationCall, SolverResponse, SolverVariables
from vidence.schema.evidence import EvidenceRecord
from vidence.tools.induction import Episode, PastCall, find_tools

TIMES = (1.0, 2.5, 4.0)


def planned(query: str, *times: float) -> list[OperationCall]:
    return [
        OperationCall(
            operation="detect_objects", arguments={"video_id": "vid_1", "timestamp": t, "query": query}
        )
        for t in times
    ]


def tool() -> dict[str, Any]:
    episodes = [
        Episode(
            f"q {query}",
            query,
            (tuple(PastCall(c.operation, c.arguments) for c in planned(query, 3.0, 5.0)),),
        )
        for query in ("dog", "cat", "cup")
    ]
    return dict(find_tools(episodes)[0].tool.source)


def prompt(**changes: Any) -> Prompt:
    base: dict[str, Any] = {"question": "Is there a bird?", "language": "en", "tools": (tool(),)}
    return Prompt("solver.step", (), SolverVariables(**{**base, **changes}))


def calls_in(reply: str) -> list[OperationCall]:
    payload = parse_reply(reply, SolverResponse).value.action_payload
    assert isinstance(payload, CallPayload)
    return list(payload.calls)


def test_planned_calls_become_one_call_of_a_tool() -> None:
    step = using_tools(lambda prompt: call_reply("look", planned("bird", *TIMES)))
    (call,) = calls_in(step(prompt()))
    assert call.operation == tool()["tool_name"]
    assert call.arguments == {"video_id": "vid_1", "query": "bird", "timestamps": list(TIMES)}


def test_without_tools_nothing_changes() -> None:
    step = using_tools(lambda prompt: call_reply("look", planned("bird", *TIMES)))
    assert calls_in(step(prompt(tools=()))) == planned("bird", *TIMES)


def record(name: str, call: OperationCall, *parts: EvidenceRecord) -> EvidenceRecord:
    return EvidenceRecord(
        record_id=name,
        kind="operation",
        source=call.operation,
        video_id="vid_1",
        asked=call.arguments,
        arguments={**call.arguments, "confidence_threshold": 0.3},
        parts=parts,
    )


NOTES = OperationCall(operation="get_notes", arguments={"video_id": "vid_1", "language": "en"})


class Planner:
    """Looks for birds and takes notes, then looks closer, then answers; notes alone do not make it sure."""

    def __init__(self, *, needs_notes: bool = False) -> None:
        self._needs_notes = needs_notes
        self.seen: list[dict[str, Any]] = []

    def __call__(self, prompt: Prompt) -> str:
        known = prompt.variables
        assert isinstance(known, SolverVariables)
        self.seen = [one.asked for one in known.records if one.source == "detect_objects"]
        failed = [call for call, _ in known.failed_calls]
        made = [OperationCall(operation=one.source, arguments=one.asked) for one in known.records]
        for batch in ([*planned("bird", *TIMES), NOTES], planned("bird", 2.6, 2.7)):
            if missing := [one for one in batch if one not in made and one not in failed]:
                return call_reply("look", missing)
        is_unsure = self._needs_notes and NOTES in failed
        found = Finding("It cannot be told." if is_unsure else "One bird.", 0.7, cannot_tell=is_unsure)
        return finding_reply("found", found)


def run(planner: Planner, *records: EvidenceRecord) -> str:
    return using_tools(planner)(prompt(records=records))


def called(name: str, *times: float) -> list[EvidenceRecord]:
    """Return the record of a call of the tool, and those of its steps as they are stored."""
    parts = [
        record(f"{name}_{number}", one).model_copy(
            update={"asked": {**one.arguments, "confidence_threshold": 0.3}}
        )
        for number, one in enumerate(planned("bird", *times))
    ]
    made = OperationCall(
        operation=tool()["tool_name"],
        arguments={"video_id": "vid_1", "query": "bird", "timestamps": list(times)},
    )
    return [record(name, made, *parts), *parts]


def test_a_tool_makes_its_part_and_the_rest_is_left_out() -> None:
    planner = Planner()
    (first,) = calls_in(run(planner))
    assert first.operation == tool()["tool_name"]
    once = called("rec_a", *TIMES)
    (second,) = calls_in(run(planner, *once))
    # The steps of the tool answer the calls that were planned; the notes were left out.
    assert planner.seen == [call.arguments for call in planned("bird", *TIMES)]
    assert second.arguments["timestamps"] == [2.6, 2.7]
    payload = parse_reply(
        run(planner, *once, *called("rec_b", 2.6, 2.7)), SolverResponse
    ).value.action_payload
    assert isinstance(payload, AnswerPayload)
    assert payload.final_answer == "One bird."


def test_where_no_answer_can_be_given_all_that_was_planned_is_done() -> None:
    looked = (*called("rec_a", *TIMES), *called("rec_b", 2.6, 2.7))
    planner = Planner(needs_notes=True)
    assert calls_in(run(planner, *looked)) == [NOTES]
    payload = parse_reply(run(planner, *looked, record("rec_n", NOTES)), SolverResponse).value.action_payload
    assert isinstance(payload, AnswerPayload)
    assert not payload.cannot_tell


def test_calls_that_were_cut_off_by_a_limit_are_not_left_out() -> None:
    made = [record(f"rec_{number}", one) for number, one in enumerate(planned("bird", *TIMES))]
    assert calls_in(run(Planner(), *made)) == [NOTES]


def test_a_tool_must_make_what_is_wanted_first() -> None:
    step = using_tools(lambda one: call_reply("look", [NOTES, *planned("bird", *TIMES)]))
    assert [one.operation for one in calls_in(step(prompt()))] == ["get_notes", tool()["tool_name"]]
