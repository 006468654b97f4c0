"""When a question is about: seconds, clock times, the start and the end, before and after something."""

from __future__ import annotations

import re
from typing import cast

from vidence.language.question.form import Anchor, Relation
from vidence.language.tables import patterns_of

__all__ = ["find_anchors", "find_moments", "without_times"]

_N = r"(\d+(?:\.\d+)?)"
_CLOCK = r"(\d{1,2}):(\d{2}(?:\.\d+)?)"
_UNIT = r"\s*(?:s|secs?|seconds?|秒钟?)(?![a-z])"
_SPAN = re.compile(
    rf"(?:between|from|第|在)?\s*{_N}(?:{_UNIT})?\s*(?:-|–|—|~|～|to|and|until|到|至)\s*第?{_N}{_UNIT}",
    re.IGNORECASE,
)
_CLOCKS = re.compile(rf"{_CLOCK}\s*(?:-|–|—|~|to|and|until|到|至)\s*{_CLOCK}", re.IGNORECASE)
_MINUTES = re.compile(
    r"第?(\d+)\s*(?:分钟?|minutes?|mins?|m)\s*(?:and\s+)?(\d+(?:\.\d+)?)\s*(?:秒|seconds?|secs?|s)(?![a-z])",
    re.IGNORECASE,
)
_FIRST_S = re.compile(
    rf"(?:\b(?:in|during|within|over) the (?:very )?first|(?<![目之])前)\s*{_N}{_UNIT}", re.IGNORECASE
)
_LAST_S = re.compile(
    rf"(?:\b(?:in|during|within|over) the (?:very )?last|最后|末尾)\s*{_N}{_UNIT}", re.IGNORECASE
)
_SIDE = re.compile(
    rf"\b(before|after|until|since)\s+(?:about\s+|around\s+)?(?:the\s+)?{_N}{_UNIT}", re.IGNORECASE
)
_SIDE_ZH = re.compile(rf"第?{_N}\s*秒(?:钟)?\s*(之前|以前|之后|以后|前|后)")
_MOMENT = re.compile(
    rf"(?:\b(?:at|around|about|near|by)\s+|第|大约|约|在)*(?:about\s+|around\s+)?{_N}{_UNIT}(?:处|时|左右|附近)?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\b(?:at|in) (?:the )?(?:second|t\s*=)\s*(\d+(?:\.\d+)?)\b", re.IGNORECASE)
_CLOCK_AT = re.compile(rf"(?<![\d:]){_CLOCK}(?![\d:])")

_CLAUSE = re.compile(
    r"(?<!^)\b(while|during|whilst|as soon as|once|right before|just before|before|right after|"
    r"just after|after|until|when)\s+(?!or\b)(?!the clip\b|the video\b|\d)([^?,;:.]+)",
    re.IGNORECASE,
)
_IN_SCENE = re.compile(
    r"\b(?:in|accompanies|at) (the [\w' -]+? (?:scene|shot|sequence|part))\b", re.IGNORECASE
)
_CLAUSE_ZH: tuple[tuple[Relation, str], ...] = (
    ("before", r"在?([^，。？,?还]{2,}?)(?:之前|以前)"),
    ("after", r"在?([^，。？,?还]{2,}?)(?:之后|以后)"),
    (
        "while",
        r"(?:当|在)?([^，。？,?还什几]{2,}?)(?:的时候|的同时|期间|时[，,]|的?过程中|(?:场景|会议)[里中])",
    ),
)
_ASKED_ZH = re.compile(r"什么时候|什么时间|何时|第?几秒|哪一?秒")
_RELATIONS: dict[str, Relation] = {
    "while": "while", "whilst": "while", "during": "while", "when": "while",
    "as soon as": "after", "once": "after", "right after": "after", "just after": "after", "after": "after",
    "right before": "before", "just before": "before", "before": "before", "until": "before",
}  # fmt: skip


