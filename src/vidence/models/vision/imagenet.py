"""The 1,000 ImageNet labels: their Chinese names and the everyday groups they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from vidence.language.tables import read_table

__all__ = ["Group", "Label", "groups", "labels", "meanings"]


@dataclass(frozen=True, slots=True)
class Group:
    """A plain word for many labels: dog, bird, car."""

    name: str
    chinese: str
    measure: str
    """The Chinese measure word it is counted with."""
    kind: str
    """What sort of thing it is: animal, vehicle, food, building, landscape, …"""


@dataclass(frozen=True, slots=True)
class Label:
    """One thing the labeller can name."""

    name: str
    chinese: str
    group: Group


@lru_cache(maxsize=1)
def groups() -> dict[str, Group]:
    """Return the groups by name."""
    return {row[0]: Group(*row) for row in read_table("imagenet_groups.tsv")}


@lru_cache(maxsize=1)
def labels() -> tuple[Label, ...]:
    """Return the labels in the labeller's order."""
    return tuple(Label(row[0], row[1], groups()[row[2]]) for row in read_table("imagenet.tsv"))


@lru_cache(maxsize=1)
def _by_name() -> dict[str, tuple[Label, ...]]:
    found: dict[str, tuple[Label, ...]] = {}
    for label in labels():
        found[label.name] = (*found.get(label.name, ()), label)
    return found


def meanings(name: str) -> tuple[Label, ...]:
    """Return the meanings of a label: a crane is a bird and a machine; none for an unknown label."""
    return _by_name().get(name, ())
