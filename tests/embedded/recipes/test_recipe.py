"""Several lines of looking take the steps of the longest."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from vidence.embedded.recipes.recipe import Answers, together
from vidence.schema.agent import OperationCall
from vidence.schema.evidence import EvidenceRecord


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
