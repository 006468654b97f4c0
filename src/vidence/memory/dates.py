"""Dates as people say them, in English and Chinese: "last May", "3 days ago", "上周三", "2023年5月8日"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

__all__ = ["DateSpan", "find_dates", "to_date"]

_MONTHS = {
    name: number + 1
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ]
    )
    for name in names.split()
}
_DAYS = {
    name: number
    for number, names in enumerate(
        [
            "monday mon",
            "tuesday tue tues",
            "wednesday wed",
            "thursday thu thurs",
            "friday fri",
            "saturday sat",
            "sunday sun",
        ]
    )
    for name in names.split()
}
_NUMBERS = {
    w: n + 1
    for n, w in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}
_NUMBERS |= {"a": 1, "an": 1, "couple": 2, "few": 3}
_HAN_DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11)}
_SEASONS |= {"春": (3, 5), "夏": (6, 8), "秋": (9, 11)}

_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = "|".join(sorted(_DAYS, key=len, reverse=True))
_COUNT = rf"\d{{1,3}}|{'|'.join(_NUMBERS)}"
_HAN = r"[零〇一二两三四五六七八九十\d]{1,4}"


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

    def days_after(self, day: date) -> int | None:
        """Return how many days after the span `day` is; None when it is not after it."""
        end = self.end
        if self.yearly:
            end = _safe(day.year, end.month, end.day) or end
        return (day - end).days if day > end else None


def find_dates(text: str, *, today: date) -> list[DateSpan]:
    """Return the dates `text` speaks of, the relative ones counted from `today`."""
    found: list[tuple[int, int, DateSpan]] = []
    lowered = text.lower()
    for pattern, read in _PATTERNS:
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


def _safe(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month_span(year: int, month: int, months: int = 1) -> DateSpan:
    last = month + months - 1
    following = date(year + last // 12, last % 12 + 1, 1)
    return DateSpan(date(year, month, 1), following - timedelta(days=1))


def _absolute(year: int | None, month: int, day: int | None, today: date) -> DateSpan | None:
    if day is None:
        span = _month_span(year or 2023, month)
        return DateSpan(span.start, span.end, yearly=year is None)
    exact = _safe(year or 2024, month, day)
    return None if exact is None else DateSpan(exact, exact, yearly=year is None)


def _number(text: str) -> int:
    if text.isdigit():
        return int(text)
    if text in _NUMBERS:
        return _NUMBERS[text]
    if "十" in text:
        tens, _, ones = text.partition("十")
        return _HAN_DIGITS.get(tens, 1) * 10 + _HAN_DIGITS.get(ones, 0)
    return int("".join(str(_HAN_DIGITS[char]) if char in _HAN_DIGITS else char for char in text))


def _ago(count: int, unit: str, today: date) -> DateSpan:
    days = {"d": 1, "w": 7, "m": 30, "y": 365}[unit] * count
    slack = {"d": 0, "w": 3, "m": 15, "y": 182}[unit]
    middle = today - timedelta(days=days)
    return DateSpan(middle - timedelta(days=slack), middle + timedelta(days=slack))


def _week(offset: int, today: date) -> DateSpan:
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=offset)
    return DateSpan(monday, monday + timedelta(days=6))


def _weekday(weekday: int, when: str, today: date) -> DateSpan:
    """Return the weekday meant: "last Friday" is the one before today, "上周五" that of the week before."""
    if when in ("上", "这", "本", "下"):
        day = _week({"上": -1, "下": 1}.get(when, 0), today).start + timedelta(days=weekday)
    else:
        back = (today.weekday() - weekday) % 7 or 7
        day = today - timedelta(days=back) if when != "next" else today + timedelta(days=7 - back or 7)
    return DateSpan(day, day)


def _relative_month(offset: int, today: date) -> DateSpan:
    months = today.year * 12 + today.month - 1 + offset
    return _month_span(months // 12, months % 12 + 1)


def _day(day: date) -> DateSpan:
    return DateSpan(day, day)


def _year(year: int) -> DateSpan:
    return DateSpan(date(year, 1, 1), date(year, 12, 31))


def _named_month(when: str, month: int, today: date) -> DateSpan:
    year = today.year
    if when in ("last", "previous"):
        year -= month >= today.month
    elif when == "next":
        year += month <= today.month
    return _month_span(year, month)


def _season(when: str, name: str, year: str | None, today: date) -> DateSpan:
    first, last = _SEASONS[name]
    chosen = int(year) if year else today.year
    if not year and (when in ("last", "去年") or (when != "this" and today.month < first)):
        chosen -= 1
    return _month_span(chosen, first, last - first + 1)


def _whole_weekend(match: re.Match[str], today: date) -> DateSpan:
    saturday = (
        _weekday(5, match[1], today).start if match[1] == "last" else _week(0, today).start + timedelta(5)
    )
    return DateSpan(saturday, saturday + timedelta(days=1))


_DAY_WORDS = {"today": 0, "yesterday": -1, "tomorrow": 1, "last night": -1, "tonight": 0}
_DAY_WORDS |= {
    "今天": 0,
    "昨天": -1,
    "昨晚": -1,
    "前天": -2,
    "大前天": -3,
    "明天": 1,
    "后天": 2,
    "今早": 0,
    "今晚": 0,
}
_RELATIVE = {
    "last": -1,
    "previous": -1,
    "this": 0,
    "next": 1,
    "上": -1,
    "上个": -1,
    "这": 0,
    "这个": 0,
    "本": 0,
}
_RELATIVE |= {"下": 1, "下个": 1, "去": -1, "前": -2, "今": 0, "明": 1}
_UNITS = {"天": "d", "日": "d", "周": "w", "星期": "w", "个星期": "w", "个月": "m", "年": "y"}
_ZH_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}

Reader = Callable[[re.Match[str], date], DateSpan | None]


def _rows() -> Iterator[tuple[str, Reader]]:
    """The ways to say a date, the longest first: what one reads no later one reads again."""
    yield (
        r"\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b",
        lambda m, t: _absolute(int(m[1]), int(m[2]), int(m[3]), t),
    )
    yield (
        rf"({_HAN})年({_HAN})月(?:({_HAN})[日号])?",
        lambda m, t: _absolute(_number(m[1]), _number(m[2]), _number(m[3]) if m[3] else None, t),
    )
    yield (
        rf"(去|前|今|明)年({_HAN})月(?:({_HAN})[日号])?",
        lambda m, t: _absolute(t.year + _RELATIVE[m[1]], _number(m[2]), _number(m[3]) if m[3] else None, t),
    )
    yield (
        rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b(?:,? (\d{{4}})\b)?",
        lambda m, t: _absolute(int(m[3]) if m[3] else None, _MONTHS[m[2]], int(m[1]), t),
    )
    yield (
        rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}})\b)?",
        lambda m, t: _absolute(int(m[3]) if m[3] else None, _MONTHS[m[1]], int(m[2]), t),
    )
    yield rf"\b({_MONTH}),? (?:of )?(\d{{4}})\b", lambda m, t: _absolute(int(m[2]), _MONTHS[m[1]], None, t)
    yield rf"\b(last|previous|this|next) ({_MONTH})\b", lambda m, t: _named_month(m[1], _MONTHS[m[2]], t)
    # "may" and "march" are verbs too: alone they are months only after a preposition.
    yield (
        rf"\b(?:in|of|during|since|until|by|early|late|mid)[ -]({_MONTH})\b",
        lambda m, t: _absolute(None, _MONTHS[m[1]], None, t),
    )
    yield (
        rf"({_HAN})月(?:({_HAN})[日号])?(?!前|后)",
        lambda m, t: _absolute(None, _number(m[1]), _number(m[2]) if m[2] else None, t),
    )
    yield rf"\b(last|this|next) (?:week'?s? )?({_DAY})\b", lambda m, t: _weekday(_DAYS[m[2]], m[1], t)
    yield rf"\bon ({_DAY})\b", lambda m, t: _weekday(_DAYS[m[1]], "last", t)
    yield (
        r"(上|这|本|下)个?(?:周|星期|礼拜)([一二三四五六日天])",
        lambda m, t: _weekday(_ZH_WEEKDAYS[m[2]], m[1], t),
    )
    yield r"\b(last|this) weekend\b", _whole_weekend
    yield rf"\b({_COUNT})(?: of)? (day|week|month|year)s? ago\b", lambda m, t: _ago(_number(m[1]), m[2][0], t)
    yield (
        rf"({_HAN})(天|日|周|个?星期|个月|年)(?:以|之)?前",
        lambda m, t: _ago(_number(m[1]), _UNITS[m[2]], t),
    )
    yield (
        rf"\b(last|this)? ?({'|'.join(k for k in _SEASONS if k.isascii())})(?: of)? (\d{{4}})\b",
        lambda m, t: _season(m[1] or "", m[2], m[3], t),
    )
    yield r"\b(last|this) (spring|summer|autumn|fall)\b", lambda m, t: _season(m[1], m[2], None, t)
    yield r"(去年|今年)([春夏秋])[天季]?", lambda m, t: _season(m[1], m[2], None, t)
    yield r"\b(last|previous|this|next) week\b", lambda m, t: _week(_RELATIVE[m[1]], t)
    yield r"(上个?|这个?|本|下个?)(?:周|星期|礼拜)", lambda m, t: _week(_RELATIVE[m[1]], t)
    yield r"\b(last|previous|this|next) month\b", lambda m, t: _relative_month(_RELATIVE[m[1]], t)
    yield r"(上个?|这个?|本|下个?)月", lambda m, t: _relative_month(_RELATIVE[m[1]], t)
    yield r"\b(last|previous|this|next) year\b", lambda m, t: _year(t.year + _RELATIVE[m[1]])
    yield r"(去|前|今|明)年", lambda m, t: _year(t.year + _RELATIVE[m[1]])
    words = "|".join(sorted(_DAY_WORDS, key=len, reverse=True))
    yield rf"\b(?:{words})\b|(?:{words})", lambda m, t: _day(t + timedelta(days=_DAY_WORDS[m[0]]))
    yield (
        r"\b(?:in|of|during|since) ((?:19|20)\d{2})\b|((?:19|20)\d{2})年",
        lambda m, t: _year(int(m[1] or m[2])),
    )


_PATTERNS: list[tuple[re.Pattern[str], Reader]] = [(re.compile(text), read) for text, read in _rows()]
