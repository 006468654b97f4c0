"""Who it is: a name on screen or in speech, else a description of the person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.embedded.recipes.objects import pointed_at, position_in, region_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, lines_of, read
from vidence.embedded.recipes.screen_text import gather_lines, person_named
from vidence.embedded.recipes.spans import find_span, sample_times
from vidence.embedded.recipes.wording import colours, pick, quoted, seconds, sentence
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.schema.evidence import EvidenceRecord

__all__ = ["answer"]

_FRAMES = 5
_BY_NAME = re.compile(
    r"\b(?:speak\w*|talk\w*|says?|said|name|"
    r"is (?:he|she|this|that|the (?:man|woman|person|speaker|presenter|host)))\b"
    r"|谁在(?:说|讲)|是谁|叫什么|名字|演讲",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\b(?:I'm|I am|my name is|this is|I’m)\s+([A-Z][a-z]+(?:\s+[A-Z][a-z]+)?)"
    r"|我是([\u4e00-\u9fff]{2,4})|我叫([\u4e00-\u9fff]{2,4})"
)


def answer(inquiry: Inquiry) -> Steps:
    """Look for a name where one is asked for, then describe the person."""
    span = yield from find_span(inquiry)
    times = sample_times(span, _FRAMES)
    if _BY_NAME.search(inquiry.form.text):
        speech, *frames = yield [
            call("get_transcript", inquiry),
            *(call("detect_objects", inquiry, timestamp=time, query="text") for time in times),
        ]
        named = _named(inquiry, speech, frames)
        if named is not None:
            return named
    looks = yield [call("detect_objects", inquiry, timestamp=time) for time in times]
    return _seen(inquiry, looks)


def _named(
    inquiry: Inquiry, speech: EvidenceRecord | None, frames: Sequence[EvidenceRecord | None]
) -> Finding | None:
    language = inquiry.form.language
    person = person_named(gather_lines(frames))
    if person is not None:
        name, line = person
        source = line.source
        told = pick(
            language, f"Text reads {quoted(line.text, language)}", f"文字是{quoted(line.text, language)}"
        )
        proof = claim(told, source.record, start_s=source.time_s, end_s=source.time_s, quote=line.text)
        return Finding(sentence(name, language), 0.75, proof)
    for said in lines_of(speech):
        match = _CALLED.search(said.text)
        if match:
            name = next(part for part in match.groups() if part)
            told = pick(
                language,
                f"What is said is {quoted(said.text, language)}",
                f"说的是{quoted(said.text, language)}",
            )
            proof = claim(told, speech, start_s=said.start_time, end_s=said.end_time, quote=said.text)
            return Finding(sentence(name, language), 0.6, proof)
    return None


def _seen(inquiry: Inquiry, looks: Sequence[EvidenceRecord | None]) -> Finding:
    """Describe the person the question means by position, clothes and nearby things."""
    language, position = inquiry.form.language, position_in(inquiry.form)
    wanted = [colour for target in inquiry.form.targets for colour in target.colours]
    things = {target.category for target in inquiry.form.targets if target.category not in (None, "person")}
    for record in looks:
        found = read(record, DetectObjectsResult)
        people = [one for one in (found.objects if found else ()) if one.category == "person"]
        if not people or found is None:
            continue
        best = pointed_at(people, position) if position else None
        near = [one for one in found.objects if one.category in things]
        if best is None and near:
            best = min(people, key=lambda one: _apart(one, near[0]))
        if best is None and wanted:
            best = next(
                (one for one in people if any(c in " ".join(one.attributes.values()) for c in wanted)), None
            )
        best = best or people[0]
        words = _described(best, people, inquiry)
        told = pick(
            language,
            f"At {seconds(found.timestamp, 'en')}: {words}",
            f"{seconds(found.timestamp, 'zh')}时：{words}",
        )
        proof = claim(sentence(told, language), record, start_s=found.timestamp, end_s=found.timestamp)
        return Finding(sentence(words, language), 0.35 if len(people) > 1 else 0.45, proof)
    text = pick(language, "Nobody could be made out.", "没有辨认出任何人。")
    return Finding(text, 0.2, claim(text, next((one for one in looks if one), None)), cannot_tell=True)


def _apart(one: DetectedObject, other: DetectedObject) -> float:
    return abs(one.bbox[0] + one.bbox[2] / 2 - other.bbox[0] - other.bbox[2] / 2)


def _described(one: DetectedObject, people: Sequence[DetectedObject], inquiry: Inquiry) -> str:
    language = inquiry.form.language
    centre = one.bbox[0] + one.bbox[2] / 2
    place = "" if len(people) == 1 else _side(centre, language)
    upper = one.attributes.get("clothing_color")
    dressed = ""
    if upper and region_of(inquiry.form.text, worn=True) != "upper":
        dressed = pick(language, f" dressed in {colours(upper, 'en')}", f"穿{colours(upper, 'zh')}上衣的")
    noun = next((target.head for target in inquiry.form.targets if target.category == "person"), "person")
    if language == "zh":
        return f"{place}{dressed}人"
    return f"the {noun}{place}{dressed}"


def _side(centre: float, language: str) -> str:
    if language == "zh":
        return "左边" if centre < 0.4 else "右边" if centre > 0.6 else "中间"
    return " on the left" if centre < 0.4 else " on the right" if centre > 0.6 else " in the middle"
