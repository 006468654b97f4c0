"""Times in a video as people write them: 75 s, five seconds, 1:15, 1 minute 15 seconds, 第3秒, 10 to 12 s."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vidence.language.numbers import CHINESE_NUMERALS, NUMBER_WORD_PATTERN, number_value

__all__ = ["TimeMention", "TimePoint", "find_times", "without_times"]

_N = (
    r"(?<![A-Za-z0-9_.])(?:\d+(?:,\d{3})*(?:\.\d+)?"
    rf"|\b(?:{NUMBER_WORD_PATTERN})\b|(?<![哪每同下上这那])[{CHINESE_NUMERALS}]+)"
)
_SECONDS = r"(?:s|secs?|seconds?)(?![a-z])"
_MINUTES = r"(?:mins?|minutes?)(?![a-z])"
_AND = r"[\s,]*(?:and\s+)?"
_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\d:])(?:(?P<h>\d{1,2}):)?(?P<m>\d{1,2}):(?P<s>\d{2}(?:\.\d+)?)(?![\d:])",
        # Minutes: "10 m" alone is a length, 3分 alone a score.
        rf"(?:(?P<h>{_N})\s*(?:h|hours?)\b{_AND})(?P<m>{_N})\s*(?:m\b|{_MINUTES})(?:{_AND}(?P<s>{_N})\s*{_SECONDS})?",
        rf"(?P<m>{_N})\s*(?:m|{_MINUTES}){_AND}(?P<s>{_N})\s*{_SECONDS}",
        rf"(?P<m>{_N})(?:\s*|(?P<length>-)){_MINUTES}",
        rf"(?:(?P<h>{_N})\s*(?:小时|时(?!间)))\s*(?P<m>{_N})\s*分钟?\s*(?:(?P<s>{_N})\s*秒)?",
        rf"(?P<m>{_N})\s*分钟?\s*(?P<s>{_N})\s*秒|(?P<minutes>{_N})\s*分钟|第(?P<minute>{_N})\s*分",
        r"\b(?:at|in) (?:the )?(?:second|t\s*=)\s*(?P<s>\d+(?:\.\d+)?)\b",
        rf"(?P<s>{_N})(?:(?:\s*|-(?=seconds? mark)|(?P<length>-)){_SECONDS}|\s*秒钟?)",
    )
)
_TO = r"\s*(?:-|–|—|~|～|to|and|until|到|至)\s*第?"
_BETWEEN = re.compile(_TO, re.IGNORECASE)
_BARE_START = re.compile(rf"({_N}){_TO}$", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:\b(?:in|during|within|over) the (?:very )?(?:first|last)\s*"
    r"|\b(?:before|after|until|since|between|from|at|around|about|near|by)\s+(?:the\s+)?"
    r"|第|大约|约|在|最后|末尾|(?<![目之])前)+$",
    re.IGNORECASE,
)
_TRAIL = re.compile(r"处|时|左右|附近|\s*(?:之前|以前|之后|以后|前|后)")
_LONGEST_LEAD = 60


@dataclass(frozen=True)
class TimePoint:
    """One time in a text and where it stands."""

    value_s: float
    start: int
    end: int
    is_moment: bool = True
    """False for a length ("a 10-second clip") and for "one second", which is seldom a time in the video."""


@dataclass(frozen=True)
class TimeMention:
    """A moment, or a span between two points."""

    points: tuple[TimePoint, ...]

    @property
    def start(self) -> int:
        return self.points[0].start

    @property
    def end(self) -> int:
        return self.points[-1].end

    @property
    def start_s(self) -> float:
        return self.points[0].value_s

    @property
    def end_s(self) -> float:
        return self.points[-1].value_s

    @property
    def is_span(self) -> bool:
        return len(self.points) > 1


def find_times(text: str, *, moments_only: bool = True) -> list[TimeMention]:
    """Return the times a text names, in order; points joined by "to" or "and" are one span.

    Args:
        moments_only: leave out lengths and the bare "one second".
    """
    found: list[TimeMention] = []
    for point in _points(text):
        last = found[-1] if found else None
        if last and not last.is_span and _BETWEEN.fullmatch(text, last.end, point.start):
            found[-1] = TimeMention((*last.points, point))
            continue
        bare = _BARE_START.search(text[last.end if last else 0 : point.start])
        value = _value(bare[1]) if bare else None
        if bare is not None and value is not None:
            offset = last.end if last else 0
            start = TimePoint(value, offset + bare.start(1), offset + bare.end(1))
            found.append(TimeMention((start, point)))
        else:
            found.append(TimeMention((point,)))
    return [one for one in found if one.points[-1].is_moment or not moments_only]


def without_times(text: str) -> str:
    """Return the text without the words that only say when."""
    for mention in reversed(find_times(text)):
        before, after = text[: mention.start], text[mention.end :]
        lead, trail = _LEAD.search(before, max(0, len(before) - _LONGEST_LEAD)), _TRAIL.match(after)
        text = f"{before[: lead.start()] if lead else before} {after[trail.end() :] if trail else after}"
    return text


def _points(text: str) -> list[TimePoint]:
    found: list[TimePoint] = []
    for match in (match for form in _FORMS for match in form.finditer(text)):
        if all(match.end() <= one.start or one.end <= match.start() for one in found):
            found += _read(match)
    return sorted(found, key=lambda point: point.start)


def _read(match: re.Match[str]) -> Iterator[TimePoint]:
    parts = match.groupdict()
    minutes = parts.get("m") or parts.get("minutes") or parts.get("minute")
    values = [_value(part) if part else 0.0 for part in (parts.get("h"), minutes, parts.get("s"))]
    known = [value for value in values if value is not None]
    if len(known) == len(values):
        value_s = sum(scale * value for scale, value in zip((3600, 60, 1), known, strict=True))
        is_vague = match.group().lower().startswith(("one ", "一"))
        is_moment = not parts.get("length") and not is_vague
        yield TimePoint(value_s, match.start(), match.end(), is_moment)


def _value(written: str) -> float | None:
    """Return the value of digits, an English number word or a Chinese numeral."""
    if written[:1].isdecimal():
        return float(written.replace(",", ""))
    return number_value(written.lower())
