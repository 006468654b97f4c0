"""What stands in quotation marks, English and Chinese: the one place that says what a quotation is."""

from __future__ import annotations

import re

__all__ = ["quotations", "unquoted", "without_quotations"]

# An apostrophe is no quotation mark: a single one counts only outside words and around two letters or more.
_QUOTATION = re.compile(
    r"[“\"]([^”\"]*)[”\"]|「([^」]*)」|『([^』]*)』|《([^》]*)》"
    r"|(?<!\w)'([^']{2,})'(?!\w)|(?<!\w)‘([^’]{2,})’(?!\w)"
)


def quotations(text: str) -> tuple[str, ...]:
    """Return what a text quotes, in order, without the marks."""
    found = (_inside(match).strip() for match in _QUOTATION.finditer(text))
    return tuple(part for part in found if part)


def unquoted(text: str) -> str:
    """Return a text with its quotations kept and their marks left out."""
    return _QUOTATION.sub(_inside, text)


def without_quotations(text: str, *, instead: str = " ") -> str:
    """Return a text with other words in the place of each quotation."""
    return _QUOTATION.sub(lambda _: instead, text)


def _inside(match: re.Match[str]) -> str:
    return next(part for part in match.groups() if part is not None)
