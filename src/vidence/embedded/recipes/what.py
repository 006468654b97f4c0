"""What a thing is: of a kind that the question names, or that stands in the relation it speaks of."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from vidence.embedded.recipes import said
from vidence.embedded.recipes.cite import claim, read
from vidence.embedded.recipes.inventory import Asked, Named, asked_kind, members
from vidence.embedded.recipes.listing import list_group, listed_group
from vidence.embedded.recipes.moments import Moment, moment_of, sample_times
from vidence.embedded.recipes.pointing import in_position, position_in
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call
from vidence.embedded.recipes.speech import prefixes
from vidence.embedded.recipes.wording import article, pick, seconds, sentence
from vidence.ops.detect_objects import DetectObjectsResult
from vidence.ops.temporal_search import TemporalSearchResult
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["answer"]

_FRAMES = 4
_SEARCHED = 2
_LONGEST = 190
_MOST = 30
_WEIGHT = 5.0
"""How much more a name weighs for each tenth of likeness in the picture than for being common."""
_CLOSE = 0.25
_NAMED_TRUST = 0.5
"""Any member of a kind may be asked for by its kind; a relation rather brings the common ones to mind."""
_VAGUE, _FAIRLY_PLAIN, _PLAIN = 0.4, 0.5, 0.75
_NARROW = frozenset({"neckwear", "wristwear", "threelegged", "eyewear", "footwear", "headwear"})
"""Kinds with so few members that the relation alone nearly settles it."""
_CLEAR = frozenset({"animal", "vehicle", "bird", "fruit", "instrument"})


@dataclass(frozen=True)
class _Candidate:
    thing: Named
    seen: float
    score: float
    time_s: float
    record: EvidenceRecord


def answer(inquiry: Inquiry) -> Steps:
    """Look for every thing of the kind in frames of the moment, and name the one that fits best."""
    form, asked = inquiry.form, asked_kind(inquiry.form)
    if form.sense == "said" or prefixes(form.text, form.quoted):
        return (yield from said.answer(inquiry))
    group = listed_group(form)
    if group is not None:
        return (yield from list_group(inquiry, group))
    moment = yield from moment_of(inquiry)
    (searched,) = yield (call("temporal_search", inquiry, query=form.text, top_k=3, modality="visual"),)
    things = [one for one in members(asked.kind) if not _in_question(one, inquiry)][:_MOST]
    times = _times(moment, searched)
    looks = yield [
        call("detect_objects", inquiry, timestamp=time, query=query, confidence_threshold=0.0)
        for time in times
        for query in _queries(things)
    ]
    ranked = _ranked(inquiry, asked, things, looks)
    if not ranked:
        return _unknown(inquiry, searched)
    return _named(inquiry, asked, ranked)


def _in_question(thing: Named, inquiry: Inquiry) -> bool:
    """A thing that the question itself names is not what it asks for."""
    heads = {target.head.lower() for target in inquiry.form.targets}
    return thing.name.lower() in heads or (thing.chinese in heads)


def _times(moment: Moment, searched: EvidenceRecord | None) -> list[float]:
    found = read(searched, TemporalSearchResult)
    times = sample_times(moment, _FRAMES)
    for hit in (found.results if found else [])[:_SEARCHED]:
        middle = round((hit.start_time + hit.end_time) / 2, 2)
        if moment.start_s <= middle <= moment.end_s and all(abs(middle - time) > 0.3 for time in times):
            times.append(middle)
    return times


def _queries(things: Sequence[Named]) -> Iterator[str]:
    """Return the names as queries short enough for the operation."""
    batch: list[str] = []
    for one in things:
        if batch and len(", ".join([*batch, one.name])) > _LONGEST:
            yield ", ".join(batch)
            batch = []
        batch.append(one.name)
    if batch:
        # A single name would be looked for alone, not weighed against others.
        yield ", ".join(batch if len(batch) > 1 else [*batch, "thing"])


def _ranked(
    inquiry: Inquiry, asked: Asked, things: Sequence[Named], looks: Sequence[EvidenceRecord | None]
) -> list[_Candidate]:
    position = position_in(inquiry.form)
    trust = _NAMED_TRUST if asked.how == "named" else 1.0
    seen: dict[str, list[tuple[float, float, EvidenceRecord]]] = {}
    for record in looks:
        found = read(record, DetectObjectsResult)
        for one in found.objects if found else ():
            assert record is not None
            assert found is not None
            weight = one.confidence * (1.0 if in_position(one, position) else 0.4)
            seen.setdefault(one.category, []).append((weight, found.timestamp, record))
    ranked = []
    for thing in things:
        sightings = sorted(seen.get(thing.name, ()), key=lambda each: -each[0])
        if sightings:
            mean = sum(weight for weight, _, _ in sightings[:3]) / min(3, len(sightings))
            # What is shown once may be plain only once; what something is done with is there all along.
            likeness = 0.7 * sightings[0][0] + 0.3 * mean if asked.how == "named" else mean
            score = trust * math.log(thing.prior) + _WEIGHT * likeness
            ranked.append(_Candidate(thing, likeness, score, sightings[0][1], sightings[0][2]))
    return sorted(ranked, key=lambda one: -one.score)


def _named(inquiry: Inquiry, asked: Asked, ranked: Sequence[_Candidate]) -> Finding:
    language, best = inquiry.form.language, ranked[0]
    rivals = [one for one in ranked[1:2] if best.score - one.score < _CLOSE]
    name = _words(best.thing, inquiry)
    text = name
    if asked.how == "named" and best.seen < _VAGUE:
        kind = inquiry.form.targets[0].head if inquiry.form.targets else asked.kind
        text = pick(language, f"{article(kind)}, perhaps {name}", f"一种{kind}，可能是{name}")
    elif rivals and asked.kind not in _CLEAR:
        text = pick(
            language, f"probably {name}, perhaps {_words(rivals[0].thing, inquiry)}",
            f"可能是{name}，也可能是{_words(rivals[0].thing, inquiry)}",
        )  # fmt: skip
    at = seconds(best.time_s, language)
    proofs: list[Claim] = []
    for one in (best, *rivals):
        told = pick(
            language,
            f"What may be {_words(one.thing, inquiry)} is seen at {seconds(one.time_s, 'en')}.",
            f"{seconds(one.time_s, 'zh')}时看到的可能是 {one.thing.name}。",
        )
        proofs += claim(told, one.record, start_s=one.time_s, end_s=one.time_s, quote=one.thing.name)
    margin = best.score - ranked[1].score if len(ranked) > 1 else 0.5
    answered = pick(language, f"{text} (seen at {at})", f"{text}（{at}）") if best.seen > 0.4 else text
    return Finding(sentence(answered, language), _probability(asked, best, margin), tuple(proofs))


def _words(thing: Named, inquiry: Inquiry) -> str:
    return thing.chinese if inquiry.form.language == "zh" else article(thing.name)


def _probability(asked: Asked, best: _Candidate, margin: float) -> float:
    base = 0.5 if asked.kind in _NARROW else 0.25 if asked.how != "open" else 0.12
    sure = base + 0.55 * min(1.0, best.seen) + 0.1 * min(1.0, margin)
    plain = best.seen > _PLAIN or (best.seen > _FAIRLY_PLAIN and margin > 1.0)
    return min(sure, 0.85 if plain else 0.6)


def _unknown(inquiry: Inquiry, record: EvidenceRecord | None) -> Finding:
    language = inquiry.form.language
    text = pick(
        language, "It cannot be told: nothing that fits was made out.", "无法判断：没有辨认出符合的东西。"
    )
    note = pick(language, "Nothing that fits was made out.", "没有辨认出符合的东西。")
    return Finding(text, 0.1, claim(note, record), cannot_tell=True)
