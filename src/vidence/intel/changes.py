"""What changed between two briefings of one command."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.language.numbers import numbers_in
from vidence.language.tokens import terms
from vidence.schema.briefing import Briefing, BriefingChange, Statement

__all__ = ["changes_between", "same_fact_changed"]

_SAME = 0.8
_ABOUT_THE_SAME = 0.55


def changes_between(old: Briefing, new: Briefing) -> tuple[BriefingChange, ...]:
    """Return what is new, what reads otherwise now, and what is gone, in the order of the briefings."""
    changes: list[BriefingChange] = []
    matched: set[int] = set()
    for statement in new.statements:
        place = _nearest(statement, old.statements)
        if place is not None:
            matched.add(place)
            before = old.statements[place]
            if _numbers(before.text) != _numbers(statement.text):
                changes.append(BriefingChange(kind="changed", text=statement.text, before=before.text))
            elif _likeness(before.text, statement.text) < _SAME:
                changes.append(BriefingChange(kind="new", text=statement.text))
        else:
            changes.append(BriefingChange(kind="new", text=statement.text))
    changes += [
        BriefingChange(kind="gone", text=statement.text)
        for place, statement in enumerate(old.statements)
        if place not in matched
    ]
    return tuple(changes)


def same_fact_changed(before: str, after: str) -> bool:
    """Tell whether two sentences say nearly the same with other figures."""
    return _likeness(before, after) >= _ABOUT_THE_SAME and _numbers(before) != _numbers(after)


def _nearest(statement: Statement, others: Sequence[Statement]) -> int | None:
    scored = [(_likeness(statement.text, other.text), -place) for place, other in enumerate(others)]
    best, place = max(scored, default=(0.0, 0))
    return -place if best >= _ABOUT_THE_SAME else None


def _likeness(one: str, other: str) -> float:
    mine, held = set(_words(one)), set(_words(other))
    return len(mine & held) / max(len(mine | held), 1)


def _words(text: str) -> list[str]:
    return [term for term in terms(text) if not term.replace(".", "").replace(",", "").isdigit()]


def _numbers(text: str) -> set[float]:
    return {number.value for number in numbers_in(text) if not number.is_vague}
