"""How many times something happens, is heard or is said."""

from __future__ import annotations

import re

from vidence.embedded.recipes.objects import changes_of, detect_at, slots_of, spread
from vidence.embedded.recipes.recipe import (
    Finding,
    Inquiry,
    Steps,
    call,
    claim,
    hits_of,
    lines_of,
    sounds_of,
)
from vidence.embedded.recipes.spans import apart, find_span
from vidence.embedded.recipes.wording import pick, seconds
from vidence.language.question import read_question
from vidence.ops.temporal_search import SearchHit
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["count_repeated"]

_LOOKS = 28
_USUAL = 2
"""The guess without evidence: a question for a number of times expects more than one."""


def count_repeated(inquiry: Inquiry) -> Steps:
    """Count in the transcript, the sounds or the picture, as the question asks."""
    form = inquiry.form
    if form.sense == "said" and (form.quoted or form.targets):
        return (yield from _said(inquiry))
    if form.sense == "heard":
        return (yield from _heard(inquiry))
    change = read_question(form.text).search.change
    subject = form.targets[0] if form.targets else None
    if change in ("appear", "vanish") and subject is not None and subject.category is not None:
        return (yield from _changed(inquiry, subject.category, change))
    return (yield from _seen(inquiry))


def _said(inquiry: Inquiry) -> Steps:
    form = inquiry.form
    words = form.quoted[0] if form.quoted else form.targets[-1].head
    (record,) = yield [call("get_transcript", inquiry)]
    found = [(line, len(re.findall(re.escape(words), line.text, re.IGNORECASE))) for line in lines_of(record)]
    value = sum(number for _, number in found)
    first = next((line for line, number in found if number), None)
    said = pick(form.language, f"“{words}” is said", f"说到“{words}”")
    claims = claim(
        pick(form.language, f"{said}: “{first.text}”", f"{said}：“{first.text}”"), record, quote=first.text
    ) if first else ()  # fmt: skip
    return _finding(inquiry, value, 0.7 if value else 0.4, claims, record)


def _heard(inquiry: Inquiry) -> Steps:
    form = inquiry.form
    query = " ".join(target.head for target in form.targets) or form.text
    events, searched = yield [
        call("detect_audio_events", inquiry),
        call("temporal_search", inquiry, query=query, top_k=20, modality="audio"),
    ]
    sounds = sounds_of(events)
    hits = apart(hits_of(searched))
    kinds = dict.fromkeys(one.event_type for one in sounds)
    named = next((kind for kind in kinds if set(kind.split("_")) & set(query.lower().split())), None)
    if named is not None:
        value = sum(one.event_type == named for one in sounds)
        return _finding(inquiry, value, 0.5, _spans_claim(inquiry, hits, events), events)
    return _finding(
        inquiry, len(hits), 0.35 if hits else 0.3, _spans_claim(inquiry, hits, searched), searched
    )


def _changed(inquiry: Inquiry, category: str, change: str) -> Steps:
    times = spread(0.0, inquiry.duration_s, _LOOKS, inquiry.duration_s)
    looks = yield from detect_at(inquiry, times, category)
    sign = 1 if change == "appear" else -1
    found = [one for one in changes_of(looks, slots_of(looks)) if one.delta * sign > 0]
    # Something that is there from the start has appeared once.
    value = len(found) + bool(sign > 0 and looks and looks[0].count)
    claims: tuple[Claim, ...] = ()
    if found:
        at = pick(inquiry.form.language, "At {} it is seen to change.", "{}时发生变化。")
        claims = claim(
            at.format(seconds(found[0].after.time_s, inquiry.form.language)), found[0].after.record
        )
    return _finding(inquiry, value, 0.45, claims, looks[0].record if looks else None)


def _seen(inquiry: Inquiry) -> Steps:
    span = yield from find_span(inquiry)
    (searched,) = yield [
        call("temporal_search", inquiry, query=inquiry.form.text, top_k=20, modality="multimodal")
    ]
    hits = apart([
        hit for hit in hits_of(searched) if hit.start_time <= span.end_s and hit.end_time >= span.start_s
    ])  # fmt: skip
    if not hits:
        return _finding(inquiry, _USUAL, 0.2, (), searched)
    return _finding(inquiry, len(hits), 0.35, _spans_claim(inquiry, hits, searched), searched)


def _spans_claim(inquiry: Inquiry, hits: list[SearchHit], record: EvidenceRecord | None) -> tuple[Claim, ...]:
    if not hits:
        return ()
    times = ", ".join(seconds(hit.start_time, inquiry.form.language) for hit in hits[:6])
    told = pick(inquiry.form.language, f"It is found from {times}.", f"出现于 {times}。")
    return claim(told, record)


def _finding(
    inquiry: Inquiry,
    value: int,
    probability: float,
    claims: tuple[Claim, ...],
    record: EvidenceRecord | None,
) -> Finding:
    language = inquiry.form.language
    text = pick(language, f"{value} time{'s' if value != 1 else ''}", f"{value} 次")
    if not claims:
        looked = pick(language, "The whole video was searched.", "搜索了整个视频。")
        claims = claim(looked, record)
    return Finding(text, probability, claims, text)
