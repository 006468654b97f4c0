"""Past runs as data: the calls of each question, in the batches they were made in.

Calls of one operation that differ in a single argument are one unit, a loop over a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vidence.schema.evidence import canonical_json

__all__ = ["Episode", "PastCall", "Unit", "units_of"]

_LEFT_OUT = frozenset({"video_id"})
"""Arguments that the run supplies itself."""
_LEAST_LOOP = 2


@dataclass(frozen=True)
class PastCall:
    """One call of a past run, and its result where it is known."""

    api: str
    arguments: Mapping[str, Any]
    result: Any = None


@dataclass(frozen=True)
class Episode:
    """One question: the batches of calls that were made for it."""

    question: str
    source: str
    """The video, or whatever else a tool must not be tested on again."""
    batches: tuple[tuple[PastCall, ...], ...]
    ordered: bool = False
    """Whether calls change what later ones find, so that their order must stay."""

    @property
    def num_calls(self) -> int:
        return sum(len(batch) for batch in self.batches)


@dataclass(frozen=True)
class Unit:
    """One call, or a loop of calls that differ in one argument."""

    api: str
    arguments: Mapping[str, Any]
    """Without the argument that varies."""
    varying: str = ""
    values: tuple[Any, ...] = ()
    num_calls: int = 1

    @property
    def calls(self) -> list[PastCall]:
        """The calls it stands for."""
        if not self.varying:
            return [PastCall(self.api, self.arguments)]
        return [PastCall(self.api, {**self.arguments, self.varying: value}) for value in self.values]

    @property
    def shape(self) -> str:
        """What two units must share to be the same step of a tool."""
        loop = f"*{self.varying}" if self.varying else ""
        return f"{self.api}({','.join(sorted(self.arguments))}){loop}"


def units_of(batch: Sequence[PastCall], *, ordered: bool = False) -> list[Unit]:
    """Return a batch as units, each where its first call stands; in order only neighbours are joined."""
    groups: list[tuple[str, str, list[Mapping[str, Any]]]] = []
    for call in batch:
        arguments = {name: value for name, value in call.arguments.items() if name not in _LEFT_OUT}
        shape = f"{call.api}({','.join(sorted(arguments))})"
        near = groups[-1:] if ordered else groups
        group = next((one for one in near if one[0] == shape), None)
        if group is None:
            group = (shape, call.api, [])
            groups.append(group)
        group[2].append(arguments)
    return [unit for _, api, calls in groups for unit in _loops(api, calls, ordered=ordered)]


def _loops(api: str, calls: Sequence[Mapping[str, Any]], *, ordered: bool) -> list[Unit]:
    """Split calls of one shape into loops and single calls; in order, all are one loop or none is."""
    best: list[list[Mapping[str, Any]]] = [[call] for call in calls]
    varying = ""
    for name in sorted(calls[0]):
        grouped: dict[str, list[Mapping[str, Any]]] = {}
        for call in calls:
            rest = canonical_json({key: value for key, value in call.items() if key != name})
            grouped.setdefault(rest, []).append(call)
        if len(grouped) < len(best) and (len(grouped) == 1 or not ordered):
            best, varying = list(grouped.values()), name
    return [_unit(api, group, varying) for group in best]


def _unit(api: str, group: Sequence[Mapping[str, Any]], varying: str) -> Unit:
    if len(group) < _LEAST_LOOP or not varying:
        return Unit(api, dict(group[0]))
    fixed = {name: value for name, value in group[0].items() if name != varying}
    return Unit(api, fixed, varying, tuple(call[varying] for call in group), len(group))
