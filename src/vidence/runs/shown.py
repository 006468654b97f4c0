"""What a stretch of notes shows: its place, what is seen in order, and what is done."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vidence.runs.sentences import says_the_same
from vidence.schema.reading import NotedLine

__all__ = ["Shown", "is_made", "is_telling", "lasts", "shown"]

_MOST_SEEN = 3
_CLEAR = 0.65
_MOSTLY, _PARTLY = 0.5, 0.25
"""The share of the time for which a place or a kind of picture must be told to count for all of it; of a
place where nothing else is known."""
_MADE = re.compile(r"^(?:The picture is a |画面是(?:录屏|图形))")
"""A screen recording or a graphic."""
_PLAIN = re.compile(r"^(?:The screen is plain|画面是一片)")
_CAMERA = re.compile(r"^(?:The camera|The picture is (?!a )|镜头|画面(?:明亮|较暗|以|是黑白))")
_WHERE = re.compile(
    r"^(?:The [\w ]+ (?:is|are) (?:on|in) the (?:left|right|middle)|(?!画面)[^，；人]+在画面(?:左|右|中))"
)
"""Where something stands that another note has named."""
_MORE = re.compile(r"^(?:One(?:,| \w+s\b)|.+\b(?:is|are) also in view$|一人|画面中还有)")
"""What goes on about the people and things of the note before."""


class Shown(NamedTuple):
    """The notes that tell most of what a stretch shows."""

    places: list[NotedLine]
    seen: list[NotedLine]
    actions: list[NotedLine]


def shown(lines: Sequence[NotedLine]) -> Shown:
    """Return the place, what is seen in order, and the action: those that last longest."""
    starts, ends = [line.start_time for line in lines], [line.end_time for line in lines]
    length = max(ends, default=0.0) - min(starts, default=0.0)
    seen = _seen(lines, length)
    actions = sorted((line for line in lines if line.kind == "action"), key=lasts)[-1:]
    return Shown(_place(lines, (_MOSTLY if seen or actions else _PARTLY) * length), seen, actions)


def is_telling(line: NotedLine) -> bool:
    """Tell whether a note says something by itself, not only of the camera or of what another one names."""
    return not any(form.match(line.text) for form in (_CAMERA, _WHERE, _MORE, _MADE, _PLAIN))


def is_made(line: NotedLine) -> bool:
    """Tell whether a note says only that the picture was not filmed."""
    return bool(_MADE.match(line.text))


def lasts(line: NotedLine) -> float:
    """Return how long a note holds."""
    return line.end_time - line.start_time


def _place(lines: Sequence[NotedLine], least_s: float) -> list[NotedLine]:
    """Return the place that holds for this long or longer: where places change, none of them is the place."""
    places = [line for line in lines if line.kind == "place"]
    total: dict[str, float] = defaultdict(float)
    for line in places:
        total[_side(line.text)] += lasts(line)
    best = max(total, key=lambda side: total[side], default="")
    if total.get(best, 0.0) <= least_s:
        return []
    return sorted((line for line in places if _side(line.text) == best), key=lasts)[-1:]


def _side(text: str) -> str:
    """Return a place without the time of day, the weather and what it may be."""
    return re.split(r"[,，]", text)[0]


def _seen(lines: Sequence[NotedLine], length: float) -> list[NotedLine]:
    found = [line for line in lines if line.kind == "seen" and not line.name]
    found = [line for line in found if not (_CAMERA.match(line.text) or _WHERE.match(line.text))]
    made = _mostly(line for line in found if _MADE.match(line.text))
    subjects = [line for line in found if not (_MADE.match(line.text) or _MORE.match(line.text))]
    if sum(map(lasts, made)) > _MOSTLY * length:
        subjects += made[:1]
    # Where something is in view, an empty screen is not told, nor a guess where something is sure.
    subjects = [line for line in subjects if not _PLAIN.match(line.text)] or subjects
    subjects = [line for line in subjects if line.confidence >= _CLEAR] or subjects
    best: list[NotedLine] = []
    for line in sorted(subjects, key=lambda line: -lasts(line) * line.confidence):
        if len(best) < _MOST_SEEN and not any(says_the_same(line.text, other.text) for other in best):
            best.append(line)
    best += [more for line in best if (more := _more_of(line, found)) is not None]
    # What is told of one moment stays in its order: "two people … one …, the other …".
    order = {id(line): index for index, line in enumerate(lines)}
    return sorted(best, key=lambda one: (one.start_time, order[id(one)]))


def _mostly(lines: Iterable[NotedLine]) -> list[NotedLine]:
    """Return the notes of the text that holds longest, the longest note first."""
    by_text: dict[str, list[NotedLine]] = defaultdict(list)
    for line in lines:
        by_text[line.text].append(line)
    best = max(by_text.values(), key=lambda same: sum(map(lasts, same)), default=[])
    return sorted(best, key=lasts, reverse=True)


def _more_of(subject: NotedLine, lines: Sequence[NotedLine]) -> NotedLine | None:
    """Return the note that goes on about the same people, right after the one that names them."""
    after = lines[lines.index(subject) + 1 :]
    return next(
        (line for line in after[:1] if _MORE.match(line.text) and line.start_time == subject.start_time), None
    )
