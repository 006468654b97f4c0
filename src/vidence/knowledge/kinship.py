"""Families and households: what stated relations imply, and which statements contradict each other.

A statement that would put somebody into two generations at once is dropped in favour of the stronger one.
From what is left follow grandparents, siblings, in-laws, uncles and cousins; each conclusion keeps the
statements it rests on, so that it can be quoted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from vidence.knowledge.relations import inverse_of

__all__ = ["Fact", "agree", "derive", "is_kin", "masters", "may_wed"]

_UP = {
    "parent": 1, "child": -1, "spouse": 0, "concubine": 0, "patron": 0, "sibling": 0, "cousin": 0,
    "grandparent": 2, "grandchild": -2, "parent_in_law": 1, "child_in_law": -1, "sibling_in_law": 0,
    "uncle_aunt": 1, "nephew_niece": -1,
}  # fmt: skip
"""How many generations the first of a relation stands above the second."""
_RULES = (
    ("parent", "parent", "grandparent"),
    ("sibling", "parent", "uncle_aunt"),
    ("spouse", "child", "child_in_law"),
    ("spouse", "sibling", "sibling_in_law"),
    ("sibling", "spouse", "sibling_in_law"),
    ("child", "uncle_aunt", "cousin"),
    ("spouse", "uncle_aunt", "uncle_aunt"),
    ("sibling", "grandparent", "uncle_aunt"),
    ("sibling", "sibling", "sibling"),
    ("parent", "cousin", "uncle_aunt"),
    ("sibling", "cousin", "cousin"),
    ("uncle_aunt", "sibling", "uncle_aunt"),
    ("grandparent", "sibling", "grandparent"),
    ("spouse", "grandparent", "grandparent"),
    ("spouse", "parent_in_law", "parent_in_law"),
    ("concubine", "spouse", "concubine"),
)
"""A is X of B, B is Y of C: A is Z of C."""
_MOST_PREMISES = 3
_LEAST_LISTED, _MOSTLY = 3, 0.5
_LEAST_MET = 3
Place = tuple[int, int, int]


@dataclass(frozen=True)
class Fact:
    """`source` is `kind` of `target`, by the words at some places."""

    source: str
    kind: str
    target: str
    weight: float
    places: tuple[Place, ...]

    def reversed(self) -> Fact:
        """Return the fact from the other side."""
        return Fact(self.target, inverse_of(self.kind), self.source, self.weight, self.places)


def is_kin(kind: str) -> bool:
    """Say whether a relation joins members of a family."""
    return kind in _UP


class _Generations:
    """Who stands how many generations above whom, as far as facts join them."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self._offset: dict[str, int] = {}

    def place(self, one: str) -> tuple[str, int]:
        """Return somebody's family and the generation in it."""
        self._parent.setdefault(one, one)
        self._offset.setdefault(one, 0)
        offset = 0
        while self._parent[one] != one:
            offset += self._offset[one]
            one = self._parent[one]
        return one, offset

    def allows(self, fact: Fact) -> bool:
        """Say whether a fact fits what is known."""
        (first, above), (second, below) = self.place(fact.source), self.place(fact.target)
        return first != second or above - below == _UP[fact.kind]

    def add(self, fact: Fact) -> None:
        """Join the families of two people."""
        (first, above), (second, below) = self.place(fact.source), self.place(fact.target)
        if first != second:
            self._parent[first] = second
            self._offset[first] = _UP[fact.kind] + below - above


def agree(facts: Iterable[Fact], gender: Mapping[str, str]) -> tuple[list[Fact], _Generations]:
    """Return the facts of families that do not contradict a stronger one, and the generations they make."""
    generations = _Generations()
    kept: list[Fact] = []
    pairs: set[frozenset[str]] = set()
    filled: set[tuple[str, str, str]] = set()
    for fact in sorted(facts, key=lambda one: (-one.weight, one.source, one.target, one.kind)):
        pair = frozenset((fact.source, fact.target))
        slots = {slot for one in (fact, fact.reversed()) if (slot := _slot(one, gender))}
        if pair not in pairs and generations.allows(fact) and not slots & filled and may_wed(fact, gender):
            generations.add(fact)
            pairs.add(pair)
            filled |= slots
            kept.append(fact)
    return kept, generations


