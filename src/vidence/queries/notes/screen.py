"""Text on screen over a whole video: readings of one line merged, clocks joined, each line once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import groupby
from math import inf

from vidence.language.identify import count_han, has_han
from vidence.schema.observations import TextSeen
from vidence.schema.perception import Box

__all__ = ["MergedLine", "joined_blocks", "merge_lines", "tidy_text"]

_ONCE, _ONCE_LATIN, _AGAIN = 0.8, 0.9, 0.6
"""The least confidence of a line read once, of one in Latin letters, and of one read in several frames. On
strangers' clips all of 20 lines in Latin letters from .8 to .9 that were read once were wrong or cut off."""
_SAME_PLACE, _ELSEWHERE = 0.6, 0.88
"""The least likeness of two readings of one line: in the same place, and anywhere."""
_LEAST_LETTERS = 3
"""A Latin text of fewer letters that was read only once is mostly a mark or a pattern."""
_INSIDE = 0.6
"""Share of a line's box that lies in that of a longer one where it is a part of it, misread."""
_SHORT = 4
"""Shorter texts are the same only when they are equal."""
_RECENT = 80
"""How many earlier lines a reading is compared with; older ones must be equal."""
_MARKS = "☆★×▲▼◆●○■□>＞<＜|｜·•-_=~"
_DATE = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{2}|\d(?!\d))|\d{0,2}[-/]\d{2}(?=\s?\d{2}:)")
_CLOCK = re.compile(r"\d{1,2}[:：]\d{2}(?:[:：]\d{1,2})?")
_GLUED = re.compile(r"(\d{4}[-/.]\d{1,2}[-/.]\d{2}|\d{4}年\d{1,2}月\d{1,2}[日号])(?=\d{1,2}[:：]\d)")
_FIGURE = re.compile(r"[¥￥$€£]?\s?[\d.,]+\s?[%％kKwW万亿]?")
_ROW = 7.0
"""Heights beyond which a figure belongs to no label of its row."""
_WIDE = 16 / 9
"""Boxes are fractions of the picture; most pictures are this much wider than high."""
_LARGE = 0.08
"""Height, in pictures, of a character that is meant to be read by itself."""
_FULL_YEAR, _FULL_CLOCK = 4, 8
_STACKED, _BESIDE, _OVERLAP = 1.2, 1.2, 0.3


