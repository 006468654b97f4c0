"""How many: at a moment, at most or at least over time, different ones, voices, or as somebody says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vidence.embedded.recipes.objects import TimedDetections, detect_at, spread, sure_of
from vidence.embedded.recipes.recipe import (
    Finding,
    Inquiry,
    Steps,
    call,
    claim,
    lines_of,
    read,
)
from vidence.embedded.recipes.repeated import count_repeated
from vidence.embedded.recipes.spans import QuestionSpan, find_span
from vidence.embedded.recipes.wording import counted, in_picture, pick, quoted, seconds
from vidence.language.colours import find_colours
from vidence.language.question import Target
from vidence.ops.register_entity import RegisterEntityResult
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


def answer(inquiry: Inquiry) -> Steps:
    """Choose how to count."""
    form = inquiry.form
    asked = form.targets[0] if form.targets else None
    if form.sense == "said" and asked is not None and asked.category == "person" and not form.repeated:
        return (yield from _count_speakers(inquiry))
    if form.repeated or form.sense in ("heard", "said"):
        return (yield from count_repeated(inquiry))
    target = _target(inquiry)
    if target is None:
        return (yield from count_repeated(inquiry))
    if target.category is None:
        return _nothing(inquiry, target)
    if form.extreme is not None:
        return (yield from _extreme(inquiry, target))
    if form.distinct and not _at_a_moment(inquiry):
        return (yield from _count_distinct(inquiry, target))
    return (yield from _visible(inquiry, target))


def _target(inquiry: Inquiry) -> Target | None:
    """Return what to count, with clothing where the question names it."""
    form = inquiry.form
    if not form.targets:
        return None
    first = form.targets[0]
    worn = _WORN.search(form.text)
    if worn and first.category and find_colours(worn[1] or worn[2]):
        return replace(first, phrase=f"{first.category} wearing {(worn[1] or worn[2]).strip()}")
    if first.colours or find_colours(first.phrase):
        return first
    # Words for the place, as in "on the table", are no part of what is counted.
    return replace(first, phrase=first.text)


def _at_a_moment(inquiry: Inquiry) -> bool:
    return inquiry.form.anchor("at", "start", "end") is not None


def _visible(inquiry: Inquiry, target: Target) -> Steps:
    """Count at the time asked about; without one, return the most common count."""
    span = yield from find_span(inquiry)
    looks = yield from detect_at(inquiry, _times(inquiry, span), target)
    if not looks:
        return _nothing(inquiry, target)
    # Without a time, only the times with objects count.
    meant = [one for one in looks if one.count or not span.whole] or looks
    value, agreeing = _usual(meant)
    if not value and span.whole:
        # Who asks how many there are has seen some.
        return _nothing(inquiry, target)
    best = max(agreeing, key=lambda one: sure_of([one]))
    share = len(agreeing) / len(meant) * min(1.0, 0.5 + len(meant) / len(looks))
    probability = (0.25 + 0.6 * share * sure_of(agreeing)) * min(1.0, 0.6 + 0.4 * span.chance)
    probability *= 0.9 if value > 4 else 1.0
    return _finding(inquiry, target, value, best, probability, looks)


def _times(inquiry: Inquiry, span: QuestionSpan) -> list[float]:
    """Return the times to look at: close together at a moment, else spread over the whole video."""
    start = inquiry.form.anchor("start")
    if span.whole:
        return spread(0.0, inquiry.duration_s, _SPREAD, inquiry.duration_s)
    if start is not None and span.start_s == 0.0:
        return spread(0.0, min(_MOMENT_S, span.end_s), _MOMENT_LOOKS, inquiry.duration_s)
    if inquiry.form.anchor("end") is not None and span.end_s >= inquiry.duration_s:
        return spread(inquiry.duration_s - _MOMENT_S, inquiry.duration_s, _MOMENT_LOOKS, inquiry.duration_s)
    looks = _MOMENT_LOOKS if span.end_s - span.start_s < 2 * _MOMENT_S else _SPREAD // 2 + 1
    return spread(span.start_s, span.end_s, looks, inquiry.duration_s)


def _usual(looks: Sequence[TimedDetections]) -> tuple[int, list[TimedDetections]]:
    tally = Counter(one.count for one in looks)
    value = max(tally, key=lambda count: (tally[count], count))
    return value, [one for one in looks if one.count == value]


def _extreme(inquiry: Inquiry, target: Target) -> Steps:
    """Count at many times; the most and the fewest must be seen more than once."""
    number = min(_DENSE, max(_SPREAD, int(inquiry.duration_s / _DENSE_STEP_S)))
    looks = yield from detect_at(inquiry, spread(0.0, inquiry.duration_s, number, inquiry.duration_s), target)
    if not looks:
        return _nothing(inquiry, target)
    tally = Counter(one.count for one in looks)
    often = [count for count, times in tally.items() if times >= 2] or list(tally)
    most = inquiry.form.extreme == "most"
    # For the fewest, times without any do not count: the objects were missed or gone.
    fewest = min((count for count in often if count), default=0)
    value = max(often) if most else fewest
    best = max((one for one in looks if one.count == value), key=lambda one: sure_of([one]))
    share = min(1.0, tally[value] / 4)
    probability = (0.35 + 0.4 * share) * (1.0 if value < 5 else 0.8)
    return _finding(inquiry, target, value, best, probability, looks)


def _finding(
    inquiry: Inquiry,
    target: Target,
    value: int,
    best: TimedDetections,
    probability: float,
    looks: Sequence[TimedDetections],
) -> Finding:
    language = inquiry.form.language
    said = in_picture(value, target, best.time_s, language)
    answer_text = (
        f"{counted(value, target, language)} ({pick(language, 'at ', '')}{seconds(best.time_s, language)})"
    )
    looked = pick(
        language,
        f"Looked at {len(looks)} moments; {said}",
        f"查看了 {len(looks)} 个时刻；{said}",
    )
    return Finding(answer_text, min(probability, 0.95), claim(said, best.record), looked)


def _nothing(inquiry: Inquiry, target: Target) -> Finding:
    words = pick(
        inquiry.form.language,
        f"It cannot be told: no {target.head} was made out.",
        f"无法判断：没有辨认出{target.head}。",
    )
    return Finding(words, 0.05, cannot_tell=True)


def _count_distinct(inquiry: Inquiry, target: Target) -> Steps:
    """Register every object seen at times spread over the video, and count the distinct ids."""
    duration, language = inquiry.duration_s, inquiry.form.language
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
    lasting = {
        name: record for name, record in zip(names, followed, strict=True) if _followed_s(record) >= least
    }
    return _distinct_finding(inquiry, target, {k: v for k, v in lasting.items() if v is not None}, looks)


def _followed_s(record: EvidenceRecord | None) -> float:
    track = read(record, TrackEntityResult)
    return 0.0 if track is None else track.summary.total_duration


def _distinct_finding(
    inquiry: Inquiry, target: Target, lasting: Mapping[str, EvidenceRecord], looks: list[TimedDetections]
) -> Finding:
    language = inquiry.form.language
    fullest = max(looks, key=lambda one: one.count)
    value = max(len(lasting), fullest.count)
    things = counted(value, target, language)
    claims: tuple[Claim, ...] = ()
    if len(lasting) == value:
        first, *rest = lasting.values()
        apart = pick(language, f"{things} are told apart.", f"可以区分出 {things}。")
        claims = claim(apart, first, also=tuple(rest))
    at_once = counted(fullest.count, target, language)
    seen = pick(
        language,
        f"At {seconds(fullest.time_s, 'en')} {at_once} are in the picture at once.",
        f"{seconds(fullest.time_s, 'zh')}时画面中同时有 {at_once}。",
    )
    different = pick(language, f"{value} different {things.split(' ', 1)[1]}", f"{things}（不同的）")
    # Objects seen at once are certainly different; beyond them, one may have two ids.
    probability = 0.3 + 0.55 * fullest.count / value
    return Finding(different, probability, claims + claim(seen, fullest.record), f"{different}. {seen}")


def _count_speakers(inquiry: Inquiry) -> Steps:
    """Count the speakers of the transcript; without speaker labels there is at least one."""
    language = inquiry.form.language
    (record,) = yield [call("get_transcript", inquiry, include_speaker_info=True)]
    lines = lines_of(record)
    if not lines:
        text = pick(language, "0 people: nothing is said.", "0 个人：没有人说话。")
        return Finding(text, 0.6, claim(pick(language, "Nothing is said.", "没有人说话。"), record))
    voices = {line.speaker_id for line in lines if line.speaker_id}
    value = max(1, len(voices))
    said = quoted(lines[0].text, language)
    text = pick(language, f"{value} {'person' if value == 1 else 'people'}", f"{value} 个人")
    told = pick(language, f"A voice says {said}", f"有人说{said}")
    proof = claim(told, record, start_s=lines[0].start_time, end_s=lines[0].end_time, quote=lines[0].text)
    return Finding(text, 0.5 if voices else 0.4, proof)
