"""Keeping replies short: at most 8,000 tokens, the rest on further pages."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["MAX_TOKENS", "page_of", "tokens_of"]

MAX_TOKENS = 8000
_BUDGET = 7000
"""Tokens of lines on a page; the rest is for the note and the tokeniser's own opinion."""
_LATIN_CHARS = 3.0
"""Characters of a token; tokenisers take about four for English."""
_MORE = "call again with offset={offset} for more"
_LINE_TOKENS = 1500
"""A longer line is cut."""


def tokens_of(text: str) -> int:
    """Return how many tokens a text has at most, about: two for every three wide characters and more."""
    wide = sum(char > "\u2e7f" for char in text)
    return round(wide * 1.2 + (len(text) - wide) / _LATIN_CHARS) + 1


def page_of(lines: Sequence[str], offset: int = 0, *, more: str = _MORE) -> str:
    """Return as many lines from `offset` on as fit, and a note how to get the next page."""
    shown: list[str] = []
    used = 0
    for line in lines[offset:]:
        cut = _cut(line)
        used += tokens_of(cut)
        if shown and used > _BUDGET:
            break
        shown.append(cut)
    end = offset + len(shown)
    parts = shown or ["(nothing)"]
    if end < len(lines):
        parts = [*parts, f"[lines {offset + 1}–{end} of {len(lines)}; {more.format(offset=end)}]"]
    return "\n".join(parts)


def _cut(line: str) -> str:
    if tokens_of(line) <= _LINE_TOKENS:
        return line
    keep = len(line)
    while tokens_of(line[:keep]) > _LINE_TOKENS:
        keep = keep * 3 // 4
    return f"{line[:keep]}…"
