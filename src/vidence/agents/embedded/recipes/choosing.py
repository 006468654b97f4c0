"""Which of the choices a question offers: each is looked for, and the best found wins."""

from __future__ import annotations

import re

from vidence.agents.embedded.recipes.cite import claim, read
from vidence.agents.embedded.recipes.locate import hits_of
from vidence.agents.embedded.recipes.moments import moment_of, sample_times
from vidence.agents.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.agents.embedded.recipes.wording import pick, seconds
from vidence.ops.detect_objects import DetectObjectsResult
from vidence.ops.get_scene_attributes import GetSceneAttributesResult

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
    form = inquiry.form
    choices = form.alternatives
    moment = yield from moment_of(inquiry)
    times = sample_times(moment, _LOOKS)
    if not choices:
        return (yield from _described(inquiry, times[0]))
    calls = [call("get_scene_attributes", inquiry, timestamp=times[len(times) // 2])]
    calls += [call("temporal_search", inquiry, query=one, top_k=3, modality="multimodal") for one in choices]
    calls += [
        call("detect_objects", inquiry, timestamp=time_s, query=one, confidence_threshold=_LEAST)
        for one in choices
        for time_s in times
    ]
    scene, *rest = yield calls
    attributes = read(scene, GetSceneAttributesResult)
    told = {} if attributes is None else {k: str(v) for k, v in attributes.model_dump().items() if v}
    for index, choice in enumerate(choices):
        for name, value, words in _SCENE:
            if re.search(words, choice, re.IGNORECASE) and re.search(value, told.get(name, "-none-")):
                said = pick(
                    form.language,
                    f"The {name.replace('_', ' ')} is {told[name].replace('_', ' ')}.",
                    f"{name}：{told[name]}。",
                )
                return Finding(_capital(choices[index]), 0.75, claim(said, scene), said)
    searched, looked = rest[: len(choices)], rest[len(choices) :]
    scores, proofs = [], []
    for index, choice in enumerate(choices):
        hits = [hit for hit in hits_of(searched[index]) if hit.start_time <= moment.end_s]
        best = max((hit.confidence for hit in hits), default=0.0)
        proof = searched[index]
        seen = 0.0
        for record in looked[index * len(times) : (index + 1) * len(times)]:
            found = read(record, DetectObjectsResult)
            top = max((one.confidence for one in found.objects), default=0.0) if found else 0.0
            if top > seen:
                seen, proof = top, record if top > best else proof
        scores.append(best + seen)
        proofs.append((proof, choice))
    order = sorted(range(len(choices)), key=lambda index: -scores[index])
    first = order[0]
    total = sum(scores) or 1.0
    chance = 0.3 + 0.45 * (scores[first] - (scores[order[1]] if len(order) > 1 else 0.0)) / total
    record = proofs[first][0]
    said = pick(form.language, f"It was looked for: {choices[first]}.", f"查找了：{choices[first]}。")
    return Finding(_capital(choices[first]), chance, claim(said, record), said)


def _described(inquiry: Inquiry, time_s: float) -> Steps:
    """Without choices, say what is to be seen."""
    form = inquiry.form
    (record,) = yield [
        call("describe_visual", inquiry, start_time=max(0.0, time_s - 0.5), end_time=time_s + 0.5)
    ]
    if record is None or not isinstance(record.result, dict):
        words = pick(form.language, "It cannot be told from this video.", "从这个视频无法判断。")
        return Finding(words, 0.05, cannot_tell=True)
    text = str(record.result["description"])
    at = pick(form.language, f"At {seconds(time_s, 'en')}", f"{seconds(time_s, 'zh')}时")
    return Finding(text, 0.25, claim(text, record), f"{at}: {text}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
