"""The scene: where it is, where in the picture a thing is, which way it goes, and how the camera moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.recipes.happening import watched
from vidence.embedded.recipes.objects import TimedDetections, centre_of, looks_of, shown, stretches
from vidence.embedded.recipes.recipe import (
    Finding,
    Inquiry,
    Steps,
    StepsOf,
    call,
    claim,
    has_cue,
    read,
    unseen,
    untold,
)
from vidence.embedded.recipes.spans import QuestionSpan, find_span, sample_times
from vidence.embedded.recipes.wording import between, pick, seconds, sentence
from vidence.language.labels import label_in
from vidence.language.question import Target
from vidence.language.tables import read_table
from vidence.ops.detect_objects import DetectedObject
from vidence.ops.get_scene_attributes import GetSceneAttributesResult
from vidence.schema.evidence import EvidenceRecord

__all__ = [
    "SceneLook",
    "most_agree",
    "scene_words",
    "scenes_at",
    "tell_camera",
    "tell_direction",
    "tell_place",
]

_FRAMES = 5
_STATIC = "static"
_STILL_SHARE = 0.6
_MOTIONS = ("zoom", "pan", "tilt", "moving", "static")
_MOVES = 0.08
"""A smaller shift, as a share of the picture's width, is no movement."""
_GROWS = 1.5


@dataclass(frozen=True)
class SceneLook:
    """The attributes of the scene at one time."""

    time_s: float
    record: EvidenceRecord
    scene: GetSceneAttributesResult


def scenes_at(inquiry: Inquiry, times: Sequence[float], **more: object) -> StepsOf[list[SceneLook]]:
    """Return the attributes of the scene at several times; times whose call failed are left out."""
    records = yield [call("get_scene_attributes", inquiry, timestamp=time_s, **more) for time_s in times]
    return [
        SceneLook(time_s, record, scene)
        for time_s, record in zip(times, records, strict=True)
        if record is not None and (scene := read(record, GetSceneAttributesResult)) is not None
    ]


def scene_words(attribute: str, value: str) -> tuple[str, str]:
    """Return a value of a scene's attribute in English and Chinese."""
    kind = {"location": "place", "time_of_day": "time"}.get(attribute, attribute)
    for row in read_table("scene_names.tsv"):
        if row[:2] == [kind, value]:
            return row[2], row[3]
    plain = value.partition("_")[2].replace("_", " ") or value
    return plain, plain


def tell_place(inquiry: Inquiry) -> Steps:
    """Name the place, or the position of a thing in the picture."""
    span, text = (yield from find_span(inquiry)), inquiry.form.text
    thing = next((one for one in inquiry.form.targets if one.category and one.category != "person"), None)
    if thing is not None and (has_cue("in_picture", text) or not has_cue("place_asked", text)):
        return (yield from _in_picture(inquiry, thing, span))
    looks = yield from scenes_at(inquiry, sample_times(span, _FRAMES))
    agreed = most_agree(looks, "location")
    if agreed is None:
        return untold(inquiry, "no_place", record=looks[0].record if looks else None)
    place, count, record = agreed
    words = pick(inquiry.language, *scene_words("location", place))
    told = pick(inquiry.language, f"The place is {place.replace('_', ' ')}", f"地点是{words}（{place}）")
    sure = 0.3 + 0.3 * count / len(looks)
    return Finding(sentence(words, inquiry.language), sure, claim(told, record, quote=place))


def most_agree(looks: Sequence[SceneLook], attribute: str) -> tuple[str, int, EvidenceRecord] | None:
    """Return the value that most looks see, how many do, and the first record of it; None where none does."""
    seen = [(value, one.record) for one in looks if (value := getattr(one.scene, attribute))]
    if not seen:
        return None
    value, count = Counter(value for value, _ in seen).most_common(1)[0]
    return value, count, next(record for its, record in seen if its == value)


def _in_picture(inquiry: Inquiry, thing: Target, span: QuestionSpan) -> Steps:
    records = yield [
        call("detect_objects", inquiry, timestamp=time_s, query=thing.head)
        for time_s in sample_times(span, _FRAMES)
    ]
    found = [(_position(one.objects[0]), one) for one in looks_of(records) if one.objects]
    if not found:
        return unseen(inquiry, "no_such_thing", thing, record=records[0] if records else None)
    place, count = Counter(position for position, _ in found).most_common(1)[0]
    look = next(one for position, one in found if position == place)
    seen, words = look.objects[0].category, inquiry.say(f"position_{place}")
    name = pick(inquiry.language, seen, thing.head)
    told = inquiry.say("thing_at", name, at=seconds(look.time_s, inquiry.language), place=words)
    sure = 0.35 + 0.3 * count / len(found)
    return Finding(sentence(words, inquiry.language), sure, claim(told, look.record, quote=seen))


