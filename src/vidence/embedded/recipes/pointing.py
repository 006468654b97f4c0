"""Which of several objects a question points at: the left one, the one in front, the biggest."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from vidence.language.question.form import QuestionForm
from vidence.ops.detect_objects import DetectedObject

__all__ = ["in_position", "pointed_at", "position_in"]

_TOWARDS = re.compile(
    r"\b(?:to|towards?|from) the (?:left|right)\b|向[左右]|朝[左右]|从[左右]", re.IGNORECASE
)
_WORDS: tuple[tuple[str, str], ...] = (
    ("top left", r"\b(?:top|upper)[ -]left\b|左上"),
    ("top right", r"\b(?:top|upper)[ -]right\b|右上"),
    ("bottom left", r"\b(?:bottom|lower)[ -]left\b|左下"),
    ("bottom right", r"\b(?:bottom|lower)[ -]right\b|右下"),
    ("left", r"\bleft(?:most|-hand)?\b|左"),
    ("right", r"\bright(?:most|-hand)?\b|右"),
    ("middle", r"\b(?:middle|cent(?:er|re)|central)\b|中间|中央"),
    ("foreground", r"\bforeground\b|\bin front\b|\bclosest\b|\bnearest\b|前景|前面|近处"),
    ("background", r"\bbackground\b|\bin the distance\b|背景|远处"),
)


def position_in(form: QuestionForm) -> str | None:
    """Return the place in the picture that the question names, None when it names none."""
    if form.targets and form.targets[0].position:
        return form.targets[0].position
    text = _TOWARDS.sub(" ", form.text.lower())
    # "Right at the start" and "has left" are no places.
    text = re.sub(
        r"\bright (?:at|after|before|now|away)\b|\b(?:has|have|had) left\b|\bhand that\b", " ", text
    )
    return next((name for name, pattern in _WORDS if re.search(pattern, text)), None)


def pointed_at(objects: Sequence[DetectedObject], position: str) -> DetectedObject | None:
    """Return the object that is furthest to that place."""
    worth = _PLACES.get(position)
    return min(objects, key=worth, default=None) if worth else (objects[0] if objects else None)


def in_position(one: DetectedObject, position: str | None) -> bool:
    """Say whether an object lies in that part of the picture."""
    if position is None:
        return True
    x, y = _centre(one)
    sides = {"left": x < 0.5, "right": x > 0.5, "top": y < 0.5, "bottom": y > 0.5, "middle": 0.25 < x < 0.75}
    sides |= {"foreground": one.bbox[1] + one.bbox[3] > 0.55, "background": y < 0.6}
    return all(sides.get(word, True) for word in position.split())


def _centre(one: DetectedObject) -> tuple[float, float]:
    return one.bbox[0] + one.bbox[2] / 2, one.bbox[1] + one.bbox[3] / 2


_PLACES: dict[str, Callable[[DetectedObject], float]] = {
    "left": lambda one: _centre(one)[0],
    "right": lambda one: -_centre(one)[0],
    "top": lambda one: _centre(one)[1],
    "bottom": lambda one: -_centre(one)[1],
    "middle": lambda one: abs(_centre(one)[0] - 0.5),
    "top left": lambda one: sum(_centre(one)),
    "top right": lambda one: _centre(one)[1] - _centre(one)[0],
    "bottom left": lambda one: _centre(one)[0] - _centre(one)[1],
    "bottom right": lambda one: -sum(_centre(one)),
    "foreground": lambda one: -(one.bbox[1] + one.bbox[3]),
    "background": lambda one: one.bbox[1] + one.bbox[3],
}
