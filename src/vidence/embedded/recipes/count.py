"""How many: at a moment, at most or at least, different ones, voices; and how many times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from vidence.embedded.recipes.objects import (
    TimedDetections,
    changes_of,
    detect_at,
    slots_of,
    spread,
    sure_of,
)
from vidence.embedded.recipes.recipe import (
    Finding,
    Inquiry,
    Steps,
    call,
    claim,
    hits_of,
    lines_of,
    read,
    sounds_of,
    unseen,
)
from vidence.embedded.recipes.spans import QuestionSpan, apart, find_span
from vidence.embedded.recipes.wording import counted, in_picture, pick, quoted, seconds
from vidence.language.colours import find_colours
from vidence.language.question import Target, read_question
from vidence.ops.register_entity import RegisterEntityResult
from vidence.ops.temporal_search import SearchHit
from vidence.ops.track_entity import TrackEntityResult
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["answer"]

_SPREAD = 9
_DENSE = 28
_DENSE_STEP_S = 0.5
_MOMENT_LOOKS = 3
_MOMENT_S = 1.0
_WORN = re.compile(r"\b(?:wear(?:s|ing)?|dressed in)\s+([^?.,]+)|穿(?:着)?([^？。，的]+)", re.IGNORECASE)
_EVERY_S = 2.5
_LEAST_LOOKS, _MOST_LOOKS = 4, 24
_MOST_REGISTERED = 150
_SEEN_S = 0.5
_SEEN_SHARE = 0.03
"""A track shorter than this share of the video is more often an error than another person."""
_LIKELY = 0.45
"""The least confidence of an object that is counted at a moment: a higher one leaves out too many."""
_USUAL = 2
"""The guess without evidence: a question for a number of times expects more than one."""


def answer(inquiry: Inquiry) -> Steps:
    """Choose how to count."""
    form = inquiry.form
    asked = form.targets[0] if form.targets else None
    if form.sense == "said" and asked is not None and asked.category == "person" and not form.repeated:
        return (yield from _count_speakers(inquiry))
    if asked is None or form.repeated or form.sense in ("heard", "said"):
        return (yield from _count_repeated(inquiry))
    target = _described(inquiry, asked)
    if target.category is None:
        return unseen(inquiry, "no_such_thing", target)
    if form.extreme is not None:
        return (yield from _extreme(inquiry, target))
    if form.distinct and form.anchor("at", "start", "end") is None:
        return (yield from _count_distinct(inquiry, target))
    return (yield from _visible(inquiry, target))


def _described(inquiry: Inquiry, first: Target) -> Target:
    """Return what to count, with clothing where the question names it."""
    worn = _WORN.search(inquiry.form.text)
    if worn and first.category and find_colours(worn[1] or worn[2]):
        return replace(first, phrase=f"{first.category} wearing {(worn[1] or worn[2]).strip()}")
    if first.colours or find_colours(first.phrase):
        return first
    # Words for the place, as in "on the table", are no part of what is counted.
    return replace(first, phrase=first.text)


def _visible(inquiry: Inquiry, target: Target) -> Steps:
    """Count at the time asked about; without one, return the most common count."""
    span = yield from find_span(inquiry)
    looks = yield from detect_at(inquiry, _times(inquiry, span), target, threshold=_LIKELY)
    # Without a time, only the times with objects count.
    meant = [one for one in looks if one.count or not span.whole] or looks
    tally = Counter(one.count for one in meant)
    value = max(tally, key=lambda count: (tally[count], count), default=0)
    if not value:
        # Who asks how many there are has seen some.
        return unseen(inquiry, "no_such_thing", target)
    agreeing = [one for one in meant if one.count == value]
    best = max(agreeing, key=lambda one: sure_of([one]))
    share = len(agreeing) / len(meant) * min(1.0, 0.5 + len(meant) / len(looks))
    probability = (0.25 + 0.6 * share * sure_of(agreeing)) * min(1.0, 0.6 + 0.4 * span.chance)
    probability *= 0.9 if value > 4 else 1.0
    return _finding(inquiry, target, best, probability, len(looks))


def _times(inquiry: Inquiry, span: QuestionSpan) -> list[float]:
    """Return the times to look at: close together at a moment, else spread over the whole video."""
    form, duration = inquiry.form, inquiry.duration_s
    if span.whole:
        return spread(0.0, duration, _SPREAD, duration)
    if form.anchor("start") is not None and span.start_s == 0.0:
        return spread(0.0, min(_MOMENT_S, span.end_s), _MOMENT_LOOKS, duration)
    if form.anchor("end") is not None and span.end_s >= duration:
        return spread(duration - _MOMENT_S, duration, _MOMENT_LOOKS, duration)
    looks = _MOMENT_LOOKS if span.end_s - span.start_s < 2 * _MOMENT_S else _SPREAD // 2 + 1
    return spread(span.start_s, span.end_s, looks, duration)


def _extreme(inquiry: Inquiry, target: Target) -> Steps:
    """Count at many times; the most and the fewest must be seen more than once."""
    number = min(_DENSE, max(_SPREAD, int(inquiry.duration_s / _DENSE_STEP_S)))
    times = spread(0.0, inquiry.duration_s, number, inquiry.duration_s)
    looks = yield from detect_at(inquiry, times, target, threshold=_LIKELY)
    if not looks:
        return unseen(inquiry, "no_such_thing", target)
    tally = Counter(one.count for one in looks)
    often = [count for count, times in tally.items() if times >= 2] or list(tally)
    # For the fewest, times without any do not count: the objects were missed or gone.
    fewest = min((count for count in often if count), default=0)
    value = max(often) if inquiry.form.extreme == "most" else fewest
    best = max((one for one in looks if one.count == value), key=lambda one: sure_of([one]))
    probability = (0.35 + 0.4 * min(1.0, tally[value] / 4)) * (1.0 if value < 5 else 0.8)
    return _finding(inquiry, target, best, probability, len(looks))


def _finding(
    inquiry: Inquiry, target: Target, best: TimedDetections, probability: float, num_looks: int
) -> Finding:
    said = in_picture(best.count, target, best.time_s, inquiry.language)
    looked = inquiry.say("looked_and_saw", num_looks, said=said)
    text = counted(best.count, target, inquiry.language)
    return Finding(text, min(probability, 0.95), claim(said, best.record), looked)


def _count_distinct(inquiry: Inquiry, target: Target) -> Steps:
    """Register every object seen at times spread over the video, and count the distinct ids."""
    duration, language = inquiry.duration_s, inquiry.language
    number = min(_MOST_LOOKS, max(_LEAST_LOOKS, int(duration / _EVERY_S) + 1))
    looks = yield from detect_at(inquiry, spread(0.0, duration, number, duration), target)
    if not any(one.count for one in looks):
        none = counted(0, target, language)
        return Finding(none, 0.35, claim(none, looks[0].record) if looks else (), none)
    pointed = [
        call("register_entity", inquiry, initial_timestamp=one.time_s, object_id=thing.object_id)
        for one in looks
        for thing in one.objects
    ]
    registered = yield pointed[:_MOST_REGISTERED]
    told = [read(record, RegisterEntityResult) for record in registered]
    names = list(dict.fromkeys(one.entity_id for one in told if one is not None))
    followed = yield [call("track_entity", inquiry, entity_id=name) for name in names]
    least = max(_SEEN_S, _SEEN_SHARE * duration)
    lasting = [
        record
        for record in followed
        if (track := read(record, TrackEntityResult)) and track.summary.total_duration >= least
    ]
    fullest = max(looks, key=lambda one: one.count)
    value = max(len(lasting), fullest.count)
    things = counted(value, target, language)
    claims: tuple[Claim, ...] = ()
    if len(lasting) == value:
        claims = claim(inquiry.say("told_apart", things), lasting[0], also=tuple(lasting[1:]))
    at_once = counted(fullest.count, target, language)
    seen = inquiry.say("at_once", at_once, at=seconds(fullest.time_s, language))
    different = pick(language, f"{value} different {things.split(' ', 1)[1]}", f"{things}（不同的）")
    # Objects seen at once are certainly different; beyond them, one may have two ids.
    probability = 0.3 + 0.55 * fullest.count / value
    return Finding(different, probability, claims + claim(seen, fullest.record), f"{different}. {seen}")


def _count_speakers(inquiry: Inquiry) -> Steps:
    """Count the speakers of the transcript; without speaker labels there is at least one."""
    (record,) = yield [call("get_transcript", inquiry, include_speaker_info=True)]
    lines = lines_of(record)
    if not lines:
        return Finding(inquiry.say("no_speakers"), 0.6, claim(inquiry.say("nobody_speaks"), record))
    voices = {line.speaker_id for line in lines if line.speaker_id}
    value = max(1, len(voices))
    text = pick(inquiry.language, f"{value} {'person' if value == 1 else 'people'}", f"{value} 个人")
    told = inquiry.say("voice_says", quoted(lines[0].text))
    proof = claim(told, record, lines[0], quote=lines[0].text)
    return Finding(text, 0.5 if voices else 0.4, proof)


def _count_repeated(inquiry: Inquiry) -> Steps:
    """Count how many times in the transcript, the sounds or the picture, as the question asks."""
    form = inquiry.form
    if form.sense == "said" and (form.quoted or form.targets):
        return (yield from _said(inquiry))
    if form.sense == "heard":
        return (yield from _heard(inquiry))
    change = read_question(form.text).search.change
    subject = form.targets[0] if form.targets else None
    if change in ("appear", "vanish") and subject is not None and subject.category is not None:
        return (yield from _changed(inquiry, subject.category, change))
    span = yield from find_span(inquiry)
    (searched,) = yield [call("temporal_search", inquiry, query=form.text, top_k=20, modality="multimodal")]
    hits = apart([
        hit for hit in hits_of(searched) if hit.start_time <= span.end_s and hit.end_time >= span.start_s
    ])  # fmt: skip
    return _times_finding(inquiry, len(hits) or _USUAL, 0.35 if hits else 0.2, searched, hits)


def _said(inquiry: Inquiry) -> Steps:
    form = inquiry.form
    words = form.quoted[0] if form.quoted else form.targets[-1].head
    (record,) = yield [call("get_transcript", inquiry)]
    found = [(line, len(re.findall(re.escape(words), line.text, re.IGNORECASE))) for line in lines_of(record)]
    value = sum(number for _, number in found)
    first = next((line for line, number in found if number), None)
    claims: tuple[Claim, ...] = ()
    if first is not None:
        claims = claim(inquiry.say("words_said", words, line=first.text), record, quote=first.text)
    return _times_finding(inquiry, value, 0.7 if value else 0.4, record, claims=claims)


def _heard(inquiry: Inquiry) -> Steps:
    form = inquiry.form
    query = " ".join(target.head for target in form.targets) or form.text
    events, searched = yield [
        call("detect_audio_events", inquiry),
        call("temporal_search", inquiry, query=query, top_k=20, modality="audio"),
    ]
    sounds, hits = sounds_of(events), apart(hits_of(searched))
    words = set(query.lower().split())
    named = next((one.event_type for one in sounds if words & set(one.event_type.split("_"))), None)
    if named is not None:
        value = sum(one.event_type == named for one in sounds)
        return _times_finding(inquiry, value, 0.5, events, hits)
    return _times_finding(inquiry, len(hits), 0.35 if hits else 0.3, searched, hits)


def _changed(inquiry: Inquiry, category: str, change: str) -> Steps:
    times = spread(0.0, inquiry.duration_s, _DENSE, inquiry.duration_s)
    looks = yield from detect_at(inquiry, times, category)
    sign = 1 if change == "appear" else -1
    found = [one.after for one in changes_of(looks, slots_of(looks)) if one.delta * sign > 0]
    # Something that is there from the start has appeared once.
    value = len(found) + bool(sign > 0 and looks and looks[0].count)
    claims: tuple[Claim, ...] = ()
    if found:
        at = seconds(found[0].time_s, inquiry.language)
        claims = claim(inquiry.say("seen_to_change", at), found[0].record)
    return _times_finding(inquiry, value, 0.45, looks[0].record if looks else None, claims=claims)


def _times_finding(
    inquiry: Inquiry,
    value: int,
    probability: float,
    record: EvidenceRecord | None,
    hits: Sequence[SearchHit] = (),
    claims: tuple[Claim, ...] = (),
) -> Finding:
    """Return a number of times, proven by the claims, by the hits, or by having searched."""
    text = pick(inquiry.language, f"{value} time{'s' if value != 1 else ''}", f"{value} 次")
    times = ", ".join(seconds(hit.start_time, inquiry.language) for hit in hits[:6])
    told = inquiry.say("found_from", times) if times else inquiry.say("all_searched")
    return Finding(text, probability, claims or claim(told, record), text)
