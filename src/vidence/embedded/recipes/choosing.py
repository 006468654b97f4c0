"""Which of the choices a question offers: each is looked for, and the best found wins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.locate import hits_of
from vidence.embedded.recipes.moments import moment_of, sample_times
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.wording import pick, seconds
from vidence.language.phrases import phrase
from vidence.ops.detect_objects import DetectObjectsResult
from vidence.ops.get_scene_attributes import GetSceneAttributesResult
from vidence.schema.evidence import EvidenceRecord

__all__ = ["choose"]

_LOOKS = 3
_LEAST = 0.08
_SCENE = (
    # What the scene says, and the words of a choice that mean it.
    ("location", r"^indoor", r"\bindoors?\b|\binside\b|室内|屋内|里面"),
    ("location", r"^outdoor", r"\boutdoors?\b|\boutside\b|室外|户外|外面"),
    ("time_of_day", r"day|dawn|morning", r"\bday(?:time|light)?\b|白天|日间"),
    ("time_of_day", r"night|dusk", r"\bnight(?:time)?\b|夜|晚上"),
    ("camera_motion", r"^static", r"\bstatic\b|\bstill\b|静止|固定"),
    ("camera_motion", r"^(?!static)", r"\bmov\w+|移动|运动"),
    ("lighting", r"bright", r"\bbright\b|明亮"),
    ("lighting", r"dim|dark", r"\bdark\b|\bdim\b|昏暗|黑暗"),
)


def choose(inquiry: Inquiry) -> Steps:
    """Weigh each choice by the scene's attributes, by search and by what looks like it."""
    choices = inquiry.form.alternatives
    moment = yield from moment_of(inquiry)
    times = sample_times(moment, _LOOKS)
    if not choices:
        return (yield from _described(inquiry, times[0]))
    (scene,) = yield [call("get_scene_attributes", inquiry, timestamp=times[len(times) // 2])]
    told = _by_scene(inquiry, scene)
    if told is not None:
        return told
    searches = [
        call("temporal_search", inquiry, query=one, top_k=3, modality="multimodal") for one in choices
    ]
    looks = [
        call("detect_objects", inquiry, timestamp=time_s, query=one, confidence_threshold=_LEAST)
        for one in choices
        for time_s in times
    ]
    records = yield [*searches, *looks]
    rows = [
        (records[index], records[len(choices) + index * len(times) :][: len(times)])
        for index in range(len(choices))
    ]
    return _weighed(inquiry, [_score(searched, looked) for searched, looked in rows])


def _by_scene(inquiry: Inquiry, scene: EvidenceRecord | None) -> Finding | None:
    """Return the choice that the scene's own attributes name."""
    attributes = read(scene, GetSceneAttributesResult)
    told = {} if attributes is None else {k: str(v) for k, v in attributes.model_dump().items() if v}
    for choice in inquiry.form.alternatives:
        for name, value, words in _SCENE:
            if re.search(words, choice, re.IGNORECASE) and re.search(value, told.get(name, "?")):
                said = pick(
                    inquiry.form.language,
                    f"The {name.replace('_', ' ')} is {told[name].replace('_', ' ')}.",
                    f"{name}：{told[name]}。",
                )
                return Finding(_capital(choice), 0.75, claim(said, scene), said)
    return None


def _score(
    searched: EvidenceRecord | None, looked: Sequence[EvidenceRecord | None]
) -> tuple[float, EvidenceRecord | None]:
    """Return how surely a choice was found, and the record that shows it best."""
    found = max((hit.confidence for hit in hits_of(searched)), default=0.0)
    seen = [(_top(record), record) for record in looked]
    best = max(seen, key=lambda pair: pair[0], default=(0.0, None))
    return found + best[0], best[1] if best[0] > found else searched


def _top(record: EvidenceRecord | None) -> float:
    found = read(record, DetectObjectsResult)
    return max((one.confidence for one in found.objects), default=0.0) if found else 0.0


def _weighed(inquiry: Inquiry, scores: Sequence[tuple[float, EvidenceRecord | None]]) -> Finding:
    form = inquiry.form
    order = sorted(range(len(scores)), key=lambda index: -scores[index][0])
    first, second = order[0], order[1] if len(order) > 1 else order[0]
    total = sum(score for score, _ in scores) or 1.0
    chance = 0.3 + 0.45 * (scores[first][0] - scores[second][0]) / total
    chosen = form.alternatives[first]
    said = pick(form.language, f"It was looked for: {chosen}.", f"查找了：{chosen}。")
    return Finding(_capital(chosen), chance, claim(said, scores[first][1]), said)


def _described(inquiry: Inquiry, time_s: float) -> Steps:
    """Without choices, say what is to be seen."""
    form = inquiry.form
    start = max(0.0, min(time_s - 0.5, inquiry.duration_s - 1.0))
    (record,) = yield [call("describe_visual", inquiry, start_time=start, end_time=start + 1.0)]
    if record is None or not isinstance(record.result, dict):
        words = phrase("cannot_tell", form.language)
        return Finding(words, 0.05, cannot_tell=True)
    text = str(record.result["description"])
    at = pick(form.language, f"At {seconds(time_s, 'en')}", f"{seconds(time_s, 'zh')}时")
    return Finding(text, 0.25, claim(text, record), f"{at}: {text}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
