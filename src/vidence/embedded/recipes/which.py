"""Which of several objects, by position, looks or event; or which of the given choices."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from vidence.embedded.recipes.happening import place_of, watched
from vidence.embedded.recipes.locate import event_query
from vidence.embedded.recipes.objects import (
    TimedDetections,
    centre_of,
    changes_of,
    detect_at,
    looks_of,
    slots_of,
    spread,
)
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, StepsOf, call, claim, has_cue, untold
from vidence.embedded.recipes.scene import SceneLook, scenes_at
from vidence.embedded.recipes.spans import find_span, sample_times
from vidence.embedded.recipes.wording import capital, in_picture, pick
from vidence.language.objects import resolve_asked
from vidence.language.question import QuestionForm, Target
from vidence.language.question.naming import position_of
from vidence.ops.detect_objects import DetectedObject

__all__ = ["answer"]

_LOOKS = 7
_WEARS = re.compile(
    r"\b(?:wear(?:s|ing)?|dressed in|in|with|has|have|holds?|holding|carr(?:y|ies|ying))\b\s+"
    r"(.+?)(?:[,?.;:]|$)|(?:穿着?|戴着?|拿着?)(.+?)(?:的|？|\?|$)",
    re.IGNORECASE,
)
_MIDDLE = (0.42, 0.58)
_HALF = 0.5
_Trying = StepsOf[Finding | None]
_CHOICE_LOOKS = 3
_SCENE = (
    # Attribute of the scene, pattern of its value, and words of a choice that mean it.
    ("location", r"^indoor", r"\bindoors?\b|\binside\b|室内|屋内|里面"),
    ("location", r"^outdoor", r"\boutdoors?\b|\boutside\b|室外|户外|外面"),
    ("time_of_day", r"day|dawn|morning", r"\bday(?:time|light)?\b|白天|日间"),
    ("time_of_day", r"night|dusk", r"\bnight(?:time)?\b|夜|晚上"),
    ("camera_motion", r"^static", r"\bstatic\b|\bstill\b|静止|固定"),
    ("camera_motion", r"^(?!static)", r"\bmov\w+|移动|运动"),
    ("lighting", r"bright", r"\bbright\b|明亮"),
    ("lighting", r"dim|dark", r"\bdark\b|\bdim\b|昏暗|黑暗"),
)


def answer(inquiry: Inquiry) -> Steps:
    """Decide by an event, by looks, or between the given choices."""
    form = inquiry.form
    subject = _subject(form)
    if subject is not None and _asks_place(form):
        found = None
        if (change := event_query(form.text).change) in ("appear", "vanish"):
            found = yield from _by_event(inquiry, subject, 1 if change == "appear" else -1)
        found = found or (yield from _by_looks(inquiry, subject))
        if found is not None:
            return found
    return (yield from _choose(inquiry))


def _asks_place(form: QuestionForm) -> bool:
    if form.alternatives:
        return all(has_cue("place_word", one) for one in form.alternatives)
    return has_cue("one_side", form.text) or has_cue("which_one", form.asked)


def _subject(form: QuestionForm) -> Target | None:
    """Return the first thing the detector knows; a wearer is a person."""
    known = next((one for one in form.targets if one.category is not None), None)
    if known is None and _WEARS.search(form.text):
        return Target("person", "person", category="person", phrase="person")
    return known


def _by_event(inquiry: Inquiry, subject: Target, sign: int) -> _Trying:
    """Choose the object by when it comes (1) or goes (-1)."""
    looks = yield from watched(inquiry, subject)
    slots = slots_of(looks)
    if slots is not None and len(slots.centres) < 2:
        slots = None
    found = [one for one in changes_of(looks, slots) if one.delta * sign > 0]
    if not found:
        return None
    chosen = found[-1] if inquiry.form.anchor("last") is not None else found[0]
    if slots is None:
        return _by_edge(inquiry, chosen.after if sign > 0 else chosen.before)
    place = place_of(chosen.slots[0], len(slots.centres))
    before, after = _listed(chosen.before, inquiry), _listed(chosen.after, inquiry)
    chance = 0.85 if len(chosen.slots) == 1 else 0.5
    claims = (*claim(before, chosen.before.record), *claim(after, chosen.after.record))
    return Finding(_named(place, inquiry), chance, claims, f"{before} {after}")


def _by_edge(inquiry: Inquiry, one: TimedDetections) -> Finding | None:
    """Choose the side where a moving object was last seen before it went, or first when it came."""
    if len(one.objects) != 1:
        return None
    across = centre_of(one.objects[0])[0] - _HALF
    said = _listed(one, inquiry)
    answer = _named("left" if across < 0 else "right", inquiry)
    return Finding(answer, 0.4 + min(0.4, abs(across)), claim(said, one.record), said)


def _by_looks(inquiry: Inquiry, subject: Target) -> _Trying:
    """Choose the object by its looks, at several times."""
    form = inquiry.form
    span = yield from find_span(inquiry)
    times = spread(span.start_s, span.end_s, _LOOKS, inquiry.duration_s)
    described = _described(form, subject)
    everyone = yield from detect_at(inquiry, times, subject.category or subject)
    if described is None:
        votes = [(_part(one.objects[0]), one) for one in everyone if one.objects]
    else:
        asked = Target(described, subject.head, phrase=described)
        fitting = yield from detect_at(inquiry, times, asked, threshold=0.2)
        votes = _votes(everyone, fitting)
    allowed = {(position_of(one.lower()) or one).split()[-1] for one in form.alternatives}
    votes = [vote for vote in votes if not allowed or vote[0] in allowed]
    if not votes:
        return None
    tally: dict[str, float] = {}
    for own, look in votes:
        tally[own] = tally.get(own, 0.0) + look.objects[0].confidence
    place, weight = max(tally.items(), key=lambda pair: pair[1])
    share = weight / sum(tally.values())
    best = max((look for own, look in votes if own == place), key=lambda look: look.objects[0].confidence)
    said = _listed(best, inquiry)
    chance = 0.3 + 0.5 * share * min(1.0, len(votes) / 4)
    return Finding(_named(place, inquiry), chance, claim(said, best.record), said)


def _described(form: QuestionForm, subject: Target) -> str | None:
    """Return the description that tells the object from others, such as "person wearing orange shirt"."""
    match = _WEARS.search(re.sub(r"[(（][^)）]*[)）]", " ", form.text))
    if match and form.language == "en":
        return f"{subject.category} wearing {match[1]}" if subject.category == "person" else subject.phrase
    if match and form.language == "zh":
        return f"穿{match[2] or match[1]}的人"
    return subject.phrase if subject.colours else None


def _votes(
    everyone: Sequence[TimedDetections], fitting: Sequence[TimedDetections]
) -> list[tuple[str, TimedDetections]]:
    """Return the place of the best match among all objects at the same time."""
    votes = []
    for crowd, found in zip(everyone, fitting, strict=False):
        if not found.objects or crowd.count < 1:
            continue
        best = found.objects[0]
        order = sorted(centre_of(thing)[0] for thing in crowd.objects)
        nearest = min(range(len(order)), key=lambda index: abs(order[index] - centre_of(best)[0]))
        votes.append((place_of(nearest, len(order)) if len(order) > 1 else _part(best), found))
    return votes


def _part(thing: DetectedObject) -> str:
    x = centre_of(thing)[0]
    if _MIDDLE[0] <= x <= _MIDDLE[1]:
        return "middle"
    return "left" if x < _MIDDLE[0] else "right"


def _named(place: str, inquiry: Inquiry) -> str:
    name = "which_side" if has_cue("side", inquiry.form.text) else "which_one"
    return inquiry.say(name, inquiry.say(f"side_{place}"))


def _listed(one: TimedDetections, inquiry: Inquiry) -> str:
    """Return a sentence: how many objects are seen at a time."""
    names = {thing.category for thing in one.objects}
    noun = next(iter(names)) if len(names) == 1 else "thing"
    target = Target(noun, pick(inquiry.language, noun, "目标"), category=noun)
    return in_picture(one.count, target, one.time_s, inquiry.language)


def _choose(inquiry: Inquiry) -> Steps:
    """Choose by the scene's attributes; what they do not tell is left to those who look and read."""
    span = yield from find_span(inquiry)
    times = sample_times(span, _CHOICE_LOOKS)
    scenes = yield from scenes_at(inquiry, [times[len(times) // 2]])
    told = _by_scene(inquiry, scenes) or (yield from _by_kind(inquiry, times))
    return told or untold(inquiry)


def _by_kind(inquiry: Inquiry, times: Sequence[float]) -> _Trying:
    """Choose between kinds of thing that detectors know, by which is seen more surely."""
    choices = inquiry.form.alternatives
    kinds = {one: resolve_asked(re.sub(r"^(?:an?|the) ", "", one.lower())) for one in choices}
    if not kinds or not all(kinds.values()):
        return None
    records = yield [call("detect_objects", inquiry, timestamp=time_s) for time_s in times]
    seen = [
        (thing.confidence, choice, thing.category, look.record)
        for look in looks_of(records)
        for thing in look.objects
        if (choice := next((one for one in choices if thing.category in (kinds[one] or ())), None))
    ]
    if not seen:
        return None
    confidence, chosen, category, record = max(seen, key=lambda row: row[0])
    rival = max((row[0] for row in seen if row[1] != chosen), default=0.0)
    told = inquiry.say("kind_seen", category)
    chance = 0.35 + 0.5 * (confidence - rival)
    return Finding(capital(chosen), chance, claim(told, record, quote=category), told)


def _by_scene(inquiry: Inquiry, looks: Sequence[SceneLook]) -> Finding | None:
    """Return the choice that the scene's attributes name."""
    for look, choice in product(looks, inquiry.form.alternatives):
        told = {name: str(value) for name, value in look.scene.model_dump().items() if value}
        for name, value, words in _SCENE:
            if re.search(words, choice, re.IGNORECASE) and re.search(value, told.get(name, "?")):
                said = pick(
                    inquiry.language,
                    f"The {name.replace('_', ' ')} is {told[name].replace('_', ' ')}.",
                    f"{name}：{told[name]}。",
                )
                return Finding(capital(choice), 0.75, claim(said, look.record), said)
    return None
