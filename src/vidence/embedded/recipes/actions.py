"""What somebody does, what happens to a thing, and which way it moves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.recipes.happening import watched
from vidence.embedded.recipes.objects import TimedDetections, shown, stretches
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, read, sounds_of
from vidence.embedded.recipes.sounds import sound_words
from vidence.embedded.recipes.spans import QuestionSpan, find_span, place_clause
from vidence.embedded.recipes.wording import between, joined, pick, seconds, sentence
from vidence.language.phrases import phrase
from vidence.language.question import Target
from vidence.ops.describe_visual import DescribeVisualResult
from vidence.ops.detect_audio_events import AudioEvent
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.ops.recognize_activity import RecognizeActivityResult, RecognizedActivity
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["tell_action", "tell_direction"]

_STEPS_S = (-1.2, -0.6, -0.2, 0.4, 1.0, 1.8)
_SURE_SEEN = 0.4
_SURE_ACT = 0.35
_KNOCKS = frozenset({"impact", "explosion", "gunshot", "glass_breaking", "door_knock"})
_HAPPENS = re.compile(r"\bhappen|\bbecome|\bbefall|发生|怎么了|怎样了", re.IGNORECASE)
_EDGE = 0.06
_MOVES = 0.08
"""A smaller shift, as a share of the picture's width, is no movement."""
_GROWS = 1.5


@dataclass(frozen=True)
class _Sight:
    time_s: float
    box: tuple[float, float, float, float] | None
    record: EvidenceRecord


def tell_action(inquiry: Inquiry) -> Steps:
    """Name the action, or what happens to the thing asked about."""
    form = inquiry.form
    span = yield from find_span(inquiry)
    thing = next((one for one in form.targets if one.category), None)
    if span.whole and form.targets and form.action and not _HAPPENS.search(form.text):
        span = yield from place_clause(inquiry, form.targets[0].text)
    if thing is not None and _HAPPENS.search(form.text) and not span.whole:
        return (yield from _happens(inquiry, thing, span))
    return (yield from _does(inquiry, thing, span))


def _happens(inquiry: Inquiry, thing: Target, span: QuestionSpan) -> Steps:
    """Detect the thing shortly before and after, and check the sounds."""
    middle, last = span.middle_s, inquiry.duration_s - 0.05
    times = sorted({round(min(max(0.0, middle + step), last), 2) for step in _STEPS_S})
    start, end = max(0.0, middle - 1.5), min(inquiry.duration_s, middle + 2.0)
    sounds, *looks = yield [
        call("detect_audio_events", inquiry, time_range={"start_time": start, "end_time": end}),
        *(call("detect_objects", inquiry, timestamp=time, query=thing.head) for time in times),
    ]
    sights = [
        sight for time, one in zip(times, looks, strict=True) if (sight := _sight(time, one)) is not None
    ]
    knock = next((one for one in sounds_of(sounds) if one.event_type in _KNOCKS), None)
    change = _change(sights)
    if change is None and knock is None:
        return (yield from _does(inquiry, thing, span))
    return _told(inquiry, thing, sights, change, knock, sounds)


def _sight(time_s: float, record: EvidenceRecord | None) -> _Sight | None:
    found = read(record, DetectObjectsResult)
    if found is None or record is None:
        return None
    sure = [one for one in found.objects if one.confidence >= _SURE_SEEN]
    return _Sight(time_s, sure[0].bbox if sure else None, record)


def _change(sights: Sequence[_Sight]) -> str | None:
    """Return what happens to the thing: gone, left, right, appears, falls, rises."""
    seen = [one for one in sights if one.box]
    if not seen:
        return None
    first, last = seen[0], seen[-1]
    assert first.box is not None
    assert last.box is not None
    if last.time_s < sights[-1].time_s and sights[-1].box is None:
        centre = last.box[0] + last.box[2] / 2
        near_edge = last.box[0] < _EDGE or last.box[0] + last.box[2] > 1 - _EDGE
        return ("left" if centre < 0.5 else "right") if near_edge else "gone"
    if first.time_s > sights[0].time_s and sights[0].box is None:
        return "appears"
    rise = (first.box[1] + first.box[3] / 2) - (last.box[1] + last.box[3] / 2)
    return "falls" if rise < -0.12 else "rises" if rise > 0.12 else None