@dataclass
class MergedLine:
    """One line of text for as long as it was on screen."""

    start_s: float
    end_s: float
    box: Box
    readings: list[tuple[str, float]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The reading most like all others, weighted by confidence; of a running clock, its ends."""
        texts = [text for text, _ in self.readings]
        if any(_CLOCK.search(text) for text in texts) and len(set(texts)) > 1:
            return _clock_text(texts)
        if len(texts) == 1:
            return texts[0]
        counted = Counter(texts)
        best = {text: max(score for one, score in self.readings if one == text) for text in counted}
        return max(counted, key=lambda text: (_support(text, counted) * best[text], len(text)))

    @property
    def confidence(self) -> float:
        return max(score for _, score in self.readings)

    @property
    def is_legible(self) -> bool:
        """Whether it was read surely enough and says anything."""
        once = _ONCE if has_han(self.text) else _ONCE_LATIN
        needed = _AGAIN if len(self.readings) > 1 else once
        # A single small character is mostly an icon.
        is_icon = len(bare(self.text)) == 1 and self.box.h < _LARGE
        is_icon = is_icon or (len(self.readings) == 1 and self._is_mark)
        return self.confidence >= needed and _says_something(self.text) and not is_icon

    @property
    def _is_mark(self) -> bool:
        """Whether it is a letter or two in a small corner, such as a logo."""
        plain = bare(self.text)
        return plain.isalpha() and not has_han(plain) and len(plain) < _LEAST_LETTERS and self.box.h < _LARGE


def merge_lines(rows: Sequence[TextSeen]) -> list[MergedLine]:
    """Return every line of text once, in the order in which they appear, top to bottom."""
    lines: list[MergedLine] = []
    known: dict[str, MergedLine] = {}
    for row in rows:
        used: set[int] = set()
        for seen in row.lines:
            text = tidy_text(seen.text)
            if not text:
                continue
            box = Box(*seen.bbox)
            line = _same(text, box, row.start_time, lines[-_RECENT:], used) or known.get(bare(text))
            if line is None or id(line) in used:
                line = MergedLine(row.start_time, row.end_time, box)
                lines.append(line)
            line.readings.append((text, seen.confidence))
            line.end_s = max(line.end_s, row.end_time)
            known.setdefault(bare(text), line)
            used.add(id(line))
    legible = [line for line in lines if line.is_legible]
    return _in_known_script([line for line in legible if not any(_is_part(line, of) for of in legible)])


def _is_part(line: MergedLine, whole: MergedLine) -> bool:
    """Tell whether a line is a misread part of one that stands in its place before and after."""
    is_between = whole.start_s < line.start_s and line.end_s < whole.end_s
    is_rarer = len(line.readings) < len(whole.readings)
    inside = line.box.overlap(whole.box) >= _INSIDE * line.box.area
    return is_between and is_rarer and inside and len(bare(line.text)) < len(bare(whole.text))


def _in_known_script(lines: Sequence[MergedLine]) -> list[MergedLine]:
    """Leave out one repeated Chinese character among text without Chinese: it is a pattern, like a flag's."""
    strokes = [line for line in lines if has_han(line.text) and len(set(bare(line.text))) == 1]
    rest = [line for line in lines if line not in strokes]
    return list(lines) if not rest or any(has_han(line.text) for line in rest) else rest


def joined_blocks(lines: Sequence[MergedLine]) -> list[list[MergedLine]]:
    """Return lines that appear together grouped by their place: one below or beside the other."""
    blocks: list[list[MergedLine]] = []
    for _, group in groupby(lines, key=lambda line: line.start_s):
        here: list[list[MergedLine]] = []
        for line in _with_labels(list(group)):
            near = next((block for block in here if any(_adjoins(one.box, line.box) for one in block)), None)
            if near is None:
                here.append([line])
            else:
                near.append(line)
        blocks += here
    return blocks


def _with_labels(lines: Sequence[MergedLine]) -> list[MergedLine]:
    """Return lines with each bare figure joined to the label above it, else to those of its row."""
    units = list(lines)
    for figure in [line for line in lines if _FIGURE.fullmatch(line.text)]:
        own = next(unit for unit in units if figure is unit or _holds(unit, figure))
        beside = [one for one in units if one is not own and _row_gap(one.box, own.box) < _ROW]
        above = [one for one in units if not _FIGURE.fullmatch(one.text) and _is_above(one.box, own.box)]
        near = min(beside, key=lambda one: _row_gap(one.box, own.box), default=None)
        label = next(iter(above), near)
        if label is not None:
            first = min(units.index(label), units.index(own))
            units = [unit for unit in units if unit is not label and unit is not own]
            is_first = bool(above) or label.box.x < own.box.x
            units.insert(first, _joined(label, own) if is_first else _joined(own, label))
    return units


def _holds(unit: MergedLine, part: MergedLine) -> bool:
    return unit.box.overlap(part.box) >= 0.99 * part.box.area and part.text in unit.text


def _row_gap(one: Box, other: Box) -> float:
    """Return how many heights two boxes stand apart in one row; infinite where they do not."""
    if abs(one.centre[1] - other.centre[1]) >= max(one.h, other.h) / 2:
        return inf
    apart = max(one.x, other.x) - min(one.x + one.w, other.x + other.w)
    return max(apart * _WIDE, 0.0) / max(one.h, other.h)


def _is_above(label: Box, figure: Box) -> bool:
    """Tell whether a label stands right above a figure, with their left sides in line."""
    height = max(label.h, figure.h)
    in_line = abs(label.x - figure.x) * _WIDE < height / 2
    return in_line and -height / 2 < figure.y - (label.y + label.h) < height / 2


def _joined(first: MergedLine, second: MergedLine) -> MergedLine:
    left, top = min(first.box.x, second.box.x), min(first.box.y, second.box.y)
    right = max(first.box.x + first.box.w, second.box.x + second.box.w)
    bottom = max(first.box.y + first.box.h, second.box.y + second.box.h)
    return MergedLine(
        min(first.start_s, second.start_s),
        max(first.end_s, second.end_s),
        Box(left, top, right - left, bottom - top),
        [(f"{first.text} {second.text}", min(first.confidence, second.confidence))],
    )


def tidy_text(text: str) -> str:
    """Return a line without stray marks at its ends, with a date and a time set apart."""
    plain = " ".join(text.split()).strip(_MARKS + " ")
    return _GLUED.sub(r"\1 ", plain)


def bare(text: str) -> str:
    """Return a text as letters and digits alone, to compare readings."""
    return re.sub(r"[\W_]+", "", text).lower()


def _same(
    text: str, box: Box, start_s: float, lines: Sequence[MergedLine], used: set[int]
) -> MergedLine | None:
    """Return the line that a reading belongs to: in the same place, or in almost the same words."""
    for line in reversed(lines):
        if id(line) in used or line.start_s == start_s:
            continue
        last = line.readings[-1][0]
        is_here = _is_same_place(line.box, box)
        if is_here and _CLOCK.search(text) and _CLOCK.search(last):
            return line
        if _alike(text, last, _SAME_PLACE if is_here else _ELSEWHERE):
            return line
    return None


def _alike(one: str, other: str, least: float) -> bool:
    """Tell whether two readings are of one text; figures must agree, since 447 is not 448."""
    first, second = bare(one), bare(other)
    if first == second:
        return True
    if min(len(first), len(second)) < _SHORT or re.sub(r"\D", "", first) != re.sub(r"\D", "", second):
        return False
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.quick_ratio() >= least and matcher.ratio() >= least


def _is_same_place(one: Box, other: Box) -> bool:
    across = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
    return abs(one.centre[1] - other.centre[1]) < max(one.h, other.h) and across > 0


def _support(text: str, counted: Counter[str]) -> float:
    return sum(
        number * SequenceMatcher(None, text, other, autojunk=False).ratio()
        for other, number in counted.items()
    )


def _clock_text(texts: Sequence[str]) -> str:
    """Return a running clock as its date, its first and its last time, and the words beside it."""
    dates = Counter(match[0] for text in texts if (match := _DATE.search(text)))
    # Of a date that was cut at its beginning, the longest reading is the whole one.
    day = max(dates, key=lambda one: (_is_full(one), len(one), dates[one]), default="")
    times = [match[0] for text in texts if (match := _CLOCK.search(_DATE.sub(" ", text)))]
    full = [time for time in times if len(time) == _FULL_CLOCK] or times
    words = Counter(bare_words for text in texts if (bare_words := _words_beside(text)))
    ends = full[0] if full[0] == full[-1] else f"{full[0]} – {full[-1]}"
    beside = words.most_common(1)[0][0] if words else ""
    return " ".join(part for part in (day, ends, beside) if part)


def _words_beside(text: str) -> str:
    rest = _CLOCK.sub(" ", _DATE.sub(" ", text))
    return " ".join(rest.split()) if any(char.isalpha() for char in rest) else ""


def _is_full(day: str) -> bool:
    return len(re.split(r"[-/.]", day)[0]) == _FULL_YEAR


def _says_something(text: str) -> bool:
    letters = len(re.findall(r"[^\W\d_]", text)) - count_han(text)
    digits = len(re.findall(r"\d", text))
    return count_han(text) >= 2 or letters >= 2 or digits >= 1 or (has_han(text) and digits >= 1)


def _adjoins(one: Box, other: Box) -> bool:
    """Tell whether two lines of about one size stand below or beside one another."""
    height = max(one.h, other.h)
    across = min(one.x + one.w, other.x + other.w) - max(one.x, other.x)
    down = min(one.y + one.h, other.y + other.h) - max(one.y, other.y)
    below = across > _OVERLAP * min(one.w, other.w) and -down < _STACKED * height
    return below or (down > _OVERLAP * height and -across < _BESIDE * height)
