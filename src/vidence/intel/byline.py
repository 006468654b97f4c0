"""What a saved page says about itself in its text: its address, its day and its author."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from vidence.language.dates import find_dates

__all__ = ["Byline", "read_byline"]

_ADDRESS = re.compile(
    r"^(?:url source|source url|source|url|link|original|the wayback machine|来源|原文|原文链接|链接|网址)"
    r"\s*[-:：]\s*(https?://[^\s<>]+)$",
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2}|[a-z]{3})[/-](\d{1,2})(?:[/-]|$)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR = re.compile(r"(?:19|20)\d\d")
_STATED = re.compile(
    r"\b(?:published|posted|updated|date|first published|last modified)\b"
    r"|发布时间|发布于|发表于|日期|更新时间",
    re.IGNORECASE,
)
_AUTHOR = re.compile(
    r"\b[Bb]y:?\s+((?:[A-Z][\w.'’-]+ ?){1,4})|(?:作者|记者|撰文)\s*[:：|｜]?\s*([\u4e00-\u9fff]{2,4})"
)
_MARKS = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_#>`|]")
_CLOCK = re.compile(
    r"T?\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?Z?(?:\s*[ap]\.?m\.?)?|\b[A-Z]{2,4}T?\b|[+-]\d{2}:?\d{2}$"
)
_LEADING = re.compile(r"([^(（]{6,24}?)\s*(?:\.\.\.|…|—|–|·|\|)")
"""The day with which an excerpt or a dispatch begins."""
_HEAD_LINES, _BODY_LINES = 40, 400
_LONGEST = 160
"""A line with a day in it that is longer belongs to the text."""
_LONGEST_SIGNED = 100
_PARAGRAPH = 200
_ABOVE = 8
"""A day alone on a line dates a page when it stands so few lines above the first paragraph."""
_BESIDE = 12
"""Characters that a line may hold beside its day to be one that only dates the page."""


@dataclass(frozen=True)
class Byline:
    """What was found; empty where the page does not say."""

    url: str = ""
    published: date | None = None
    author: str = ""


def read_byline(text: str) -> Byline:
    """Return what a page says about itself; a day counts only where a line is there to state it."""
    written = [line.strip() for line in text.splitlines()[:_BODY_LINES] if line.strip()]
    url = next((match[1] for line in written[:_HEAD_LINES] if (match := _ADDRESS.match(line))), "")
    lines = [_MARKS.sub(r"\1", line).strip() for line in written]
    dated = [
        (place, line, day)
        for place, line in enumerate(lines)
        if len(line) <= _LONGEST and _YEAR.search(line) and (day := _day(line)) is not None
    ]
    for _, line, day in dated:
        if len(line) <= _LONGEST_SIGNED and (by := _AUTHOR.search(line)) is not None:
            return Byline(url, day, next(part for part in by.groups() if part).strip(" .-"))
    led = _LEADING.match(written[0]) if written else None
    if led is not None and _is_bare(led[1]) and (day := _day(led[1])) is not None:
        return Byline(url, day)
    stated = next((day for _, line, day in dated if _STATED.search(line)), None)
    return Byline(url, stated or _day_in_address(url) or _day_above(lines, dated))


def _day_above(lines: Sequence[str], dated: Sequence[tuple[int, str, date]]) -> date | None:
    """Return the day on a line of its own just above the first paragraph."""
    first = next((place for place, line in enumerate(lines) if len(line) >= _PARAGRAPH), len(lines))
    days = [day for place, line, day in dated if first - _ABOVE <= place < first and _is_bare(line)]
    return days[-1] if days else None


def _day(line: str) -> date | None:
    days = [one.start for one in find_dates(line, today=None) if one.start == one.end]
    return days[0] if days else None


def _is_bare(line: str) -> bool:
    """Tell whether a line holds a day and hardly anything else."""
    rest = re.sub(r"\w+day\b|\b\d{1,4}(?:st|nd|rd|th)?\b|[年月日,.]", "", _CLOCK.sub("", line))
    return len(re.sub(r"\s+", "", rest)) <= _BESIDE


def _day_in_address(url: str) -> date | None:
    match = _IN_ADDRESS.search(url)
    if match is None:
        return None
    month = _MONTHS.index(match[2]) + 1 if match[2] in _MONTHS else match[2]
    try:
        return date(int(match[1]), int(month), int(match[3]))
    except ValueError:
        return None
