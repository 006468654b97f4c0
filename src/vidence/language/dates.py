"""Dates as people say them, in English and Chinese: "last May", "3 days ago", "上周三", "2023年5月8日"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from vidence.language.numbers import NUMBER_WORD_PATTERN, number_value
from vidence.language.tables import read_table

__all__ = ["DateSpan", "find_dates", "to_date"]


def _table(kind: str) -> dict[str, int]:
    """Return the words of one kind with their values."""
    rows = (row for row in read_table("date_words.tsv") if row[0] == kind)
    return {word: int(row[1]) for row in rows for word in row[2].split(",")}


_MONTHS, _WEEKDAYS, _SEASONS = _table("month"), _table("weekday"), _table("season")
_NEAR_DAYS, _OFFSETS, _VAGUE, _UNITS = _table("near_day"), _table("offset"), _table("vague"), _table("unit")
_SLACK_DAYS = {1: 0, 7: 3, 30: 15, 365: 182}
"""Tolerance of "N units ago" in days, by the length of the unit in days."""
_SEASON_MONTHS = 3
_PLANNED = re.compile(
    r"\b(?:will|'ll|won't|going to|plan(?:s|ning)? to|hope to|shall|upcoming|coming|due|deadline|until|by)\b"
    r"|将|打算|准备|计划|预计|即将|明年|要在|会在|截止"
)
_SATURDAY = 5

_Reader = Callable[[re.Match[str], date], "DateSpan | None"]


def _any_of(words: dict[str, int]) -> str:
    return "|".join(sorted((word for word in words if word.isascii()), key=len, reverse=True))


_MONTH, _WEEKDAY, _SEASON = _any_of(_MONTHS), _any_of(_WEEKDAYS), _any_of(_SEASONS)
_NEAR_DAY = "|".join(sorted(_NEAR_DAYS, key=len, reverse=True))
_COUNT = "|".join([r"\d{1,3}", NUMBER_WORD_PATTERN, *_VAGUE])
_HAN = r"[零〇一二两三四五六七八九十\d]{1,4}"


@dataclass(frozen=True)
class DateSpan:
    """The days from `start` to `end`, both included; a yearly span repeats every year."""

    start: date
    end: date
    yearly: bool = False

    def holds(self, day: date) -> bool:
        """Say whether `day` lies in the span."""
        if not self.yearly:
            return self.start <= day <= self.end
        return (self.start.month, self.start.day) <= (day.month, day.day) <= (self.end.month, self.end.day)


_SOME_DAYS = date(1991, 3, 5), date(2031, 9, 18)
"""Two days from which no relative date leads to the same day."""


def find_dates(text: str, *, today: date | None) -> list[DateSpan]:
    """Return the dates that `text` mentions, relative ones counted from `today`.

    Without a `today` only those are returned that do not depend on it: "5 May 2020", not "yesterday".
    """
    if today is not None:
        return _dates_from(text, today)
    one, other = (_dates_from(text, day) for day in _SOME_DAYS)
    return [span for span in one if span in other]


def _dates_from(text: str, today: date) -> list[DateSpan]:
    found: list[tuple[int, int, DateSpan]] = []
    lowered = text.lower()
    for pattern, read in _FORMS:
        for match in pattern.finditer(lowered):
            if any(match.start() < end and start < match.end() for start, end, _ in found):
                continue
            try:
                span = read(match, today)
            except (ValueError, OverflowError):
                span = None
            if span is not None:
                found.append((match.start(), match.end(), _near(span, today, lowered)))
    return [span for _, _, span in sorted(found, key=lambda item: item[0])]


def to_date(timestamp: float) -> date | None:
    """Return the day of a Unix time; None when there is no such day."""
    try:
        return datetime.fromtimestamp(timestamp).date()
    except (ValueError, OverflowError, OSError):
        return None


def _near(span: DateSpan, today: date, text: str) -> DateSpan:
    """Return a yearly span in the year that is meant: the last, or the coming one where plans are told."""
    if not span.yearly:
        return span
    is_coming = _PLANNED.search(text) is not None
    years = range(today.year - 1, today.year + 5) if is_coming else range(today.year, today.year - 9, -1)
    for year in years:
        start = _existing(year, span.start.month, span.start.day)
        if start is None:
            continue
        end = start if span.start == span.end else _month_span(year, start.month).end
        if (end >= today) if is_coming else (start <= today):
            return DateSpan(start, end, yearly=True)
    return span


def _one_day(day: date) -> DateSpan:
    """Return the span of a single day."""
    return DateSpan(day, day)


def _whole_year(year: int) -> DateSpan:
    """Return the span of a year."""
    return DateSpan(date(year, 1, 1), date(year, 12, 31))


def _calendar_span(year: int | None, month: int, day: int | None) -> DateSpan | None:
    """Return a day or a whole month, of every year when none is given; None where there is no such day."""
    if day is None:
        span = _month_span(year or 2023, month)
        return DateSpan(span.start, span.end, yearly=year is None)
    # A leap year, so that 29 February is a day.
    exact = _existing(year or 2024, month, day)
    return None if exact is None else DateSpan(exact, exact, yearly=year is None)


def _ago(count: int, unit_days: int, today: date) -> DateSpan:
    """Return the days meant by so many days, weeks, months or years ago."""
    middle = today - timedelta(days=unit_days * count)
    slack = timedelta(days=_SLACK_DAYS[unit_days])
    return DateSpan(middle - slack, middle + slack)


def _week(offset: int, today: date) -> DateSpan:
    """Return the week `offset` weeks from this one, Monday to Sunday."""
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=offset)
    return DateSpan(monday, monday + timedelta(days=6))


def _weekday(number: int, when: str, today: date) -> DateSpan:
    """Return the weekday meant: "last Friday" is the one before today, "上周五" that of the week before."""
    if when in ("上", "这", "本", "下"):
        day = _week({"上": -1, "下": 1}.get(when, 0), today).start + timedelta(days=number)
    else:
        back = (today.weekday() - number) % 7 or 7
        day = today - timedelta(days=back) if when != "next" else today + timedelta(days=7 - back or 7)
    return _one_day(day)


def _weekend(when: str, today: date) -> DateSpan:
    """Return the Saturday and Sunday of this week, or the ones before today."""
    is_last = when == "last"
    saturday = (_weekday(_SATURDAY, when, today) if is_last else _week(0, today)).start
    saturday += timedelta(days=0 if is_last else _SATURDAY)
    return DateSpan(saturday, saturday + timedelta(days=1))


def _relative_month(offset: int, today: date) -> DateSpan:
    """Return the month `offset` months from this one."""
    months = today.year * 12 + today.month - 1 + offset
    return _month_span(months // 12, months % 12 + 1)


def _named_month(when: str, month: int, today: date) -> DateSpan:
    """Return the month that "last May", "this May" or "next May" means."""
    year = today.year
    if when in ("last", "previous"):
        year -= month >= today.month
    elif when == "next":
        year += month <= today.month
    return _month_span(year, month)


def _season(when: str, first: int, year: int | None, today: date) -> DateSpan:
    """Return the season that begins with the month `first`, of `year` or the one that `when` means."""
    chosen = today.year if year is None else year
    if year is None and (when in ("last", "去年") or (when != "this" and today.month < first)):
        chosen -= 1
    return _month_span(chosen, first, _SEASON_MONTHS)


def _month_span(year: int, month: int, count: int = 1) -> DateSpan:
    last = month + count - 1
    following = date(year + last // 12, last % 12 + 1, 1)
    return DateSpan(date(year, month, 1), following - timedelta(days=1))


def _existing(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _number(text: str) -> int:
    value = _VAGUE.get(text, number_value(text))
    if value is None:
        raise ValueError(f"{text!r} is no number")
    return value


def _optional(text: str | None) -> int | None:
    return _number(text) if text else None


# The longest first: text read by one form is not read again by a later one.
_WAYS: tuple[tuple[str, _Reader], ...] = (
    # Days and months by their numbers and names.
    (
        r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b",
        lambda m, _: _calendar_span(int(m[1]), int(m[2]), int(m[3])),
    ),
    (
        rf"({_HAN})年({_HAN})月(?:({_HAN})[日号])?",
        lambda m, _: _calendar_span(_number(m[1]), _number(m[2]), _optional(m[3])),
    ),
    (
        rf"(去|前|今|明)年({_HAN})月(?:({_HAN})[日号])?",
        lambda m, t: _calendar_span(t.year + _OFFSETS[m[1]], _number(m[2]), _optional(m[3])),
    ),
    (
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b(?:,? (\d{{4}})\b)?",
        lambda m, _: _calendar_span(_optional(m[3]), _MONTHS[m[2]], int(m[1])),
    ),
    (
        rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}})\b)?",
        lambda m, _: _calendar_span(_optional(m[3]), _MONTHS[m[1]], int(m[2])),
    ),
    (rf"\b({_MONTH}),? (?:of )?(\d{{4}})\b", lambda m, _: _calendar_span(int(m[2]), _MONTHS[m[1]], None)),
    # Months without a year, or with a word for it.
    (rf"\b(last|previous|this|next) ({_MONTH})\b", lambda m, t: _named_month(m[1], _MONTHS[m[2]], t)),
    # "may" and "march" are verbs too: alone they are months only after a preposition.
    (
        rf"\b(?:in|of|during|since|until|by|early|late|mid)[ -]({_MONTH})\b",
        lambda m, _: _calendar_span(None, _MONTHS[m[1]], None),
    ),
    (
        rf"({_HAN})月(?:({_HAN})[日号])?(?!前|后)",
        lambda m, _: _calendar_span(None, _number(m[1]), _optional(m[2])),
    ),
    (rf"\b(last|this|next) (?:week'?s? )?({_WEEKDAY})\b", lambda m, t: _weekday(_WEEKDAYS[m[2]], m[1], t)),
    (rf"\bon ({_WEEKDAY})\b", lambda m, t: _weekday(_WEEKDAYS[m[1]], "last", t)),
    (
        r"(上|这|本|下)个?(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, t: _weekday(_WEEKDAYS[m[2]], m[1], t),
    ),
    (r"\b(last|this) weekend\b", lambda m, t: _weekend(m[1], t)),
    (
        rf"\b({_COUNT})(?: of)? (day|week|month|year)s? ago\b",
        lambda m, t: _ago(_number(m[1]), _UNITS[m[2]], t),
    ),
    (
        rf"({_HAN})(天|日|周|个?星期|个月|年)(?:以|之)?前",
        lambda m, t: _ago(_number(m[1]), _UNITS[m[2]], t),
    ),
    (
        rf"\b(last|this)? ?({_SEASON})(?: of)? (\d{{4}})\b",
        lambda m, t: _season(m[1] or "", _SEASONS[m[2]], int(m[3]), t),
    ),
    (rf"\b(last|this) ({_SEASON})\b", lambda m, t: _season(m[1], _SEASONS[m[2]], None, t)),
    (r"(去年|今年)([春夏秋])[天季]?", lambda m, t: _season(m[1], _SEASONS[m[2]], None, t)),
    # Whole weeks, months and years by how far they are from now.
    (r"\b(last|previous|this|next) week\b", lambda m, t: _week(_OFFSETS[m[1]], t)),
    (r"(上个?|这个?|本|下个?)(?:周|星期|礼拜)", lambda m, t: _week(_OFFSETS[m[1]], t)),
    (r"\b(last|previous|this|next) month\b", lambda m, t: _relative_month(_OFFSETS[m[1]], t)),
    (r"(上个?|这个?|本|下个?)月", lambda m, t: _relative_month(_OFFSETS[m[1]], t)),
    (r"\b(last|previous|this|next) year\b", lambda m, t: _whole_year(t.year + _OFFSETS[m[1]])),
    (r"(去|前|今|明)年", lambda m, t: _whole_year(t.year + _OFFSETS[m[1]])),
    (
        rf"\b(?:{_NEAR_DAY})\b|(?:{_NEAR_DAY})",
        lambda m, t: _one_day(t + timedelta(days=_NEAR_DAYS[m[0]])),
    ),
    (
        r"\b(?:in|of|during|since) ((?:19|20)\d{2})\b|((?:19|20)\d{2})年",
        lambda m, _: _whole_year(int(m[1] or m[2])),
    ),
)
"""Every way to say a date, for lower-case text; a reader raises ValueError where there is no such date."""
_FORMS = tuple((re.compile(pattern), read) for pattern, read in _WAYS)