_CHANGES = {
    "gone": (
        "it is suddenly gone from the picture, as if knocked away or fallen",
        "它突然从画面中消失，像是被打落或掉下去了",
    ),
    "left": ("it leaves the picture at the left", "它从左边离开画面"),
    "right": ("it leaves the picture at the right", "它从右边离开画面"),
    "appears": ("it comes into the picture", "它进入画面"),
    "falls": ("it falls or moves down", "它掉下来或向下移动"),
    "rises": ("it rises or moves up", "它上升或向上移动"),
}


def _told(
    inquiry: Inquiry,
    thing: Target,
    sights: Sequence[_Sight],
    change: str | None,
    knock: AudioEvent | None,
    sounds: EvidenceRecord | None,
) -> Finding:
    language = inquiry.form.language
    parts, proofs = [], list[Claim]()
    if change is not None:
        parts.append(pick(language, *_CHANGES[change]))
        seen = [one for one in sights if one.box]
        at = seconds(seen[-1].time_s, language)
        told = pick(
            language,
            f"The {thing.category} is seen at {at}.",
            f"{at}时看到{thing.head}（{thing.category}）。",
        )
        proofs += claim(told, seen[-1].record, start_s=seen[-1].time_s, end_s=seen[-1].time_s)
    if knock is not None:
        at, name = seconds(knock.start_time, language), sound_words(knock, language)
        parts.append(
            pick(
                language,
                f"{name} is heard at {at}: something seems to hit it",
                f"{at}时听到{name}：似乎有东西打中了它",
            )
        )
        told = pick(language, f"{name} is heard at {at}.", f"{at}时听到{name}。")
        proofs += claim(told, sounds, start_s=knock.start_time, end_s=knock.end_time, quote=knock.event_type)
    text = sentence(pick(language, "; ", "；").join(parts), language)
    return Finding(text, 0.5 if len(parts) > 1 else 0.4, tuple(proofs))


def _does(inquiry: Inquiry, thing: Target | None, span: QuestionSpan) -> Steps:
    """Name the action, else describe the span."""
    language = inquiry.form.language
    start, end = span.start_s, max(span.end_s, span.start_s + 0.3)
    events, atoms, described = yield (
        call("recognize_activity", inquiry, start_time=start, end_time=end, granularity="event"),
        call("recognize_activity", inquiry, start_time=start, end_time=end, granularity="atomic"),
        call("describe_visual", inquiry, start_time=start, end_time=end, language=language),
    )
    named = [(one, record) for record in (events, atoms) for one in _acts(record)]
    sure = [each for each in named if each[0].confidence >= _SURE_ACT]
    seen = read(described, DescribeVisualResult)
    if not sure:
        text = seen.description if seen else phrase("cannot_tell", language)
        return Finding(text, 0.3 if seen else 0.1, claim(text, described), cannot_tell=seen is None)
    kept = [sure[0], *(each for each in sure[1:] if each[1] is not sure[0][1])][:2]
    words = list(dict.fromkeys(one.label.replace("_", " ") for one, _ in kept))
    proofs: list[Claim] = []
    for one, record in kept:
        first, last = one.start_time or start, one.end_time or end
        told = pick(
            language,
            f"What is done is {one.label.replace('_', ' ')}.",
            f"动作是 {one.label.replace('_', ' ')}。",
        )
        proofs += claim(told, record, start_s=first, end_s=last)
    text = sentence(joined(words, language), language)
    if seen is not None:
        text += pick(language, f" {seen.description}", seen.description)
        proofs += claim(seen.description, described)
    return Finding(text, 0.25 + 0.4 * kept[0][0].confidence, tuple(proofs))


def _acts(record: EvidenceRecord | None) -> list[RecognizedActivity]:
    found = read(record, RecognizeActivityResult)
    return sorted(found.activities, key=lambda one: -one.confidence) if found else []


@dataclass(frozen=True)
class _Direction:
    english: str
    chinese: str
    chance: float


def tell_direction(inquiry: Inquiry) -> Steps:
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