def _position(thing: DetectedObject) -> str:
    x, y = centre_of(thing)
    column = "left" if x < 0.36 else "right" if x > 0.64 else "middle"
    row = "top_" if y < 0.3 else "bottom_" if y > 0.75 else ""
    return f"{row}{column}"


def tell_camera(inquiry: Inquiry) -> Steps:
    """Return the most common camera motion of several times."""
    span = yield from find_span(inquiry)
    looks = yield from scenes_at(inquiry, sample_times(span, _FRAMES), attributes=["camera_motion"])
    told = [(one, str(one.scene.camera_motion)) for one in looks if one.scene.camera_motion]
    if not told:
        return untold(inquiry, "no_camera")
    still = sum(motion == _STATIC for _, motion in told) / len(told)
    motion = Counter(motion for _, motion in told).most_common(1)[0][0]
    if motion == _STATIC and still < _STILL_SHARE:
        motion = next(own for _, own in told if own != _STATIC)
    look = next(one for one, own in told if own == motion)
    agreed = still if motion == _STATIC else 1 - still
    said = pick(
        inquiry.language,
        f"At {seconds(look.time_s, 'en')} the camera motion is {motion.replace('_', ' ')}.",
        f"{seconds(look.time_s, 'zh')}时镜头运动为 {motion}。",
    )
    return Finding(_worded(inquiry, motion), 0.45 + 0.45 * agreed, claim(said, look.record), said)


def _worded(inquiry: Inquiry, motion: str) -> str:
    form, is_static = inquiry.form, motion == _STATIC
    plain = inquiry.say("camera_static")
    if not is_static:
        plain = inquiry.say("camera_moving", label_in(motion, inquiry.language))
    asked = [kind for kind in _MOTIONS if has_cue(f"camera_{kind}", form.text)]
    if len(asked) != 1 or not has_cue("yes_no", form.asked) or form.alternatives:
        return plain
    holds = {"static": is_static, "moving": not is_static}.get(asked[0], asked[0] in motion)
    return inquiry.say("yes_that" if holds else "no_that", plain.lower())


def tell_direction(inquiry: Inquiry) -> Steps:
    """Compare the first and last position of the thing in its longest run."""
    thing = next((one for one in inquiry.form.targets if one.category), None)
    if thing is None:
        return untold(inquiry, "no_direction")
    span = yield from find_span(inquiry)
    looks = yield from watched(inquiry, thing, None if span.whole else (span.start_s, span.end_s))
    run = max(stretches(looks, there=True), key=len, default=[])
    if len(run) < 2:
        return untold(inquiry, "no_direction")
    direction, chance = _direction(_largest(run[0]), _largest(run[-1]))
    # With several objects, the first and the last may not be the same one.
    alone = sum(one.count == 1 for one in run) / len(run)
    when = between(run[0].time_s, run[-1].time_s, inquiry.language)
    text = inquiry.say("with_time", inquiry.say(f"direction_{direction}"), when=when)
    claims = shown((run[0], run[-1]), thing, inquiry.language)
    return Finding(sentence(text, inquiry.language), chance * (0.5 + 0.5 * alone), claims)


def _direction(first: DetectedObject, last: DetectedObject) -> tuple[str, float]:
    """Return which way a thing went and how probable that is."""
    across = centre_of(last)[0] - centre_of(first)[0]
    grown = (last.bbox[2] * last.bbox[3]) / max(first.bbox[2] * first.bbox[3], 1e-6)
    if abs(across) > _MOVES:
        return "right" if across > 0 else "left", 0.75 if abs(across) > 2 * _MOVES else 0.55
    if grown > _GROWS:
        return "near", 0.5
    return ("far", 0.5) if grown < 1 / _GROWS else ("none", 0.4)


def _largest(one: TimedDetections) -> DetectedObject:
    return max(one.objects, key=lambda thing: thing.bbox[2] * thing.bbox[3])
