"""The ways to say a date in English and Chinese, each a pattern and how it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from vidence.language.dates.spans import (
    DateSpan,
    Unit,
    ago,
    calendar_span,
    named_month,
    one_day,
    relative_month,
    season,
    week,
    weekday,
    weekend,
    whole_year,
)
from vidence.language.numbers import NUMBER_WORD_PATTERN, number_value

__all__ = ["FORMS", "Reader"]

Reader = Callable[[re.Match[str], date], DateSpan | None]
Form = tuple[str, Reader]


def _numbered(rows: str, first: int) -> dict[str, int]:
    """Return the names of each row with the row's number; rows are separated by commas."""
    return {name: number for number, row in enumerate(rows.split(","), first) for name in row.split()}


_MONTHS = _numbered(
    "january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, "
    "september sep sept, october oct, november nov, december dec",
    first=1,
)
_DAYS = _numbered(
    "monday mon, tuesday tue tues, wednesday wed, thursday thu thurs, friday fri, saturday sat, sunday sun",
    first=0,
)
_CHINESE_DAYS = _numbered("一, 二, 三, 四, 五, 六, 日 天", first=0)
_VAGUE = {"a": 1, "an": 1, "couple": 2, "few": 3}
_SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11)}
_CHINESE_SEASONS = {"春": (3, 5), "夏": (6, 8), "秋": (9, 11)}
_NEAR_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1, "last night": -1, "tonight": 0}
_NEAR_DAYS |= {"今天": 0, "昨天": -1, "昨晚": -1, "前天": -2, "大前天": -3, "明天": 1, "后天": 2}
_NEAR_DAYS |= {"今早": 0, "今晚": 0}
_OFFSETS = {"last": -1, "previous": -1, "this": 0, "next": 1}
_OFFSETS |= {"上": -1, "上个": -1, "这": 0, "这个": 0, "本": 0, "下": 1, "下个": 1}
_OFFSETS |= {"去": -1, "前": -2, "今": 0, "明": 1}
_UNITS: dict[str, Unit] = {"day": "day", "week": "week", "month": "month", "year": "year"}
_UNITS |= {"天": "day", "日": "day", "周": "week", "星期": "week", "个星期": "week"}
_UNITS |= {"个月": "month", "年": "year"}


def _any_of(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_MONTH, _DAY, _NEAR_DAY = _any_of(_MONTHS), _any_of(_DAYS), _any_of(_NEAR_DAYS)
_COUNT = "|".join([r"\d{1,3}", NUMBER_WORD_PATTERN, *_VAGUE])
_HAN = r"[零〇一二两三四五六七八九十\d]{1,4}"


def _number(text: str) -> int:
    value = _VAGUE.get(text, number_value(text))
    if value is None:
        raise ValueError(f"{text!r} is no number")
    return value


def _optional(text: str | None) -> int | None:
    return _number(text) if text else None


def _calendar() -> Iterator[Form]:
    """Days and months by their numbers and names."""
    yield (
        r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b",
        lambda m, _: calendar_span(int(m[1]), int(m[2]), int(m[3])),
    )
    yield (
        rf"({_HAN})年({_HAN})月(?:({_HAN})[日号])?",
        lambda m, _: calendar_span(_number(m[1]), _number(m[2]), _optional(m[3])),
    )
    yield (
        rf"(去|前|今|明)年({_HAN})月(?:({_HAN})[日号])?",
        lambda m, t: calendar_span(t.year + _OFFSETS[m[1]], _number(m[2]), _optional(m[3])),
    )
    yield (
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b(?:,? (\d{{4}})\b)?",
        lambda m, _: calendar_span(_optional(m[3]), _MONTHS[m[2]], int(m[1])),
    )
    yield (
        rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}})\b)?",
        lambda m, _: calendar_span(_optional(m[3]), _MONTHS[m[1]], int(m[2])),
    )
    yield rf"\b({_MONTH}),? (?:of )?(\d{{4}})\b", lambda m, _: calendar_span(int(m[2]), _MONTHS[m[1]], None)


