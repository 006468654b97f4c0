"""Dates as people say them, in English and Chinese: "last May", "3 days ago", "上周三", "2023年5月8日"."""

from __future__ import annotations

from datetime import date, datetime

from vidence.language.dates.forms import FORMS
from vidence.language.dates.spans import DateSpan

__all__ = ["DateSpan", "find_dates", "to_date"]


def find_dates(text: str, *, today: date) -> list[DateSpan]:
    """Return the dates `text` speaks of, the relative ones counted from `today`."""
    found: list[tuple[int, int, DateSpan]] = []
    lowered = text.lower()
    for pattern, read in FORMS:
        for match in pattern.finditer(lowered):
            if any(match.start() < end and start < match.end() for start, end, _ in found):
                continue
            try:
                span = read(match, today)
            except (ValueError, OverflowError):
                span = None
            if span is not None:
                found.append((match.start(), match.end(), span))
    return [span for _, _, span in sorted(found, key=lambda item: item[0])]


def to_date(timestamp: float) -> date | None:
    """Return the day of a Unix time; None when there is no such day."""
    try:
        return datetime.fromtimestamp(timestamp).date()
    except (ValueError, OverflowError, OSError):
        return None
