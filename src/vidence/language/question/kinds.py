"""Which kind of question it is, by the words that ask."""

from __future__ import annotations

import re
from typing import cast

from vidence.language.question.form import Kind
from vidence.language.tables import pattern_of, patterns_of

__all__ = ["find_kind", "is_count", "is_duration", "is_when"]

_TABLE = "question_kinds.tsv"
_FIRST = "describe"
"""The kinds from this one on are tried in the table's order."""
_EXISTS = re.compile(r"^\W*(?:is|are|does|do|has|have)\b|吗|有没有|是否", re.IGNORECASE)


def is_when(text: str) -> bool:
    """Whether a time is asked for."""
    return _fits("when", text)


def is_count(text: str) -> bool:
    """Whether a number of things or times is asked for."""
    return _fits("count", text)


def is_duration(text: str) -> bool:
    """Whether a length of time is asked for."""
    return _fits("duration", text)


def find_kind(text: str) -> Kind:
    """Return the kind of a question."""
    if _fits("order", text):
        return "order"
    timed, counted = is_when(text) or is_duration(text), is_count(text)
    if _fits("cut", text) and (timed or counted or _EXISTS.search(text)):
        return "cuts"
    if timed:
        return "when"
    if counted:
        return "count"
    kinds = list(patterns_of(_TABLE))
    tried = kinds[kinds.index(_FIRST) :]
    kind = cast("Kind", next((kind for kind in tried if _fits(kind, text)), "what"))
    return "order" if kind in ("yes_no", "what") and _fits("yes_order", text) else kind


def _fits(kind: str, text: str) -> bool:
    return pattern_of(_TABLE, kind).search(text) is not None
