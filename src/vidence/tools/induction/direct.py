"""Tools for what answers rest on: of the calls of a run only those without which its answer would differ.

A run looks further than its answer needs. For each kind of question the steps that the answers needed, and no
others, become a tool; a loop of which the answers needed one item in three looks no more often. Whoever calls
the tool first may answer from it, and spare the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.tools.induction.build import Found, Use, found_tool
from vidence.tools.induction.episodes import Episode, QuestionKind, Unit, units_of
from vidence.tools.induction.mine import Structure

__all__ = ["find_direct"]

_OFTEN = 0.5
"""A step belongs to a tool when this share of the runs that made it needed it; likewise a tool to a kind."""

_LONG = 4
"""Calls from which a loop tells whether its answer needed all of them."""
_LEAST_LOOPS = 2
_DOUBT = 0.25
"""The share of runs that may have needed to look more often than a tool does."""
_Every = tuple[int, ...]
"""For each step of a structure: 3 where one item in three is looked at."""


@dataclass(frozen=True)
class _Batch:
    """The calls that one run made at once, as units."""

    episode: Episode
    units: tuple[Unit, ...]

    @property
    def num_calls(self) -> int:
        return sum(unit.num_calls for unit in self.units)


def find_direct(episodes: Sequence[Episode]) -> list[Found]:
    """Return tools for what the answers to each kind of question needed of the calls that were made."""
    by_structure: dict[tuple[Structure, _Every], list[_Batch]] = {}
    kinds: dict[QuestionKind, list[Episode]] = {}
    for episode in episodes:
        kinds.setdefault(episode.kind, []).append(episode)
    for group in kinds.values():
        batches = [_Batch(one, tuple(units_of(batch))) for one in group for batch in one.batches]
        sure = [batch for batch in batches if batch.episode.is_sure]
        if all(call.needed for batch in sure for unit in batch.units for call in unit.made):
            continue
        for structure in _structures(sure):
            if _suffices(structure, batches):
                by_structure.setdefault((structure, _every(structure, sure)), []).extend(sure)
    found = [_found(structure, every, batches) for (structure, every), batches in by_structure.items()]
    return sorted(filter(None, found), key=lambda one: (-one.calls_saved, one.tool.name))


def _structures(batches: Sequence[_Batch]) -> list[Structure]:
    """Return the actions that were mostly needed where they were made; those made at once stand together."""
    made: Counter[str] = Counter()
    needed: Counter[str] = Counter()
    for batch in batches:
        for action in {unit.action: None for unit in batch.units}:
            made[action] += 1
            needed[action] += any(unit.needed for unit in batch.units if unit.action == action)
    often = [one for one in made if needed[one] and needed[one] >= _OFTEN * made[one]]
    groups: list[set[str]] = []
    for batch in batches:
        together = {unit.action for unit in batch.units} & set(often)
        joined = [one for one in groups if one & together]
        if together:
            groups = [one for one in groups if not one & together] + [together.union(*joined)]
    return [tuple(one for one in often if one in group) for group in groups]


def _suffices(structure: Structure, batches: Sequence[_Batch]) -> bool:
    """Tell whether most of the runs that would have called the tool gave an answer."""
    called = {id(one.episode): one.episode for one in batches if _filled(structure, one.units)}
    return sum(one.is_sure for one in called.values()) >= _OFTEN * len(called)


def _every(structure: Structure, batches: Sequence[_Batch]) -> _Every:
    """Return how thinly the loop of each step may look: as most runs that are long enough to tell could."""
    found = []
    for action in structure:
        units = [unit for batch in batches for unit in batch.units if unit.action == action]
        strides = sorted(unit.stride for unit in units if unit.num_calls >= _LONG)
        found.append(strides[int(len(strides) * _DOUBT)] if len(strides) >= _LEAST_LOOPS else 1)
    return tuple(found)


def _found(structure: Structure, every: _Every, batches: Sequence[_Batch]) -> Found | None:
    uses, saved = [], 0
    for batch in batches:
        filled = _filled(structure, batch.units)
        if filled:
            uses.append(Use(batch.episode, filled))
            saved += batch.num_calls - 1
    return found_tool(structure, uses, saved, every=dict(enumerate(every)))


def _filled(structure: Structure, units: Sequence[Unit]) -> dict[int, Unit]:
    """Return the first unit of each action of the structure."""
    first = {unit.action: unit for unit in reversed(units)}
    return {place: first[action] for place, action in enumerate(structure) if action in first}
