"""Past runs as data: the calls of each question, in the batches they were made in.

Calls of one operation that differ in a single argument are one unit, a loop over a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from vidence.language.question import read_question
from vidence.schema.evidence import canonical_json
from vidence.tools.steps import MOST_EVERY

__all__ = ["Episode", "PastCall", "QuestionKind", "Unit", "question_kind", "units_of"]

_LEFT_OUT = frozenset({"video_id"})
"""Arguments that the run supplies itself."""
_LEAST_LOOP = 2


class QuestionKind(NamedTuple):
    """What a question asks for: its form, the type of its answer and the sense it is about."""

    form: str
    answer: str
    sense: str


@dataclass(frozen=True)
class PastCall:
    """One call of a past run, and its result where it is known."""

    api: str
    arguments: Mapping[str, Any]
    result: Any = None
    needed: bool = True
    """Whether the answer would have been another without it, as far as is known."""


@dataclass(frozen=True)
class Episode:
    """One question: the batches of calls that were made for it."""

    question: str
    source: str
    """The video, or whatever else a tool must not be tested on again."""
    batches: tuple[tuple[PastCall, ...], ...]
    ordered: bool = False
    """Whether calls change what later ones find, so that their order must stay."""
    is_sure: bool = False
    """Whether its answer is sure and it is known which calls it needed."""

    @property
    def num_calls(self) -> int:
        return sum(len(batch) for batch in self.batches)

    @property
    def kind(self) -> QuestionKind:
        """What is asked for."""
        return question_kind(self.question)


@dataclass(frozen=True)
class Unit:
    """One call, or a loop of calls that differ in one argument."""

    made: tuple[PastCall, ...]
    """The calls it stands for, without the arguments that a run supplies."""
    varying: str = ""
    """The argument in which they differ."""

    @property
    def api(self) -> str:
        return self.made[0].api

    @property
    def arguments(self) -> Mapping[str, Any]:
        """Without the argument that varies."""
        return {name: value for name, value in self.made[0].arguments.items() if name != self.varying}

    @property
    def values(self) -> tuple[Any, ...]:
        """What the varying argument is, call by call."""
        return tuple(call.arguments[self.varying] for call in self.made) if self.varying else ()

    @property
    def num_calls(self) -> int:
        return len(self.made)

    @property
    def needed(self) -> bool:
        """Whether the answer needed one of its calls."""
        return any(call.needed for call in self.made)

    @property
    def stride(self) -> int:
        """2 where the answer needed the first call, the third and so on, and none of the others."""
        needed = [call.needed for call in self.made]
        fits = (
            one
            for one in range(MOST_EVERY, 1, -1)
            if len(needed) >= 2 * one and needed == [place % one == 0 for place in range(len(needed))]
        )
        return next(fits, 1) if self.varying else 1

    @property
    def shape(self) -> str:
        """What two units must share to be the same step of a sequence that recurs."""
        return f"{self.api}({','.join(sorted(self.arguments))}){self._loop}"

    @property
    def action(self) -> str:
        """What two units must share to look for the same thing, perhaps described in other words."""
        return f"{self.api}(…){self._loop}"

    @property
    def _loop(self) -> str:
        return f"*{self.varying}" if self.varying else ""


@lru_cache(maxsize=4096)
def question_kind(text: str) -> QuestionKind:
    """Return what a question asks for."""
    read = read_question(text)
    return QuestionKind(read.form.kind, read.expected.type, read.form.sense)


def units_of(batch: Sequence[PastCall], *, ordered: bool = False) -> list[Unit]:
    """Return a batch as units, each where its first call stands; in order only neighbours are joined."""
    groups: list[tuple[str, list[PastCall]]] = []
    for made in batch:
        arguments = {name: value for name, value in made.arguments.items() if name not in _LEFT_OUT}
        call = replace(made, arguments=arguments)
        shape = f"{call.api}({','.join(sorted(arguments))})"
        near = groups[-1:] if ordered else groups
        group = next((one for one in near if one[0] == shape), None)
        if group is None:
            group = (shape, [])
            groups.append(group)
        group[1].append(call)
    return [unit for _, calls in groups for unit in _loops(calls, ordered=ordered)]


def _loops(calls: Sequence[PastCall], *, ordered: bool) -> list[Unit]:
    """Split calls of one shape into loops and single calls; in order, all are one loop or none is."""
    best: list[list[PastCall]] = [[call] for call in calls]
    varying = ""
    for name in sorted(calls[0].arguments):
        grouped: dict[str, list[PastCall]] = {}
        for call in calls:
            rest = canonical_json({key: value for key, value in call.arguments.items() if key != name})
            grouped.setdefault(rest, []).append(call)
        if len(grouped) < len(best) and (len(grouped) == 1 or not ordered):
            best, varying = list(grouped.values()), name
    return [_unit(group, varying) for group in best]


def _unit(group: Sequence[PastCall], varying: str) -> Unit:
    return Unit(tuple(group), varying if len(group) >= _LEAST_LOOP else "")
