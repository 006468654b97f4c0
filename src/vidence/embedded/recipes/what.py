"""What a thing is, by its kind or its relation to others, and which things of a kind there are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vidence.embedded.recipes.objects import TimedDetections, detect_at, in_position, position_in
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, hits_of, read
from vidence.embedded.recipes.spans import QuestionSpan, find_span, sample_times
from vidence.embedded.recipes.speech import answer as answer_from_speech
from vidence.embedded.recipes.speech import prefixes
from vidence.embedded.recipes.wording import article, joined, pick, seconds, sentence
from vidence.index.narrate.naming import category_name
from vidence.language.categories import group_names
from vidence.language.forms import lookup_forms
from vidence.language.question import QuestionForm, Target
from vidence.language.tables import read_table
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.schema.evidence import Claim, EvidenceRecord

__all__ = ["answer", "asked_kind", "members"]

_FRAMES = 4
_SEARCHED = 2
_LONGEST = 190
_MOST = 30
_WEIGHT = 5.0
"""The weight of similarity to the picture against how common a thing is."""
_CLOSE = 0.25
_NAMED_TRUST = 0.5
"""The weight of how common a thing is, when the question names the kind; with a relation it is 1."""
_VAGUE, _FAIRLY_PLAIN, _PLAIN = 0.4, 0.5, 0.75
_NARROW = frozenset({"neckwear", "wristwear", "threelegged", "eyewear", "footwear", "headwear"})
"""Kinds with so few members that the relation nearly decides."""
_CLEAR = frozenset({"animal", "vehicle", "bird", "fruit", "instrument"})
_LOOKS = 9
_SURE = 0.8
_AGAIN = 2
"""A thing is listed when it is seen this often, or once with high confidence."""
_MANY_ZH = re.compile(r"哪些|哪几|有什么|有些?什么|都有")


@dataclass(frozen=True)
class _Candidate:
    thing: _KindMember
    seen: float
    score: float
    time_s: float
    record: EvidenceRecord


def answer(inquiry: Inquiry) -> Steps:
    """Detect every thing of the kind in frames of the span, and name the best match."""
    form, asked = inquiry.form, asked_kind(inquiry.form)
    if form.sense == "said" or prefixes(form.text, form.quoted):
        return (yield from answer_from_speech(inquiry))
    group = _listed_group(form)
    if group is not None:
        return (yield from _list_group(inquiry, group))
    span = yield from find_span(inquiry)
    (searched,) = yield (call("temporal_search", inquiry, query=form.text, top_k=3, modality="visual"),)
    things = [one for one in members(asked.kind) if not _in_question(one, inquiry)][:_MOST]
    times = _times(span, searched)
    looks = yield [
        call("detect_objects", inquiry, timestamp=time, query=query, confidence_threshold=0.0)
        for time in times
        for query in _queries(things)
    ]
    ranked = _ranked(inquiry, asked, things, looks)
    if not ranked:
        return _unknown(inquiry, searched)
    return _named(inquiry, asked, ranked)


def _in_question(thing: _KindMember, inquiry: Inquiry) -> bool:
    """Return whether the question itself names a thing, so that it cannot be the answer."""
    heads = {target.head.lower() for target in inquiry.form.targets}
    return thing.name.lower() in heads or (thing.chinese in heads)


def _times(span: QuestionSpan, searched: EvidenceRecord | None) -> list[float]:
    times = sample_times(span, _FRAMES)
    for hit in hits_of(searched)[:_SEARCHED]:
        middle = round((hit.start_time + hit.end_time) / 2, 2)
        if span.start_s <= middle <= span.end_s and all(abs(middle - time) > 0.3 for time in times):
            times.append(middle)
    return times


def _queries(things: Sequence[_KindMember]) -> Iterator[str]:
    """Return the names as queries short enough for the operation."""
    batch: list[str] = []
    for one in things:
        if batch and len(", ".join([*batch, one.name])) > _LONGEST:
            yield ", ".join(batch)
            batch = []
        batch.append(one.name)
    if batch:
        # A single name would not be compared with others.
        yield ", ".join(batch if len(batch) > 1 else [*batch, "thing"])


def _ranked(
    inquiry: Inquiry, asked: _AskedKind, things: Sequence[_KindMember], looks: Sequence[EvidenceRecord | None]
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
            # A named kind may show clearly only once; a tool in a relation is visible all along.
            likeness = 0.7 * sightings[0][0] + 0.3 * mean if asked.how == "named" else mean
            score = trust * math.log(thing.prior) + _WEIGHT * likeness
            ranked.append(_Candidate(thing, likeness, score, sightings[0][1], sightings[0][2]))
    return sorted(ranked, key=lambda one: -one.score)


def _named(inquiry: Inquiry, asked: _AskedKind, ranked: Sequence[_Candidate]) -> Finding:
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


def _words(thing: _KindMember, inquiry: Inquiry) -> str:
    return thing.chinese if inquiry.form.language == "zh" else article(thing.name)


def _probability(asked: _AskedKind, best: _Candidate, margin: float) -> float:
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


def _listed_group(form: QuestionForm) -> Target | None:
    """Return the group of things a question wants listed; None when it asks for one thing."""
    if not form.targets or form.targets[0].category not in group_names():
        return None
    group = form.targets[0]
    several = _MANY_ZH.search(form.text) if form.language == "zh" else group.text.lower().endswith("s")
    return group if several else None


def _list_group(inquiry: Inquiry, group: Target) -> Steps:
    """Name every member of the group that is seen in the span."""
    language = inquiry.form.language
    span = yield from find_span(inquiry)
    looks = yield from detect_at(inquiry, sample_times(span, _LOOKS), group.category or group)
    found = _seen(looks)
    if not found:
        text = pick(language, f"None: no {group.head} was seen.", f"没有看到{group.head}。")
        return Finding(text, 0.5, claim(text, looks[0].record if looks else None))
    names = [category_name(best.category) for best, _ in found]
    words = [name.zh if language == "zh" else article(name.en) for name in names]
    claims = tuple(
        part
        for (best, one), word in zip(found, words, strict=True)
        for part in claim(
            pick(
                language,
                f"{sentence(word, 'en').rstrip('.')} is seen at {seconds(one.time_s, 'en')}.",
                f"{seconds(one.time_s, 'zh')}时看到{word}（{best.category}）。",
            ),
            one.record,
            quote=best.category,
        )
    )
    return Finding(sentence(joined(words, language), language), 0.6, claims)


def _seen(looks: Sequence[TimedDetections]) -> list[tuple[DetectedObject, TimedDetections]]:
    """Return each member with its best detection, the most frequent first."""
    sightings: dict[str, list[tuple[DetectedObject, TimedDetections]]] = {}
    for one in looks:
        for thing in one.objects:
            sightings.setdefault(thing.category, []).append((thing, one))
    kept = [each for each in sightings.values() if _is_there(each)]
    kept.sort(key=lambda each: -len(each))
    return [max(each, key=lambda pair: pair[0].confidence) for each in kept]


def _is_there(sightings: Sequence[tuple[DetectedObject, TimedDetections]]) -> bool:
    again = len({one.time_s for _, one in sightings}) >= _AGAIN
    return again or max(thing.confidence for thing, _ in sightings) >= _SURE


@dataclass(frozen=True)
class _KindMember:
    """A thing of a kind: its names and how common it is."""

    name: str
    chinese: str
    prior: float


@dataclass(frozen=True)
class _AskedKind:
    """The kind of thing a question asks for, and how it names it."""

    kind: str
    how: str
    """`named` for "what animal", `relation` for "what is poured from", else `open`."""


def asked_kind(form: QuestionForm) -> _AskedKind:
    """Return the kind of thing a question asks for."""
    text = form.text.lower()
    named = _named_kind(text)
    if named is not None and named != "thing":
        return _AskedKind(named, "named")
    for kind, pattern in _relations():
        if pattern.search(text):
            return _AskedKind(kind, "relation")
    return _AskedKind(named or "thing", "open")


def members(kind: str) -> tuple[_KindMember, ...]:
    """Return the things of a kind, the commonest first."""
    return _kinds().get(kind, ())


def _named_kind(text: str) -> str | None:
    """Return the kind named right after "what" or "which": what animal, which kind of vehicle."""
    match = re.search(
        r"\b(?:what|which)(?:'s| is| are)?(?: the)?(?: kind| type| sort| species| breed| piece| make)?s?"
        r"(?: of)?(?: an?)?"
        r"((?: [\w-]+){1,4})",
        text,
    )
    if match:
        words = match[1].split()
        for length in (3, 2, 1):
            for start in range(min(2, len(words))):
                phrase = " ".join(words[start : start + length])
                for form in lookup_forms(phrase):
                    if form in _kind_words():
                        return _kind_words()[form]
    match = re.search(r"(?:什么|哪种|哪一种|哪类|何种)(?:样的|种类的|类型的)?([\u4e00-\u9fff]{1,4})", text)
    if match:
        for length in (4, 3, 2, 1):
            if match[1][:length] in _kind_words():
                return _kind_words()[match[1][:length]]
    return None


@lru_cache(maxsize=1)
def _kind_words() -> dict[str, str]:
    return {
        word: kind for kind, words in read_table("kind_words.tsv", "embedded") for word in words.split(",")
    }


@lru_cache(maxsize=1)
def _relations() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (kind, re.compile(pattern, re.IGNORECASE))
        for kind, pattern in read_table("relations.tsv", "embedded")
    )


@lru_cache(maxsize=1)
def _kinds() -> dict[str, tuple[_KindMember, ...]]:
    return {kind: tuple(_members(things)) for kind, things in read_table("kinds.tsv", "embedded")}


def _members(things: str) -> Iterator[_KindMember]:
    for place, thing in enumerate(things.split(",")):
        name, _, chinese = thing.partition(":")
        yield _KindMember(name, chinese, 1.0 / (1.0 + 0.12 * place))
