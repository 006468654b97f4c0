"""What colour something is: a thing, a part of it, or what somebody wears."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.recipes.objects import Region, pointed_at, position_in, region_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, StepsOf, call, claim, read
from vidence.embedded.recipes.spans import find_span, sample_times
from vidence.embedded.recipes.wording import colours as colour_words
from vidence.embedded.recipes.wording import joined, pick, seconds, sentence
from vidence.language.question import QuestionForm, Target
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.schema.agent import OperationCall
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["answer", "measured_colours"]

_FRAMES = 6
_LEAST = 0.25
_SECOND = 0.45
"""A second colour is named from this share of the first one's votes on."""
_FAMILIES = (
    ("accessory", frozenset({"handbag", "backpack", "suitcase"})),
    ("kitchenware", frozenset({"cup", "wine glass", "bowl", "bottle"})),
    ("vehicle", frozenset({"car", "truck", "bus"})),
    ("furniture", frozenset({"chair", "couch", "bench"})),
)
"""Detector groups, and those of their categories that are easily confused."""
_KEYS: dict[Region, tuple[str, ...]] = {
    "upper": ("clothing_color", "color"),
    "lower": ("lower_clothing_color",),
    "top": ("top_color", "color"),
    "hair": ("hair_color",),
    "feet": ("lower_clothing_color",),
    "other": ("color", "clothing_color"),
}


@dataclass(frozen=True)
class _Measure:
    """One object's colour in one frame."""

    colour: str
    weight: float
    time_s: float
    record: EvidenceRecord


def answer(inquiry: Inquiry) -> Steps:
    """Measure the colour in several frames and take a vote."""
    found = yield from measured_colours(inquiry)
    return found[1] if found is not None else (yield from _not_found(inquiry))


def measured_colours(
    inquiry: Inquiry,
) -> StepsOf[tuple[str, Finding] | None]:
    """Return the colours and the finding; None when no such thing could be measured."""
    form = inquiry.form
    span = yield from find_span(inquiry)
    asked = _asked(form)
    if asked[0][0].category is None and not _about_person(form) and asked[0][1] != "top":
        return None
    query = _query(form, asked[0][0])
    times = sample_times(span, _FRAMES)
    found = _summed(inquiry, asked, (yield _looks(inquiry, times, query)))
    family = next((one for one in _FAMILIES if asked[0][0].category in one[1]), None)
    if found is None and family is not None:
        # A bag may have been detected as another kind of bag.
        looks = yield _looks(inquiry, times, {"category": family[0]})
        found = _summed(inquiry, asked, looks, among=family[1])
    return found


def _looks(inquiry: Inquiry, times: Sequence[float], query: dict[str, str]) -> list[OperationCall]:
    return [
        call("detect_objects", inquiry, timestamp=time, confidence_threshold=_LEAST, **query)
        for time in times
    ]


def _summed(
    inquiry: Inquiry,
    asked: Sequence[tuple[Target, Region]],
    looks: Sequence[EvidenceRecord | None],
    *,
    among: frozenset[str] | None = None,
) -> tuple[str, Finding] | None:
    parts: list[tuple[str, str, float]] = []
    proofs: list[Claim] = []
    frames = 0
    for target, region in asked:
        measured = _measured(inquiry.form, looks, region, among)
        if measured:
            colour, share = _vote(measured)
            parts.append((target.head, colour, share))
            proofs += _proof(inquiry, target, colour, measured)
            frames = len({one.time_s for one in measured})
    # A detection under another name is less certain.
    return (parts[0][1], _told(inquiry, parts, proofs, frames if among is None else 1)) if parts else None


def _asked(form: QuestionForm) -> list[tuple[Target, Region]]:
    """Return the things whose colour is asked, each with its region on a person or thing."""
    people = _about_person(form)
    found: list[tuple[Target, Region]] = []
    for target in form.targets:
        worn = people and (target.category is None or target.category in ("tie", "person"))
        region = region_of(target.text, worn=worn) if worn else region_of(target.text, worn=False)
        if region in ("upper", "lower", "feet", "hair") and target.category != "person":
            found.append((target, region))
    if found:
        return found
    first = form.targets[0] if form.targets else Target("it", "it")
    if first.category == "person":
        return [
            (
                first,
                region_of(form.text, worn=True) if region_of(form.text, worn=True) != "other" else "upper",
            )
        ]
    return [(first, region_of(first.text, worn=False))]


def _about_person(form: QuestionForm) -> bool:
    if any(target.category == "person" for target in form.targets):
        return True
    first = form.targets[0].text if form.targets else form.text
    worn = region_of(first, worn=True) in ("upper", "lower", "feet")
    return worn or bool(
        re.search(r"\b(?:his|her|their|person|man|woman)\b|他|她|人", form.text, re.IGNORECASE)
    )


