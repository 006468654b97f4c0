"""Which way a thing moves through the picture."""

from __future__ import annotations

from dataclasses import dataclass

from vidence.embedded.recipes.happening import watched
from vidence.embedded.recipes.objects import TimedDetections, shown, stretches
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps
from vidence.embedded.recipes.spans import find_span
from vidence.embedded.recipes.wording import between, pick, sentence
from vidence.ops.detect_objects import DetectedObject

__all__ = ["answer"]

_MOVES = 0.08
"""A smaller shift, as a share of the picture's width, is no movement."""
_GROWS = 1.5


@dataclass(frozen=True)
class _Direction:
    english: str
    chinese: str
    chance: float


def answer(inquiry: Inquiry) -> Steps:
    """Compare the first and last position of the thing in its longest run."""
    language = inquiry.form.language
    thing = next((one for one in inquiry.form.targets if one.category), None)
    if thing is None:
        return _untold(inquiry)
    span = yield from find_span(inquiry)
    looks = yield from watched(inquiry, thing, None if span.whole else (span.start_s, span.end_s))
    run = max(stretches(looks, there=True), key=len, default=[])
    if len(run) < 2:
        return _untold(inquiry)
    direction = _direction(_largest(run[0]), _largest(run[-1]))
    # With several objects, the first and the last may not be the same one.
    alone = sum(one.count == 1 for one in run) / len(run)
    when = between(run[0].time_s, run[-1].time_s, language)
    text = pick(language, f"{direction.english} ({when})", f"{direction.chinese}（{when}）")
    claims = shown((run[0], run[-1]), thing, language)
    return Finding(sentence(text, language), direction.chance * (0.5 + 0.5 * alone), claims)


def _direction(first: DetectedObject, last: DetectedObject) -> _Direction:
    across = last.bbox[0] + last.bbox[2] / 2 - first.bbox[0] - first.bbox[2] / 2
    grown = (last.bbox[2] * last.bbox[3]) / max(first.bbox[2] * first.bbox[3], 1e-6)
    sure = 0.75 if abs(across) > 2 * _MOVES else 0.55
    if across > _MOVES:
        return _Direction("to the right", "向右", sure)
    if across < -_MOVES:
        return _Direction("to the left", "向左", sure)
    if grown > _GROWS:
        return _Direction("towards the camera", "朝向镜头", 0.5)
    if grown < 1 / _GROWS:
        return _Direction("away from the camera", "远离镜头", 0.5)
    return _Direction("it hardly moves in the picture", "在画面中几乎不移动", 0.4)


def _largest(one: TimedDetections) -> DetectedObject:
    return max(one.objects, key=lambda thing: thing.bbox[2] * thing.bbox[3])


def _untold(inquiry: Inquiry) -> Finding:
    text = pick(
        inquiry.form.language,
        "It cannot be told which way: it was not followed in the picture.",
        "无法判断方向：没有在画面中跟踪到它。",
    )
    return Finding(text, 0.1, cannot_tell=True)
