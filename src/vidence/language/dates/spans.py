"""Days, weeks, months and seasons as spans of days, counted from a given day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

__all__ = [
    "DateSpan",
    "ago",
    "calendar_span",
    "named_month",
    "one_day",
    "relative_month",
    "season",
    "week",
    "weekday",
    "weekend",
    "whole_year",
]

Unit = Literal["day", "week", "month", "year"]

_UNIT_DAYS: dict[Unit, int] = {"day": 1, "week": 7, "month": 30, "year": 365}
_SLACK_DAYS: dict[Unit, int] = {"day": 0, "week": 3, "month": 15, "year": 182}
"""How far off people are who say so many days, weeks, months or years ago."""
_SATURDAY = 5


@dataclass(frozen=True)
class DateSpan:
    """From `start` to `end`, both days included; without a year it comes round every year."""

    start: date
    end: date
    yearly: bool = False

    def holds(self, day: date) -> bool:
        """Say whether `day` lies in the span."""
        if not self.yearly:
            return self.start <= day <= self.end
        return (self.start.month, self.start.day) <= (day.month, day.day) <= (self.end.month, self.end.day)


def one_day(day: date) -> DateSpan:
    """Return the span of a single day."""
    return DateSpan(day, day)


def whole_year(year: int) -> DateSpan:
    """Return the span of a year."""
    return DateSpan(date(year, 1, 1), date(year, 12, 31))


def calendar_span(year: int | None, month: int, day: int | None) -> DateSpan | None:
    """Return a day or a whole month, of every year when none is given; None where there is no such day."""
    if day is None:
        span = _months(year or 2023, month)
        return DateSpan(span.start, span.end, yearly=year is None)
    # A leap year, so that 29 February is a day.
    exact = _existing(year or 2024, month, day)
    return None if exact is None else DateSpan(exact, exact, yearly=year is None)


def ago(count: int, unit: Unit, today: date) -> DateSpan:
    """Return the days meant by so many days, weeks, months or years ago."""
    middle = today - timedelta(days=_UNIT_DAYS[unit] * count)
    slack = timedelta(days=_SLACK_DAYS[unit])
    return DateSpan(middle - slack, middle + slack)


def week(offset: int, today: date) -> DateSpan:
    """Return the week `offset` weeks from this one, Monday to Sunday."""
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=offset)
    return DateSpan(monday, monday + timedelta(days=6))


def weekday(number: int, when: str, today: date) -> DateSpan:
    """Return the weekday meant: "last Friday" is the one before today, "上周五" that of the week before."""
    if when in ("上", "这", "本", "下"):
        day = week({"上": -1, "下": 1}.get(when, 0), today).start + timedelta(days=number)
    else:
        back = (today.weekday() - number) % 7 or 7
        day = today - timedelta(days=back) if when != "next" else today + timedelta(days=7 - back or 7)
    return one_day(day)


def weekend(when: str, today: date) -> DateSpan:
    """Return the Saturday and Sunday of this week, or the ones before today."""
    is_last = when == "last"
    saturday = (weekday(_SATURDAY, when, today) if is_last else week(0, today)).start
    saturday += timedelta(days=0 if is_last else _SATURDAY)
    return DateSpan(saturday, saturday + timedelta(days=1))


def relative_month(offset: int, today: date) -> DateSpan:
    """Return the month `offset` months from this one."""
    months = today.year * 12 + today.month - 1 + offset
    return _months(months // 12, months % 12 + 1)


def named_month(when: str, month: int, today: date) -> DateSpan:
    """Return the month that "last May", "this May" or "next May" means."""
    year = today.year
    if when in ("last", "previous"):
        year -= month >= today.month
    elif when == "next":
        year += month <= today.month
    return _months(year, month)


def season(when: str, months: tuple[int, int], year: int | None, today: date) -> DateSpan:
    """Return the season from the first to the last of `months`, of `year` or the one `when` means."""
    first, last = months
    chosen = today.year if year is None else year
    if year is None and (when in ("last", "去年") or (when != "this" and today.month < first)):
        chosen -= 1
    return _months(chosen, first, last - first + 1)


def _months(year: int, month: int, count: int = 1) -> DateSpan:
    last = month + count - 1
    following = date(year + last // 12, last % 12 + 1, 1)
    return DateSpan(date(year, month, 1), following - timedelta(days=1))


def _existing(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