def _query(form: QuestionForm, target: Target) -> dict[str, str]:
    if target.category and target.category != "person":
        return {"query": _plain(target)}
    if _about_person(form):
        return {"category": "person"}
    owner = _owner(target)
    return {"query": owner}


def _plain(target: Target) -> str:
    return target.head if target.head else target.text


def _owner(target: Target) -> str:
    """Return the thing a part belongs to: bottle for "the bottle caps"."""
    if target.modifiers and region_of(target.text, worn=False) == "top":
        return target.modifiers[-1]
    if target.head.endswith(("盖", "盖子")) and len(target.head.rstrip("盖子")) == 1:
        # 瓶盖 is the cap of a 瓶子.
        return f"{target.head.rstrip('盖子')}子"
    return target.head


def _measured(
    form: QuestionForm,
    looks: Sequence[EvidenceRecord | None],
    region: Region,
    among: frozenset[str] | None,
) -> list[_Measure]:
    found = []
    for record in looks:
        result = read(record, DetectObjectsResult)
        if result is None or record is None:
            continue
        known = [one for one in result.objects if among is None or one.category in among]
        for one in _meant(form, known):
            key = next((key for key in _KEYS[region] if key in one.attributes), None)
            if key is not None:
                found.append(_Measure(one.attributes[key], one.confidence, result.timestamp, record))
    return found


def _meant(form: QuestionForm, objects: Sequence[DetectedObject]) -> list[DetectedObject]:
    """Return the object the question means, or all when it means several."""
    position = position_in(form)
    if position is not None:
        one = pointed_at(objects, position)
        return [one] if one else []
    plural = any(
        target.text.lower().endswith("s") and target.head != target.text for target in form.targets[:1]
    )
    if plural and not _about_person(form):
        return list(objects)
    return sorted(objects, key=lambda one: -one.confidence * (one.bbox[2] * one.bbox[3]) ** 0.5)[:1]


def _vote(measured: Sequence[_Measure]) -> tuple[str, float]:
    votes: dict[str, float] = {}
    for one in measured:
        for place, name in enumerate(one.colour.split(" and ")):
            votes[name] = votes.get(name, 0.0) + one.weight * (1.0 if place == 0 else 0.5)
    (best, most), *rest = sorted(votes.items(), key=lambda each: -each[1])[:2]
    total = sum(one.weight for one in measured)
    if rest and rest[0][1] >= _SECOND * most:
        return f"{best} and {rest[0][0]}", most / total
    return best, most / total


def _proof(inquiry: Inquiry, target: Target, colour: str, measured: Sequence[_Measure]) -> tuple[Claim, ...]:
    language = inquiry.form.language
    proofs: list[Claim] = []
    for name in colour.split(" and "):
        best = max((one for one in measured if name in one.colour), key=lambda one: one.weight)
        words, at = colour_words(name, language), seconds(best.time_s, language)
        told = pick(language, f"At {at} the {target.head} is {words}.", f"{at}时{target.head}是{words}。")
        proofs += claim(told, best.record, start_s=best.time_s, end_s=best.time_s, quote=name)
    return tuple(proofs)


def _told(
    inquiry: Inquiry, parts: Sequence[tuple[str, str, float]], proofs: Sequence[Claim], frames: int
) -> Finding:
    language = inquiry.form.language
    if len(parts) == 1:
        words = colour_words(parts[0][1], language)
    elif language == "zh":
        words = "，".join(f"{head}是{colour_words(colour, language)}" for head, colour, _ in parts)
    else:
        words = joined([f"{colour_words(colour, language)} {head}" for head, colour, _ in parts], language)
    agreed = min(share for _, _, share in parts)
    sure = min(0.3 + 0.45 * min(1.0, agreed), 0.45 + 0.1 * frames)
    return Finding(sentence(words, language), sure, tuple(proofs))


def _not_found(inquiry: Inquiry) -> Steps:
    """Report that the thing was not found, citing what was looked at."""
    span = yield from find_span(inquiry)
    heads = " ".join(target.text for target in inquiry.form.targets[:1]) or inquiry.form.text
    (described,) = yield (
        call("describe_visual", inquiry, start_time=span.start_s, end_time=span.end_s, focus=heads[:200]),
    )
    language = inquiry.form.language
    text = pick(
        language,
        f"It cannot be told: no {_plain_head(inquiry)} was made out in the picture.",
        f"无法判断：画面中没有辨认出{_plain_head(inquiry)}。",
    )
    note = pick(language, "It was looked for and not made out.", "查看过，没有辨认出来。")
    return Finding(text, 0.1, claim(note, described), cannot_tell=True)


def _plain_head(inquiry: Inquiry) -> str:
    return (
        inquiry.form.targets[0].head
        if inquiry.form.targets
        else pick(inquiry.form.language, "such thing", "它")
    )