def _slot(fact: Fact, gender: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Return what only one person can be: the father or mother of somebody."""
    side = gender.get(fact.source, "unknown")
    return (fact.target, fact.kind, side) if fact.kind == "parent" and side != "unknown" else None


def may_wed(fact: Fact, gender: Mapping[str, str]) -> bool:
    """Say whether two people of their genders can be man and wife, where a fact says so."""
    sides = [gender.get(who, "unknown") for who in (fact.source, fact.target)]
    return fact.kind != "spouse" or "unknown" in sides or sides[0] != sides[1]


def derive(facts: Iterable[Fact], gender: Mapping[str, str]) -> list[Fact]:
    """Return what facts of families imply and do not state."""
    family = _Family(gender)
    for fact in facts:
        family.add(fact)
    family.complete_parents()
    stated = set(family.known)
    for first, second, conclusion in _RULES:
        for one in list(family.of_kind(first)):
            for other in family.of(one.target, second):
                # The concubine of a wife is her husband's.
                if conclusion == "concubine" and gender.get(one.target) != "female":
                    continue
                if one.source != other.target and len({*one.places, *other.places}) <= _MOST_PREMISES:
                    family.conclude(one, other, conclusion)
    return [fact for pair, fact in family.known.items() if pair not in stated or fact in family.completed]


class _Family:
    """Facts by pair, both ways."""

    def __init__(self, gender: Mapping[str, str]) -> None:
        self._gender = gender
        self.known: dict[tuple[str, str], Fact] = {}
        self.completed: set[Fact] = set()
        self._from: dict[str, set[str]] = defaultdict(set)

    def add(self, fact: Fact) -> None:
        for one in (fact, fact.reversed()):
            self.known[one.source, one.target] = one
            self._from[one.source].add(one.target)

    def of_kind(self, kind: str) -> list[Fact]:
        return [fact for _, fact in sorted(self.known.items()) if fact.kind == kind]

    def of(self, who: str, kind: str) -> list[Fact]:
        return [
            self.known[who, other] for other in sorted(self._from[who]) if self.known[who, other].kind == kind
        ]

    def conclude(self, one: Fact, other: Fact, kind: str) -> Fact | None:
        """Add what two facts imply, unless the pair is known or it goes against a fact's gender."""
        if (one.source, other.target) in self.known or one.source == other.target:
            return None
        places = tuple(
            dict.fromkeys((*one.places[:1], *other.places[:1], *one.places[1:], *other.places[1:]))
        )
        fact = Fact(
            one.source, kind, other.target, min(one.weight, other.weight) / 2, places[:_MOST_PREMISES]
        )
        self.add(fact)
        return fact

    def complete_parents(self) -> None:
        """Give children their second parent, and siblings their common parents."""
        for _ in range(2):
            for one in self.of_kind("child"):
                for other in self.of(one.target, "parent"):
                    if one.source != other.target:
                        self._note(self.conclude(one, other, "sibling"))
            for kind, through in (("spouse", "parent"), ("parent", "sibling")):
                for one in self.of_kind(kind):
                    for other in self.of(one.target, through):
                        self._parent(one, other)
            for one in self.of_kind("parent"):
                for other in self.of(one.target, "child"):
                    genders = {self._gender.get(who, "unknown") for who in (one.source, other.target)}
                    if genders == {"female", "male"}:
                        self._note(self.conclude(one, other, "spouse"))

    def _parent(self, one: Fact, other: Fact) -> None:
        gender = self._gender.get(one.source, "unknown")
        taken = {self._gender.get(fact.source, "unknown") for fact in self._parents(other.target)}
        if len(taken) < 2 and (gender == "unknown" or gender not in taken):
            self._note(self.conclude(one, other, "parent"))

    def _parents(self, child: str) -> list[Fact]:
        return [fact.reversed() for fact in self.of(child, "child")]

    def _note(self, fact: Fact | None) -> None:
        if fact:
            self.completed |= {fact, fact.reversed()}


def masters(
    servants: Mapping[str, str], listed: Mapping[tuple[str, str], int], met: Mapping[tuple[str, str], int]
) -> dict[str, str]:
    """Return whom people serve who stand in lists of servants, but of whom no sentence says so.

    Args:
        servants: who is stated to serve whom.
        listed: how often two people stand side by side in a list.
        met: how often a sentence names two people, by sorted pair.
    """
    beside: dict[str, Counter[bool]] = defaultdict(Counter)
    for (one, other), number in listed.items():
        beside[one][other in servants] += number
        beside[other][one in servants] += number
    total: Counter[str] = Counter()
    for (one, other), number in met.items():
        total[one] += number
        total[other] += number
    lords = set(servants.values())
    found: dict[str, str] = {}
    for who, rows in beside.items():
        if (
            who in servants
            or who in lords
            or rows[True] < _LEAST_LISTED
            or rows[True] < _MOSTLY * rows.total()
        ):
            continue
        best = max(
            lords - {who},
            key=lambda lord: (met.get((min(who, lord), max(who, lord)), 0) / total[lord] ** 0.5, lord),
            default=None,
        )
        if best and met.get((min(who, best), max(who, best)), 0) >= _LEAST_MET:
            found[who] = best
    return found
