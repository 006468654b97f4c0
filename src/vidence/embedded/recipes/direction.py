"""Which way something moves across the picture."""

from __future__ import annotations

from dataclasses import dataclass

from vidence.embedded.recipes.happening import watched
from vidence.embedded.recipes.moments import moment_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps
from vidence.embedded.recipes.timeline import Look, shown, stretches
from vidence.embedded.recipes.wording import between, pick, sentence
from vidence.ops.detect_objects import DetectedObject

__all__ = ["answer"]

_MOVES = 0.08
"""What moves less than this much of the picture's width stays where it is."""
_GROWS = 1.5


@dataclass(frozen=True)
class _Way:
    english: str
    chinese: str
    chance: float


def answer(inquiry: Inquiry) -> Steps:
    """Follow the thing from where it is first seen to where it is last seen in one go."""
    language = inquiry.form.language
    thing = next((one for one in inquiry.form.targets if one.category), None)
    if thing is None:
        return _untold(inquiry)
    moment = yield from moment_of(inquiry)
    looks = yield from watched(inquiry, thing, None if moment.whole else (moment.start_s, moment.end_s))
    run = max(stretches(looks, there=True), key=len, default=[])
    if len(run) < 2:
        return _untold(inquiry)
    way = _way(_largest(run[0]), _largest(run[-1]))
    # Among several it is not known that the same one was seen first and last.
    alone = sum(one.count == 1 for one in run) / len(run)
    when = between(run[0].time_s, run[-1].time_s, language)
    text = pick(language, f"{way.english} ({when})", f"{way.chinese}（{when}）")
    claims = shown((run[0], run[-1]), thing, language)
    return Finding(sentence(text, language), way.chance * (0.5 + 0.5 * alone), claims)


def _way(first: DetectedObject, last: DetectedObject) -> _Way:
    across = last.bbox[0] + last.bbox[2] / 2 - first.bbox[0] - first.bbox[2] / 2
    grown = (last.bbox[2] * last.bbox[3]) / max(first.bbox[2] * first.bbox[3], 1e-6)
    sure = 0.75 if abs(across) > 2 * _MOVES else 0.55
    if across > _MOVES:
        return _Way("to the right", "向右", sure)
    if across < -_MOVES:
        return _Way("to the left", "向左", sure)
    if grown > _GROWS:
        return _Way("towards the camera", "朝向镜头", 0.5)
    if grown < 1 / _GROWS:
        return _Way("away from the camera", "远离镜头", 0.5)
    return _Way("it hardly moves in the picture", "在画面中几乎不移动", 0.4)


def _largest(one: Look) -> DetectedObject:
    return max(one.objects, key=lambda thing: thing.bbox[2] * thing.bbox[3])


def _untold(inquiry: Inquiry) -> Finding:
    text = pick(
        inquiry.form.language,
        "It cannot be told which way: it was not followed in the picture.",
        "无法判断方向：没有在画面中跟踪到它。",
    )
    return Finding(text, 0.1, cannot_tell=True)
