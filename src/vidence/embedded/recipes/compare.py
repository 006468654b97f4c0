"""Two moments set beside each other: where there is more of something, or what is different."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.nouns import counted
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.timeline import Look, look, shown, sure_of
from vidence.embedded.recipes.wording import pick, seconds, sentence
from vidence.language.phrases import phrase
from vidence.language.question.form import Target
from vidence.ops.describe_visual import DescribeVisualResult

__all__ = ["answer"]

_AROUND_S = 0.3
_LAST_S = 0.15
_MORE = re.compile(r"\b(?:more|most|greater|larger)\b|更多|较多|多一?些|比较多|[哪更]个?多", re.IGNORECASE)
_FEWER = re.compile(r"\b(?:fewer|less|least|fewest|smaller)\b|更少|较少|少一?些|[哪更]个?少", re.IGNORECASE)


def answer(inquiry: Inquiry) -> Steps:
    """Count at both moments where a number is compared, else describe both."""
    times = [min(time_s, max(0.0, inquiry.duration_s - _LAST_S)) for time_s in inquiry.form.moments[:2]]
    thing = next((one for one in inquiry.form.targets if one.category), None)
    fewer = bool(_FEWER.search(inquiry.form.text))
    if thing is not None and (fewer or _MORE.search(inquiry.form.text)):
        return (yield from _counted(inquiry, thing, times, fewer=fewer))
    return (yield from _described(inquiry, times))


def _counted(inquiry: Inquiry, thing: Target, times: Sequence[float], *, fewer: bool) -> Steps:
    language = inquiry.form.language
    looks = yield from look(inquiry, times, thing.category or thing)
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


def _verdict(inquiry: Inquiry, thing: Target, chosen: Look, rest: Look) -> str:
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