def _months() -> Iterator[Form]:
    """Months without a year, or with a word for it."""
    yield rf"\b(last|previous|this|next) ({_MONTH})\b", lambda m, t: named_month(m[1], _MONTHS[m[2]], t)
    # "may" and "march" are verbs too: alone they are months only after a preposition.
    yield (
        rf"\b(?:in|of|during|since|until|by|early|late|mid)[ -]({_MONTH})\b",
        lambda m, _: calendar_span(None, _MONTHS[m[1]], None),
    )
    yield (
        rf"({_HAN})月(?:({_HAN})[日号])?(?!前|后)",
        lambda m, _: calendar_span(None, _number(m[1]), _optional(m[2])),
    )


def _weekdays() -> Iterator[Form]:
    yield rf"\b(last|this|next) (?:week'?s? )?({_DAY})\b", lambda m, t: weekday(_DAYS[m[2]], m[1], t)
    yield rf"\bon ({_DAY})\b", lambda m, t: weekday(_DAYS[m[1]], "last", t)
    yield (
        r"(上|这|本|下)个?(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, t: weekday(_CHINESE_DAYS[m[2]], m[1], t),
    )
    yield r"\b(last|this) weekend\b", lambda m, t: weekend(m[1], t)


def _times_ago() -> Iterator[Form]:
    yield (
        rf"\b({_COUNT})(?: of)? (day|week|month|year)s? ago\b",
        lambda m, t: ago(_number(m[1]), _UNITS[m[2]], t),
    )
    yield (
        rf"({_HAN})(天|日|周|个?星期|个月|年)(?:以|之)?前",
        lambda m, t: ago(_number(m[1]), _UNITS[m[2]], t),
    )


def _seasons() -> Iterator[Form]:
    names = "|".join(_SEASONS)
    yield (
        rf"\b(last|this)? ?({names})(?: of)? (\d{{4}})\b",
        lambda m, t: season(m[1] or "", _SEASONS[m[2]], int(m[3]), t),
    )
    yield rf"\b(last|this) ({names})\b", lambda m, t: season(m[1], _SEASONS[m[2]], None, t)
    yield r"(去年|今年)([春夏秋])[天季]?", lambda m, t: season(m[1], _CHINESE_SEASONS[m[2]], None, t)


def _periods() -> Iterator[Form]:
    """Whole weeks, months and years by how far they are from now."""
    yield r"\b(last|previous|this|next) week\b", lambda m, t: week(_OFFSETS[m[1]], t)
    yield r"(上个?|这个?|本|下个?)(?:周|星期|礼拜)", lambda m, t: week(_OFFSETS[m[1]], t)
    yield r"\b(last|previous|this|next) month\b", lambda m, t: relative_month(_OFFSETS[m[1]], t)
    yield r"(上个?|这个?|本|下个?)月", lambda m, t: relative_month(_OFFSETS[m[1]], t)
    yield r"\b(last|previous|this|next) year\b", lambda m, t: whole_year(t.year + _OFFSETS[m[1]])
    yield r"(去|前|今|明)年", lambda m, t: whole_year(t.year + _OFFSETS[m[1]])


def _near_days_and_years() -> Iterator[Form]:
    yield (
        rf"\b(?:{_NEAR_DAY})\b|(?:{_NEAR_DAY})",
        lambda m, t: one_day(t + timedelta(days=_NEAR_DAYS[m[0]])),
    )
    yield (
        r"\b(?:in|of|during|since) ((?:19|20)\d{2})\b|((?:19|20)\d{2})年",
        lambda m, _: whole_year(int(m[1] or m[2])),
    )


# The longest first: what one form reads no later one reads again.
_FAMILIES = (_calendar, _months, _weekdays, _times_ago, _seasons, _periods, _near_days_and_years)
FORMS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), read) for family in _FAMILIES for pattern, read in family()
)
"""Every way to say a date, for lower-case text; a reader raises ValueError where there is no such date."""
