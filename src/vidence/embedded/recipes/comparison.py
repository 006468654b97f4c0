"""Which of several events comes first, and how two moments differ."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from vidence.embedded.recipes.locate import Located, event_query
from vidence.embedded.recipes.objects import detect_at, shown, sure_of
from vidence.embedded.recipes.recipe import (
    Finding,
    Inquiry,
    Steps,
    call,
    claim,
    has_cue,
    read,
    together,
    untold,
)
from vidence.embedded.recipes.when import locate
from vidence.embedded.recipes.wording import capital, counted, joined, pick, quoted, seconds, sentence
from vidence.language.question import Target
from vidence.ops.describe_visual import DescribeVisualResult

__all__ = ["compare_moments", "order_events"]

_APART_S = 1.0
_AROUND_S = 0.3
_LAST_S = 0.15


def order_events(inquiry: Inquiry) -> Steps:
    """Locate each event and compare their times."""
    form = inquiry.form
    if len(form.items) < 2:
        return untold(inquiry, "no_events")
    found = yield from together([locate(inquiry, _as_event(item)) for item in form.items])
    placed = [(item, one) for item, one in zip(form.items, found, strict=True) if one is not None]
    if len(placed) < len(found):
        # An order of what was not seen would be a guess.
        missing = [quoted(item) for item, one in zip(form.items, found, strict=True) if one is None]
        return untold(inquiry, "no_event", joined(missing, form.language))
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
    at, then = (seconds(one.time_s, form.language) for one in (first, second))
    said = inquiry.say("event_times", first=capital(form.items[0]), second=form.items[1], at=at, then=then)
    told = "before" if is_before else "after"
    if form.comparison == "yes_no":
        told = "yes" if is_before != has_cue("after", form.text) else "no"
    return Finding(inquiry.say(told), min(chance, 0.92), (*first.claims, *second.claims), said)


def _many(inquiry: Inquiry, placed: Sequence[tuple[str, Located]]) -> Finding:
    form = inquiry.form
    seen = sorted(placed, key=lambda pair: pair[1].time_s)
    claims = tuple(claim for _, one in seen for claim in one.claims)
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
    fewer = has_cue("fewer", inquiry.form.text)
    if thing is not None and (fewer or has_cue("more", inquiry.form.text)):
        return (yield from _counted(inquiry, thing, times, fewer=fewer))
    return (yield from _described(inquiry, times))


def _counted(inquiry: Inquiry, thing: Target, times: Sequence[float], *, fewer: bool) -> Steps:
    language = inquiry.language
    looks = yield from detect_at(inquiry, times, thing.category or thing)
    if len(looks) < 2:
        return untold(inquiry)
    one, other = looks[0], looks[1]
    claims = shown((one, other), thing, language)
    if one.count == other.count:
        return Finding(inquiry.say("same_at_both", counted(one.count, thing, language)), 0.5, claims)
    chosen, rest = (one, other) if (one.count < other.count) == fewer else (other, one)
    at, than = (seconds(look.time_s, language) for look in (chosen, rest))
    things = counted(chosen.count, thing, language)
    text = inquiry.say("more_at", things, at=at, rest=rest.count, than=than)
    return Finding(text, 0.45 + 0.35 * sure_of([one, other]), claims)


def _described(inquiry: Inquiry, times: Sequence[float]) -> Steps:
    language = inquiry.language
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
        return untold(inquiry)
    said = [
        sentence(inquiry.say("described_at", seen.description, at=seconds(time_s, language)), language)
        for time_s, _, seen in told
    ]
    claims = tuple(part for _, record, seen in told for part in claim(seen.description, record))
    return Finding(" ".join(said), 0.5, claims)
