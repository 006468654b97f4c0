"""Finding known names in a text: the longest one at each place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from vidence.language.identify import has_han

__all__ = ["Mention", "NameFinder"]


@dataclass(frozen=True, order=True)
class Mention:
    """One place where a name stands."""

    start: int
    end: int
    entity_id: str


class NameFinder:
    """Finds names by their first character, so that a thousand names cost no more than ten."""

    def __init__(self, names: Mapping[str, str]) -> None:
        """Take names and the entity each belongs to."""
        self._names = dict(names)
        lengths: dict[str, set[int]] = defaultdict(set)
        for name in names:
            lengths[name[0]].add(len(name))
        self._lengths = {first: sorted(sizes, reverse=True) for first, sizes in lengths.items()}

    @property
    def names(self) -> Collection[str]:
        return self._names

    def owner(self, name: str) -> str:
        """Return the entity that a name belongs to."""
        return self._names[name]

    def find(self, text: str) -> list[Mention]:
        """Return the mentions of a text in order; none overlaps another."""
        found: list[Mention] = []
        text = text.replace("\n", " ")  # A line may break within a name.
        position, size = 0, len(text)
        lengths, names = self._lengths, self._names
        while position < size:
            for length in lengths.get(text[position], ()):
                name = text[position : position + length]
                if name in names and _stands_alone(text, position, position + length):
                    found.append(Mention(position, position + length, names[name]))
                    position += length - 1
                    break
            position += 1
        return found


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether a Latin name is a word of its own; Chinese has no blanks to tell."""
    if has_han(text[start]):
        return True
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    return not before.isalnum() and not after.isalnum()
