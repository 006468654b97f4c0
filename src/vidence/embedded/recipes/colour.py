"""What colour something is: a thing, a part of it, or what somebody wears."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.recipes.objects import (
    Region,
    TimedDetections,
    detect_at,
    pointed_at,
    position_in,
    region_of,
)
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, StepsOf, call, claim, has_cue, unseen
from vidence.embedded.recipes.spans import find_span, likely_times
from vidence.embedded.recipes.wording import colours as colour_words
from vidence.embedded.recipes.wording import joined, seconds, sentence
from vidence.language.question import QuestionForm, Target
from vidence.ops.detect_objects import DetectedObject
from vidence.schema.evidence import Claim

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
    look: TimedDetections


def answer(inquiry: Inquiry) -> Steps:
    """Measure the colour in several frames and take a vote."""
    found = yield from measured_colours(inquiry)
    return found[1] if found is not None else (yield from _not_found(inquiry))


def measured_colours(inquiry: Inquiry) -> StepsOf[tuple[str, Finding] | None]:
    """Return the colours and the finding; None when no such thing could be measured."""
    form = inquiry.form
    span = yield from find_span(inquiry)
    asked = _asked(form)
    if asked[0][0].category is None and not _about_person(form) and asked[0][1] != "top":
        return None
    times = yield from likely_times(inquiry, span, asked[0][0].text, _FRAMES)
    looks = yield from detect_at(inquiry, times, _query(form, asked[0][0]), threshold=_LEAST)
    found = _summed(inquiry, asked, looks)
    family = next((one for one in _FAMILIES if asked[0][0].category in one[1]), None)
    if found is None and family is not None:
        # A bag may have been detected as another kind of bag.
        looks = yield from detect_at(inquiry, times, family[0], threshold=_LEAST)
        found = _summed(inquiry, asked, looks, among=family[1])
    return found


def _summed(
    inquiry: Inquiry,
    asked: Sequence[tuple[Target, Region]],
    looks: Sequence[TimedDetections],
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
            frames = len({one.look.time_s for one in measured})
    # A detection under another name is less certain.
    return (parts[0][1], _told(inquiry, parts, proofs, frames if among is None else 1)) if parts else None


def _asked(form: QuestionForm) -> list[tuple[Target, Region]]:
    """Return the things whose colour is asked, each with its region on a person or thing."""
    people = _about_person(form)
    found: list[tuple[Target, Region]] = []
    for target in form.targets:
        region = region_of(target.text, worn=people and target.category in (None, "tie"))
        if region in ("upper", "lower", "feet", "hair") and target.category != "person":
            found.append((target, region))
    if found:
        return found
    first = form.targets[0] if form.targets else Target("it", "it")
    if first.category == "person":
        region = region_of(form.text, worn=True)
        return [(first, "upper" if region == "other" else region)]
    return [(first, region_of(first.text, worn=False))]


def _about_person(form: QuestionForm) -> bool:
    if any(target.category == "person" for target in form.targets):
        return True
    first = form.targets[0].text if form.targets else form.text
    worn = region_of(first, worn=True) in ("upper", "lower", "feet")
    return worn or has_cue("somebody", form.text)


def _query(form: QuestionForm, target: Target) -> Target | str:
    """Return what to look for: the thing, the person, or the thing that a part belongs to."""
    if target.category and target.category != "person":
        return Target(target.head or target.text, target.head)
    if _about_person(form):
        return "person"
    owner = target.head
    if target.modifiers and region_of(target.text, worn=False) == "top":
        owner = target.modifiers[-1]
    elif target.head.endswith(("盖", "盖子")) and len(target.head.rstrip("盖子")) == 1:
        # 瓶盖 is the cap of a 瓶子.
        owner = f"{target.head.rstrip('盖子')}子"
    return Target(owner, owner)


def _measured(
    form: QuestionForm,
    looks: Sequence[TimedDetections],
    region: Region,
    among: frozenset[str] | None,
) -> list[_Measure]:
    found = []
    for look in looks:
        known = [one for one in look.objects if among is None or one.category in among]
        for one in _meant(form, known):
            key = next((key for key in _KEYS[region] if key in one.attributes), None)
            if key is not None:
                found.append(_Measure(one.attributes[key], one.confidence, look))
    return found


def _meant(form: QuestionForm, objects: Sequence[DetectedObject]) -> list[DetectedObject]:
    """Return the object the question means, or all when it means several."""
    position = position_in(form)
    if position is not None:
        one = pointed_at(objects, position)
        return [one] if one else []
    first = form.targets[0] if form.targets else None
    is_plural = first is not None and first.text.lower().endswith("s") and first.head != first.text
    if is_plural and not _about_person(form):
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
    proofs: list[Claim] = []
    for name in colour.split(" and "):
        look = max((one for one in measured if name in one.colour), key=lambda one: one.weight).look
        at, words = seconds(look.time_s, inquiry.language), colour_words(name, inquiry.language)
        told = inquiry.say("colour_at", target.head, at=at, colour=words)
        proofs += claim(told, look.record, look.time_s, quote=name)
    return tuple(proofs)


def _told(
    inquiry: Inquiry, parts: Sequence[tuple[str, str, float]], proofs: Sequence[Claim], frames: int
) -> Finding:
    language = inquiry.language
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
    asked = inquiry.form.targets[0] if inquiry.form.targets else None
    text = unseen(inquiry, "no_colour", asked).answer
    return Finding(text, 0.1, claim(inquiry.say("not_made_out"), described), cannot_tell=True)
