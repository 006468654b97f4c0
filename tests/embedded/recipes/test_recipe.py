"""Recipes are run again from the ledger, side by side where they are several, and cite their records."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from tests.embedded.recipes.seen import VIDEO
from vidence.embedded.recipes.recipe import (
    Answers,
    Finding,
    Steps,
    advance,
    claim,
    hits_of,
    lines_of,
    segments_of,
    sounds_of,
    together,
)
from vidence.schema.agent import OperationCall, SolverVariables
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.time import TimeRange


def line(name: str, steps: int) -> Generator[Sequence[OperationCall], Answers, str]:
    """Ask one call more at every step; return the records' names in order."""
    told = []
    for step in range(steps):
        answers = yield [OperationCall(operation=f"{name}{step}{n}") for n in range(step + 1)]
        told += [record.record_id for record in answers if record is not None]
    return " ".join(told)


def followed(lines: Generator[Sequence[OperationCall], Answers, list[str]]) -> tuple[list[str], int]:
    """Answer every call with a record of its name; return what came of it and after how many rounds."""
    answers: Answers | None = None
    rounds = 0
    while True:
        try:
            asked = next(lines) if answers is None else lines.send(answers)
        except StopIteration as done:
            return done.value, rounds
        rounds += 1
        answers = [
            EvidenceRecord(record_id=call.operation, kind="operation", source=call.operation)
            for call in asked
        ]


def test_lines_of_different_length_each_get_their_own_answers() -> None:
    found, rounds = followed(together([line("a", 1), line("b", 3), line("c", 0)]))
    assert found == ["a00", "b00 b10 b11 b20 b21 b22", ""]
    assert rounds == 3


def test_no_lines_come_to_nothing_at_once() -> None:
    assert followed(together([])) == ([], 0)


def _variables(*records: EvidenceRecord, failed: Sequence[OperationCall] = ()) -> SolverVariables:
    return SolverVariables(
        question="?",
        language="en",
        videos=(VIDEO,),
        records=records,
        failed_calls=tuple((call, "broken") for call in failed),
    )


def _record(number: int, **asked: object) -> EvidenceRecord:
    return EvidenceRecord(record_id=f"rec_{number}", kind="operation", source="look", asked=asked)


def _looking() -> Steps:
    first, second = yield [OperationCall(operation="look", arguments={"at": at}) for at in (1, 2)]
    (third,) = yield [OperationCall(operation="look", arguments={"at": 3})]
    names = [one.record_id if one else "failed" for one in (first, second, third)]
    return Finding(" ".join(names), 0.5)


def test_a_recipe_waits_for_the_calls_that_have_no_result() -> None:
    waiting = advance(_looking(), _variables(_record(1, at=1)))
    assert not isinstance(waiting, Finding)
    assert [call.arguments for call in waiting] == [{"at": 2}]


def test_a_recipe_goes_on_where_the_ledger_has_its_results() -> None:
    waiting = advance(_looking(), _variables(_record(1, at=1), _record(2, at=2)))
    assert not isinstance(waiting, Finding)
    assert [call.arguments for call in waiting] == [{"at": 3}]


def test_a_failed_call_is_answered_with_none() -> None:
    failed = OperationCall(operation="look", arguments={"at": 2})
    found = advance(_looking(), _variables(_record(1, at=1), _record(3, at=3), failed=[failed]))
    assert found == Finding("rec_1 failed rec_3", 0.5)


def test_a_claim_cites_its_record_first_and_others_after() -> None:
    (made,) = claim(
        "It is so.", _record(1), TimeRange(start_time=1.0, end_time=2.0), quote="so", also=(None, _record(2))
    )
    assert made.text == "It is so."
    first, second = made.citations
    assert (first.record_id, first.start_time, first.end_time, first.quote) == ("rec_1", 1.0, 2.0, "so")
    assert (second.record_id, second.start_time) == ("rec_2", None)


def test_without_a_record_nothing_is_claimed() -> None:
    assert claim("It is so.", None) == ()
    assert [one.citations[0].record_id for one in claim("It is so.", None, also=(_record(2),))] == ["rec_2"]


def test_failed_records_hold_nothing() -> None:
    assert (hits_of(None), lines_of(None), segments_of(None), sounds_of(None)) == ([], [], [], [])
