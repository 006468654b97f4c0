"""Quotations of a story and who says each of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.knowledge.mentions import Mention, NameFinder
from vidence.knowledge.speakers import rank_speakers
from vidence.language.identify import HAN, has_han
from vidence.language.tables import words_of

__all__ = ["Speech", "find_quotations", "find_speeches"]

_QUOTATION = re.compile(
    r"“[^”\n]{1,2000}[”\n]|「[^」\n]{1,2000}」|『[^』\n]{1,2000}』|\"[^\"\n]{2,2000}\"|(?<!\w)‘[^’\n](?:[^’\n]|’(?=\w)){1,2000}’(?!\w)"
)
_SAY_EN = "|".join(sorted(words_of("names.tsv", "say_en", room="knowledge")))
_SAY_ZH = "|".join(
    sorted(words_of("names.tsv", "say_zh", room="knowledge"), key=lambda word: (-len(word), word))
)
_AFTER_EN = re.compile(
    rf"^[\s,.!?—-]*(?:(?:{_SAY_EN})\b[^.!?“”\"\n]{{0,40}}|[^.!?“”\"\n]{{0,40}}\b(?:{_SAY_EN})\b)"
)
_BEFORE_EN = re.compile(rf"[^.!?“”\"\n]{{0,120}}\b(?:{_SAY_EN})\b[^.!?“”\"\n]{{0,60}}[,:—]\s*$")
_BEFORE_ZH = re.compile(rf"[^。！？”\n]{{0,60}}(?:{_SAY_ZH}|了|着|来)?[^。！？”\n{HAN}]{{0,2}}[：:，,]\s*$")
_AFTER_ZH = re.compile(rf"^[，。]?[^。！？“\n]{{0,24}}?(?:{_SAY_ZH})")
_NEAR = 200
_LINES = 5
_LIKELY = 0.35


@dataclass(frozen=True)
class Speech:
    """One quotation and its speaker, where that could be told."""

    start: int
    end: int
    speaker: str | None
    how: str
    """`stated`, `turn` (they take turns), `ranked` or `read` (by a model), `near`, `unknown`."""


def find_quotations(text: str) -> list[tuple[int, int]]:
    """Return where each quotation stands, marks included."""
    return [found.span() for found in _QUOTATION.finditer(text)]


def find_speeches(text: str, mentions: Sequence[Mention], finder: NameFinder | None = None) -> list[Speech]:
    """Return the quotations of a text with their speakers; with a finder, Chinese ones are ranked."""
    found: list[Speech] = []
    quotations = find_quotations(text)
    for index, (start, end) in enumerate(quotations):
        before = quotations[index - 1][1] if index else 0
        after = quotations[index + 1][0] if index + 1 < len(quotations) else len(text)
        speaker = _stated(text, start, end, before, after, mentions)
        how = "stated" if speaker else "unknown"
        between = text[before:start]
        if speaker is None and found and len(between) < _NEAR:
            # A new paragraph is the other's turn; within one the same person goes on.
            partner = found[-2].speaker if len(found) > 1 and "\n" in between else None
            speaker = partner if "\n" in between else found[-1].speaker
            how = "turn" if speaker else how
        if speaker is None and finder is not None and has_han(text[start:end]):
            ranked = rank_speakers(*_around(text, quotations, index), finder)
            if ranked and ranked[0][1] >= _LIKELY:
                speaker, how = ranked[0][0], "ranked"
        if speaker is None:
            near = [one for one in mentions if max(before, start - _NEAR) <= one.start and one.end <= start]
            speaker, how = (near[-1].entity_id, "near") if near else (None, "unknown")
        found.append(Speech(start, end, speaker, how))
    return found


def _around(text: str, quotations: Sequence[tuple[int, int]], index: int) -> tuple[list[str], int]:
    """Return the quotations and the narration around one quotation as lines, and its number among them."""
    first, last = max(0, index - _LINES), min(len(quotations), index + _LINES)
    start = max(0, quotations[first][0] - _NEAR)
    lines, at = [text[start : quotations[first][0]]], 0
    for number in range(first, last):
        begin, end = quotations[number]
        after = quotations[number + 1][0] if number + 1 < len(quotations) else min(len(text), end + _NEAR)
        if number == index:
            at = len(lines)
        lines += [text[begin:end], text[end:after]]
    kept = [(number, line) for number, line in enumerate(lines) if line.strip()]
    return [line for _, line in kept], [number for number, _ in kept].index(at)


def _stated(
    text: str, start: int, end: int, before: int, after: int, mentions: Sequence[Mention]
) -> str | None:
    """Return who is said to speak, right before or right after the quotation."""
    is_chinese = has_han(text[start:end])
    lead = (_BEFORE_ZH if is_chinese else _BEFORE_EN).search(text[max(before, start - 200) : start])
    if lead:
        first = start - len(lead[0])
        named = [one for one in mentions if first <= one.start and one.end <= start]
        if named:
            return (named[0] if is_chinese else named[-1]).entity_id
    tail = (_AFTER_ZH if is_chinese else _AFTER_EN).match(text[end : min(after, end + 120)])
    if tail:
        named = [one for one in mentions if end <= one.start and one.end <= end + len(tail[0]) + 12]
        if named:
            return named[0].entity_id
    return None