def find_anchors(text: str) -> tuple[Anchor, ...]:
    """Return every pointer in time, numbers first."""
    found = _numbers(text)
    rest = without_times(text)
    edges = [
        (cast("Relation", relation), match)
        for relation, pattern in patterns_of("question_edges.tsv").items()
        if (match := pattern.search(rest))
    ]
    found += [Anchor(relation) for relation, _ in edges]
    return (*found, *_clauses(rest, [match.span() for _, match in edges]))


def find_moments(text: str) -> tuple[float, ...]:
    """Return every time a text names, in seconds, in the order they stand."""
    found = [(match.start(), _clock(match[1], match[2])) for match in _MINUTES.finditer(text)]
    found += [(match.start(), _clock(match[1], match[2])) for match in _CLOCK_AT.finditer(text)]
    rest = _CLOCK_AT.sub(_blank, _MINUTES.sub(_blank, text))
    for match in _SPAN.finditer(rest):
        found += [(match.start(1), float(match[1])), (match.start(2), float(match[2]))]
    found += [(match.start(1), float(match[1])) for match in _MOMENT.finditer(_SPAN.sub(_blank, rest))]
    return tuple(time_s for _, time_s in sorted(found))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def without_times(text: str) -> str:
    """Return the text without the numbers that only say when."""
    for pattern in (
        _FIRST_S,
        _LAST_S,
        _SIDE,
        _SIDE_ZH,
        _SPAN,
        _CLOCKS,
        _MINUTES,
        _MOMENT,
        _CLOCK_AT,
        _ORDINAL,
    ):
        text = pattern.sub(" ", text)
    return text


def _numbers(text: str) -> list[Anchor]:
    if match := _FIRST_S.search(text):
        return [Anchor("at", 0.0, float(match[1]))]
    if match := _LAST_S.search(text):
        return [Anchor("end", None, float(match[1]))]
    if match := _CLOCKS.search(text):
        return [Anchor("at", _clock(match[1], match[2]), _clock(match[3], match[4]))]
    if match := _SPAN.search(text):
        return [Anchor("at", float(match[1]), float(match[2]))]
    if match := _SIDE.search(text):
        return [_side(match[1].lower(), float(match[2]))]
    if match := _SIDE_ZH.search(text):
        return [_side("before" if match[2].endswith("前") else "after", float(match[1]))]
    if match := _MINUTES.search(text):
        return [_at(_clock(match[1], match[2]))]
    if match := _CLOCK_AT.search(text):
        return [_at(_clock(match[1], match[2]))]
    if match := (_ORDINAL.search(text) or _MOMENT.search(text)):
        return [_at(float(match[1]))]
    return []


def _clock(minutes: str, seconds: str) -> float:
    return int(minutes) * 60 + float(seconds)


def _at(time_s: float) -> Anchor:
    return Anchor("at", time_s, time_s)


def _side(word: str, time_s: float) -> Anchor:
    return Anchor("before" if word in ("before", "until") else "after", time_s, time_s)


def _clauses(text: str, edges: list[tuple[int, int]]) -> list[Anchor]:
    found = []
    for match in _CLAUSE.finditer(text):
        inside = any(start <= match.start() < end for start, end in edges)
        if (
            not inside
            and not re.match(r"\W*(which|what)\b", match[2])
            and "before or after" not in text.lower()
        ):
            found.append(Anchor(_RELATIONS[match[1].lower()], clause=match[2].strip()))
    scene = _IN_SCENE.search(text)
    if scene and not any(start <= scene.start() < end for start, end in edges):
        found.append(Anchor("while", clause=scene[1]))
    for relation, pattern in _CLAUSE_ZH:
        match_zh = re.search(pattern, _ASKED_ZH.sub("", text))
        if match_zh and not re.search(r"之前还是|先还是", text):
            found.append(Anchor(relation, clause=match_zh[1].strip("，, 在当")))
    return found
