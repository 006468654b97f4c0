"""Following several lines of looking side by side, so that they take the steps of one."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeVar

from vidence.embedded.recipes.recipe import Answers
from vidence.schema.agent import OperationCall

__all__ = ["together"]

_Found = TypeVar("_Found")
_Line = Generator[Sequence[OperationCall], Answers, _Found]


def together(lines: Sequence[_Line[_Found]]) -> Generator[Sequence[OperationCall], Answers, list[_Found]]:
    """Ask for what every line waits for at once; return what each came to, in order."""
    found: dict[int, _Found] = {}
    waiting: dict[int, Sequence[OperationCall]] = {}
    for index, line in enumerate(lines):
        _go_on(index, line, None, found, waiting)
    while waiting:
        asked = dict(waiting)
        answers = yield [call for calls in asked.values() for call in calls]
        waiting.clear()
        first = 0
        for index, calls in asked.items():
            _go_on(index, lines[index], answers[first : first + len(calls)], found, waiting)
            first += len(calls)
    return [found[index] for index in range(len(lines))]


def _go_on(
    index: int,
    line: _Line[_Found],
    answers: Answers | None,
    found: dict[int, _Found],
    waiting: dict[int, Sequence[OperationCall]],
) -> None:
    """Give a line its answers; note what it asks for next, or what it came to."""
    try:
        waiting[index] = next(line) if answers is None else line.send(answers)
    except StopIteration as done:
        found[index] = done.value
