"""A navigation instruction, clause by clause: what to do, and at, past or up to which landmark."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from vidence.language.question import targets_of
from vidence.language.tables import read_table
from vidence.language.tokens import terms
from vidence.schema.navigation import NavigationAction

__all__ = ["Clause", "Relation", "is_seen", "read_clauses"]

Relation = Literal["at", "until", "past", "into", "none"]
_LEAVING = r"\b(?:exit|leave)\b|走出|离开|出去|出来"
_ARTICLE = re.compile(
    r"^(?:the|a|an|your|some|this|that|另一?个|一[个扇张把条道座]|那[个扇张]|这[个扇张])\s*", re.IGNORECASE
)
_TAIL = re.compile(
    r"\s+(?:on|at|to|in|near|beside|and|with|where|that|which|of you|ahead|there|until|before|by)\b.*$",
    re.IGNORECASE,
)
_UNSEEN_ADJECTIVES = frozenset({"big", "small", "large", "first", "second", "third", "next", "last"})


@dataclass(frozen=True)
class Clause:
    """One thing to do."""

    text: str
    action: NavigationAction
    landmark: str | None = None
    relation: Relation = "none"


def read_clauses(instruction: str) -> tuple[Clause, ...]:
    """Return the instruction's clauses in order; words without an action are left out."""
    clauses: list[Clause] = []
    ((_, split),) = _patterns("split")
    for part in split.split(instruction):
        text = (part or "").strip(" ,，、")
        if text:
            clauses += _clauses_of(text)
    return tuple(clauses)


def _clauses_of(text: str) -> list[Clause]:
    landmark, relation = _landmark(text)
    found = next((name for name, pattern in _patterns("action") if pattern.search(text)), None)
    action = cast("NavigationAction | None", found)
    if action is None:
        # "When you see the red door," alone still says how far to go.
        return [Clause(text, "move_forward", landmark, "until")] if landmark else []
    if action == "enter" and re.search(_LEAVING, text, re.IGNORECASE):
        # A place to leave is no landmark to walk towards.
        landmark, relation = None, "none"
    if landmark and relation == "until" and action != "move_forward":
        return [Clause(text, "move_forward", landmark, "until"), Clause(text, action)]
    return [Clause(text, action, landmark, relation)]


def _landmark(text: str) -> tuple[str | None, Relation]:
    for relation, pattern in _patterns("landmark"):
        match = pattern.search(text)
        if match:
            thing = _TAIL.sub("", match["thing"].strip())
            thing = _ARTICLE.sub("", _ARTICLE.sub("", thing)).strip(" .,，。")
            if thing and not re.fullmatch(
                r"(?:left|right|front|here|there|end|前|后|左|右)", thing, re.IGNORECASE
            ):
                return thing, cast("Relation", relation)
    return None, "none"


@lru_cache(maxsize=3)
def _patterns(use: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the named patterns of one use, in the order they are tried."""
    return tuple(
        (name, re.compile(pattern, re.IGNORECASE))
        for row, name, pattern in read_table("navigation.tsv", "embedded")
        if row == use
    )


def is_seen(landmark: str, caption: str) -> bool:
    """Return whether a caption or a list of labels names the landmark."""
    shown = set(terms(caption))
    if not shown:
        return False
    wanted = [term for term in dict.fromkeys(terms(landmark)) if term not in _UNSEEN_ADJECTIVES]
    if wanted and all(term in shown for term in wanted):
        return True
    return bool(_names(landmark) & _names(caption))


def _names(text: str) -> set[str]:
    """Return the detector categories a text names; both languages share them."""
    return {target.category for target in targets_of(text) if target.category is not None}
