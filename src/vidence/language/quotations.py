"""Quotations in English and Chinese marks: the one place that defines a quotation."""

from __future__ import annotations

import re

__all__ = ["quotations", "unquoted", "without_quotations"]

# Single quotes count only outside words and around two characters or more: an apostrophe is no quote.
_QUOTATION = re.compile(
    r"[“\"]([^”\"]*)[”\"]|「([^」]*)」|『([^』]*)』|《([^》]*)》"
    r"|(?<!\w)'([^']{2,})'(?!\w)|(?<!\w)‘([^’]{2,})’(?!\w)"
)


def quotations(text: str) -> tuple[str, ...]:
    """Return the quotations of a text, in order, without the marks."""
    found = (_inside(match).strip() for match in _QUOTATION.finditer(text))
    return tuple(part for part in found if part)


def unquoted(text: str) -> str:
    """Return a text without its quotation marks."""
    return _QUOTATION.sub(_inside, text)


def without_quotations(text: str, *, instead: str = " ") -> str:
    """Return a text with each quotation replaced by `instead`."""
    return _QUOTATION.sub(lambda _: instead, text)


def _inside(match: re.Match[str]) -> str:
    return next(part for part in match.groups() if part is not None)
