"""Which of several events comes first, and how two moments differ."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from vidence.embedded.recipes.locate import Located, event_query
from vidence.embedded.recipes.objects import TimedDetections, detect_at, shown, sure_of
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, read, together
from vidence.embedded.recipes.when import locate
from vidence.embedded.recipes.wording import capital, counted, joined, pick, quoted, seconds, sentence
from vidence.language.phrases import phrase
from vidence.language.question import Target
from vidence.ops.describe_visual import DescribeVisualResult
from vidence.schema.evidence import Claim

__all__ = ["compare_moments", "order_events"]

_APART_S = 1.0
_AFTER = re.compile(r"\b(?:after|later)\b|之后|以后", re.IGNORECASE)
_AROUND_S = 0.3
_LAST_S = 0.15
_MORE = re.compile(r"\b(?:more|most|greater|larger)\b|更多|较多|多一?些|比较多|[哪更]个?多", re.IGNORECASE)
_FEWER = re.compile(r"\b(?:fewer|less|least|fewest|smaller)\b|更少|较少|少一?些|[哪更]个?少", re.IGNORECASE)


def order_events(inquiry: Inquiry) -> Steps:
    """Locate each event and compare their times."""
    form = inquiry.form
    if len(form.items) < 2:
        words = pick(form.language, "It cannot be told which events are meant.", "无法判断指的是哪些事件。")
        return Finding(words, 0.05, cannot_tell=True)
    found = yield from together([locate(inquiry, _as_event(item)) for item in form.items])
    placed = [(item, one) for item, one in zip(form.items, found, strict=True) if one is not None]
    if len(placed) < len(found):
        return _unfound(inquiry, [item for item, one in zip(form.items, found, strict=True) if one is None])
    if form.comparison in ("before_after", "yes_no"):
        return _two(inquiry, placed[0][1], placed[1][1])
    return _many(inquiry, placed)


def _as_event(item: str) -> str:
    """Split compound words of an event: a two-bottle removal is one of two bottles."""
    return item if event_query(item).change is None else item.replace("-", " ")


def _two(inquiry: Inquiry, first: Located, second: Located) -> Finding:
    form = inquiry.form
    is_before = first.time_s < second.time_s
    apart = min(1.0, 0.5 + abs(first.time_s - second.time_s) / (4 * _APART_S))
    chance = 0.5 + 0.5 * apart * min(1.0, first.chance * second.chance * 1.2)
    said = pick(
        form.language,
        f"{capital(form.items[0])} is at {seconds(first.time_s, 'en')}, {form.items[1]} at "
        f"{seconds(second.time_s, 'en')}.",
        f"{form.items[0]}在 {seconds(first.time_s, 'zh')}，"
        f"{form.items[1]}在 {seconds(second.time_s, 'zh')}。",
    )
    return Finding(_relation(inquiry, is_before), min(chance, 0.92), (*first.claims, *second.claims), said)


def _relation(inquiry: Inquiry, is_before: bool) -> str:
    form = inquiry.form
    if form.comparison == "yes_no":
        asked_after = bool(_AFTER.search(form.text))
        holds = is_before != asked_after
        return pick(form.language, "Yes" if holds else "No", "是的" if holds else "不是")
    return pick(form.language, "Before" if is_before else "After", "之前" if is_before else "之后")


def _unfound(inquiry: Inquiry, missing: Sequence[str]) -> Finding:
    """Say which events were not found: an order of what was not seen would be a guess."""
    language = inquiry.form.language
    listed = joined([quoted(one, language) for one in missing], language)
    text = pick(language, f"It cannot be told: {listed} was not found.", f"无法判断：没有找到{listed}。")
    return Finding(text, 0.1, cannot_tell=True)


def _many(inquiry: Inquiry, placed: Sequence[tuple[str, Located]]) -> Finding:
    form = inquiry.form
    seen = sorted(placed, key=lambda pair: pair[1].time_s)
    claims: tuple[Claim, ...] = tuple(claim for _, one in seen for claim in one.claims)
    times = "; ".join(f"{item}: {seconds(one.time_s, form.language)}" for item, one in seen)
    chance = _sureness([one for _, one in seen])
    if form.comparison == "sequence":
        listed = pick(form.language, ", ", "、").join(item for item, _ in seen)
        return Finding(listed, chance, claims, times)
    chosen = seen[0][0] if form.comparison == "first" else seen[-1][0]
    return Finding(capital(chosen), chance, claims, times)


def _sureness(found: Sequence[Located]) -> float:
    """Return the probability of an order, from the weakest event and the smallest gap."""
    gaps = [min(1.0, 0.4 + (b.time_s - a.time_s) / (4 * _APART_S)) for a, b in pairwise(found)]
    least = min(one.chance for one in found)
    return min(0.9, 0.35 + 0.55 * min(1.0, least * 1.3) * min(gaps, default=1.0))


def compare_moments(inquiry: Inquiry) -> Steps:
    """Count at both moments when a number is compared, else describe both."""
    times = [min(time_s, max(0.0, inquiry.duration_s - _LAST_S)) for time_s in inquiry.form.moments[:2]]
    thing = next((one for one in inquiry.form.targets if one.category), None)
    fewer = bool(_FEWER.search(inquiry.form.text))
    if thing is not None and (fewer or _MORE.search(inquiry.form.text)):
        return (yield from _counted(inquiry, thing, times, fewer=fewer))
    return (yield from _described(inquiry, times))


def _counted(inquiry: Inquiry, thing: Target, times: Sequence[float], *, fewer: bool) -> Steps:
    language = inquiry.form.language
    looks = yield from detect_at(inquiry, times, thing.category or thing)
    if len(looks) < 2:
        text = phrase("cannot_tell", language)
        return Finding(text, 0.05, cannot_tell=True)
    one, other = looks[0], looks[1]
    claims = shown((one, other), thing, language)
    if one.count == other.count:
        text = pick(
            language,
            f"The same at both: {counted(one.count, thing, 'en')}.",
            f"一样多：都是 {counted(one.count, thing, 'zh')}。",
        )
        return Finding(text, 0.5, claims)
    chosen, rest = (one, other) if (one.count < other.count) == fewer else (other, one)
    return Finding(_verdict(inquiry, thing, chosen, rest), 0.45 + 0.35 * sure_of([one, other]), claims)


def _verdict(inquiry: Inquiry, thing: Target, chosen: TimedDetections, rest: TimedDetections) -> str:
    language = inquiry.form.language
    at, than = seconds(chosen.time_s, language), seconds(rest.time_s, language)
    return pick(
        language,
        f"At {at}: {counted(chosen.count, thing, 'en')}, against {rest.count} at {than}.",
        f"{at}时：{counted(chosen.count, thing, 'zh')}，而 {than}时是 {rest.count}。",
    )


def _described(inquiry: Inquiry, times: Sequence[float]) -> Steps:
    language = inquiry.form.language
    records = yield [
        call(
            "describe_visual",
            inquiry,
            start_time=round(max(0.0, time_s - _AROUND_S), 2),
            end_time=round(min(inquiry.duration_s, time_s + _AROUND_S), 2),
            language=language,
        )
        for time_s in times
    ]
    told = [
        (time_s, record, seen)
        for time_s, record in zip(times, records, strict=True)
        if (seen := read(record, DescribeVisualResult)) is not None
    ]
    if len(told) < len(times):
        text = phrase("cannot_tell", language)
        return Finding(text, 0.05, cannot_tell=True)
    lead = pick(language, "At {}: ", "{}时：")
    said = [lead.format(seconds(time_s, language)) + seen.description for time_s, _, seen in told]
    claims = tuple(part for _, record, seen in told for part in claim(seen.description, record))
    return Finding(" ".join(sentence(one, language) for one in said), 0.5, claims)
