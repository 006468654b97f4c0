"""When something happens, begins, is there or is away; and how long it lasts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from vidence.embedded.recipes.happening import away, changed, posed, watched
from vidence.embedded.recipes.locate import (
    LocateSteps,
    by_search,
    by_words,
    event_query,
    subject_of,
)
from vidence.embedded.recipes.objects import shown, stretches
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
from vidence.embedded.recipes.spans import find_span
from vidence.embedded.recipes.wording import between, joined, seconds
from vidence.language.forms import base_form
from vidence.language.question import Target, actions_of
from vidence.ops.get_video_info import GetVideoInfoResult

__all__ = ["answer", "locate"]

_POSTURES = {"stand": "standing", "sit": "sitting", "lie": "lying", "rise": "standing"}
_SEARCHED, _LASTS = 0.75, 0.6
_LISTED = 4
_DOUBTED = 0.45
"""A time that was watched for with a lower probability than this is weighed against what a search finds."""


def answer(inquiry: Inquiry) -> Steps:
    """Locate the event and give its time, or its length."""
    form = inquiry.form
    lasts = form.wants_duration and not form.wants_seconds
    if has_cue("of_video", form.text):
        return (yield from _video_length(inquiry))
    subject = next((one for one in form.targets if one.category is not None), None)
    if lasts and subject is not None and has_cue("on_screen", form.text):
        return (yield from _time_in_picture(inquiry, subject))
    located = yield from locate(inquiry, form.text, asks=True)
    if located is None:
        return untold(inquiry, "no_time")
    why = " ".join(one.text for one in located.claims) or seconds(located.time_s, form.language)
    time_s, chance = located.time_s, located.chance
    if lasts:
        time_s, chance = located.end_s - located.start_s, _LASTS * chance
    return Finding(seconds(time_s, form.language), chance, located.claims, why)


def locate(inquiry: Inquiry, text: str, *, asks: bool = False) -> LocateSteps:
    """Find the time of an event in words, by the most reliable method that applies."""
    form = inquiry.form
    within = (yield from _within(inquiry)) if asks else None
    if form.sense in ("said", "heard") and asks:
        found = yield from by_search(inquiry, text, asks=asks, modality="audio", within=within)
        if found is not None:
            return replace(found, chance=found.chance * _SEARCHED)
    found = (yield from by_words(inquiry, text)) or (yield from _by_watching(inquiry, text, asks=asks))
    if found is not None and found.chance >= _DOUBTED:
        return found
    searched = yield from by_search(inquiry, text, asks=asks, within=within)
    return max((one for one in (found, searched) if one), key=lambda one: one.chance, default=None)


def _by_watching(inquiry: Inquiry, text: str, *, asks: bool) -> LocateSteps:
    """Find an event of something that detectors know by when it is there, and how."""
    event, subject = event_query(text), subject_of(text)
    if subject is None or subject.phrase != subject.text or has_cue("scene", text):
        return None
    is_gone = asks and (has_cue("gone", text) if event.change == "vanish" else inquiry.form.negated)
    if is_gone or event.change == "absent":
        return (yield from away(inquiry, subject))
    if event.change is not None:
        return (yield from changed(inquiry, text, subject))
    posture = _posture(text, event.things.postures)
    if posture is None or subject.category != "person":
        return None
    span = yield from find_span(inquiry)
    part = None if span.whole else (span.start_s, max(span.end_s, min(6.0, inquiry.duration_s)))
    return (yield from posed(inquiry, text, subject, posture, part))


def _within(inquiry: Inquiry) -> StepsOf[tuple[float, float] | None]:
    """Return the span of the scene the question names; None when it names none."""
    anchor = inquiry.form.anchor("while", "before", "after")
    if anchor is None or anchor.clause is None:
        return None
    if not has_cue("scene", anchor.clause) and inquiry.form.sense == "seen":
        return None
    span = yield from find_span(inquiry)
    return None if span.whole else (span.start_s, span.end_s)


def _posture(text: str, told: Sequence[str]) -> str | None:
    """Return the posture an event is about; None when it has other verbs."""
    verbs = [base_form(word) for word in re.findall(r"[a-z]+", (actions_of(text) or "").lower())]
    named = [_POSTURES[verb] for verb in verbs if verb in _POSTURES]
    if any(verb not in (*_POSTURES, None, "give", "get", "start") for verb in verbs):
        return None
    return next(iter([*told, *named]), None)


def _video_length(inquiry: Inquiry) -> Steps:
    """Return how long the video is."""
    (record,) = yield [call("get_video_info", inquiry)]
    told = read(record, GetVideoInfoResult)
    length = seconds(told.duration if told else inquiry.duration_s, inquiry.language)
    said = inquiry.say("video_lasts", length)
    return Finding(length, 0.95, claim(said, record), said)


def _time_in_picture(inquiry: Inquiry, thing: Target) -> Steps:
    """Add up the spans in which a thing is visible."""
    language = inquiry.language
    looks = yield from watched(inquiry, thing)
    runs = stretches(looks, there=True)
    if not runs:
        return unseen(inquiry, "no_such_thing_seen", thing)
    step = median([after.time_s - before.time_s for before, after in pairwise(looks)] or [0.0])
    # It came and went somewhere between two times: add half a step at either end.
    spans = [
        (max(0.0, run[0].time_s - step / 2), min(inquiry.duration_s, run[-1].time_s + step / 2))
        for run in runs
    ]
    total = seconds(sum(end - start for start, end in spans), language)
    listed = joined([between(start, end, language) for start, end in spans[:_LISTED]], language)
    text = inquiry.say("in_all", total, spans=listed)
    ends = {one.time_s: one for run in runs[:_LISTED] for one in (run[0], run[-1])}
    return Finding(text, 0.5, shown(ends.values(), thing, language))
