"""The checkable parts of a sentence: numbers, times, colours, names and quotations."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vidence.language.colours import colours_in
from vidence.language.numbers import Number, numbers_in
from vidence.language.quotations import quotations, without_quotations
from vidence.language.times import find_times

__all__ = ["Checkable", "checkables_in", "is_percentage", "named_frames", "without_references"]

Kind = Literal["number", "time", "colour", "name", "quote"]

_FRAME_LIST = re.compile(
    r"\bframes?[\s_#]*((?:\d+)(?:\s*(?:,|、|and|&|to|through|-|–|—)\s*(?:frames?[\s_]*)?\d+)*)"
    r"|第\s*(\d+(?:\s*(?:、|,|，|和|到|至|-|–|—)\s*第?\s*\d+)*)\s*帧|帧\s*(\d+(?:\s*(?:、|,|，|和|到|至|-|–)\s*\d+)*)",
    re.IGNORECASE,
)
_RECORD = re.compile(r"\b(?:rec|mem)_[0-9a-z]+\b", re.IGNORECASE)
_BOUND = re.compile(
    r"(?:first|last|within|before|after|until|till|by|over|under|than|least|most|every|for|前|后|内|近|每|超过|不到|至少|至多)"
    r"\s*(?:the\s+)?$",
    re.IGNORECASE,
)
_NAME = re.compile(r"\b[A-Z][a-zA-Z'’-]*[a-z][a-zA-Z'’-]*\b|\b[A-Z]{2,}\b")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;“\"'(\n]\s*|[.!?]\s+)$")
_NOT_NAMES = frozenset(
    re.findall(
        r"\w+",
        "I The A An It He She They We You Yes No Not There This That These Those In On At After Before When "
        "While Then First Second Third Finally Next Also And But Or So Because Frame Frames Video Question "
        "Answer Option Options Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February "
        "March April May June July August September October November December English Chinese TV OK AM PM",
    )
)


@dataclass(frozen=True)
class Checkable:
    """One checkable part of a sentence."""

    kind: Kind
    text: str
    value: float = 0.0
    noun: str = ""
    """The noun after a number: the thing that is counted."""
    is_loose: bool = False
    """True for a time that is only a bound: "in the first 10 seconds"."""


def checkables_in(text: str, *, given: str = "") -> list[Checkable]:
    """Return the checkable parts of a sentence, without names that the question itself gives."""
    rest = without_references(text)
    found = [Checkable("quote", quote) for quote in quotations(rest)]
    rest = without_quotations(rest, instead=" … ")
    times, rest = _times(rest)
    found += times
    found += [_number(number, rest) for number in numbers_in(rest) if _counts(number, rest)]
    found += [Checkable("colour", word, noun=family) for family, word in colours_in(rest).items()]
    return found + [Checkable("name", name) for name in _names(rest, given)]


def is_percentage(one: Checkable) -> bool:
    """Tell whether a number is a percentage: a confidence or a share."""
    return one.kind == "number" and one.noun.startswith(("%", "％", "per cent", "percent"))


def named_frames(text: str) -> list[int]:
    """Return the frames a text names: `Frame 6`, `frames 3 and 4`, `第6帧`; a range names all between."""
    frames: list[int] = []
    for match in _FRAME_LIST.finditer(text):
        listed = next(part for part in match.groups() if part)
        numbers = [int(part) for part in re.findall(r"\d+", listed)]
        is_range = len(numbers) == 2 and re.search(r"to|through|-|–|—|到|至", listed)
        if is_range and 0 <= numbers[1] - numbers[0] <= _LONGEST_RANGE:
            numbers = list(range(numbers[0], numbers[1] + 1))
        frames += numbers
    return list(dict.fromkeys(frames))


_LONGEST_RANGE = 50


def without_references(text: str) -> str:
    """Return a text without its mentions of frames and records, whose numbers are ids."""
    return _RECORD.sub(" ", _FRAME_LIST.sub(" ", text))


def _times(text: str) -> tuple[list[Checkable], str]:
    """Return the times a text names and the text without them."""
    found: list[Checkable] = []
    kept, position = [], 0
    for point in (point for one in find_times(text, moments_only=False) for point in one.points):
        written = text[point.start : point.end]
        loose = ":" not in written and bool(_BOUND.search(text[: point.start]))
        found.append(Checkable("time", written.strip(), point.value_s, is_loose=loose))
        kept.append(text[position : point.start])
        position = point.end
    return found, " ".join([*kept, text[position:]])


def _counts(number: Number, text: str) -> bool:
    """Leave out "one" and 一 where they are articles, and numbers that are part of a name like B12."""
    if not number.is_vague:
        return True
    return text.strip(" .。!！") == number.text


def _number(number: Number, text: str) -> Checkable:
    after = re.match(r"[\s-]*([^\d.,;:!?，。；：！？()]{0,40})", text[number.end :])
    return Checkable("number", number.text, number.value, after.group(1).strip() if after else "")


def _names(text: str, given: str) -> list[str]:
    """Return capitalised words, except those that open a sentence."""
    found = []
    for match in _NAME.finditer(text):
        name = match[0].removesuffix("'s").removesuffix("’s")
        opens = bool(_SENTENCE_START.search(text[: match.start()]))
        follows = _NAME.match(text, match.end() + 1) if text[match.end() : match.end() + 1] == " " else None
        if name in _NOT_NAMES or (opens and not follows and not name.isupper()):
            continue
        if name.lower() not in given.lower():
            found.append(name)
    return list(dict.fromkeys(found))
