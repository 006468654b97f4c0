"""Which part of the video a question is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.recipes.recipe import Inquiry, Lasting, StepsOf, call, hits_of, segments_of
from vidence.language.question.ordinals import clause_of_time
from vidence.ops.temporal_search import SearchHit
from vidence.schema.evidence import EvidenceRecord

__all__ = [
    "APART_S",
    "CountedPart",
    "QuestionSpan",
    "apart",
    "edge_span",
    "find_span",
    "likely_times",
    "nth_part",
    "place_clause",
    "sample_times",
]

_SpanSteps = StepsOf["QuestionSpan"]

_START_S, _END_S = 3.0, 6.0
_START_SHARE, _END_SHARE = 0.12, 0.2
_AROUND_S = 0.6
_BESIDE_S = 15.0
_EDGE_S = 0.05
APART_S = 0.8
_DENSE_S = 2.0
"""Looks that are no further apart than this need no search for where to look."""
_HITS = 4
_SHARE = 0.6
"""A hit counts as one more occurrence from this share of the best hit's confidence on."""
_SCENE_WORDS = re.compile(
    r"\b(?:the|a|an|this|that)\b|\b(?:scene|part|shot|sequence|section|clip|segment)s?\b|那个|这个|场景|片段|镜头|的时候|时",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class QuestionSpan:
    """The part of the video a question is about, and the record that shows it."""

    start_s: float
    end_s: float
    record: EvidenceRecord | None = None
    chance: float = 1.0
    """The probability that this is the right part."""
    whole: bool = False

    def holds(self, part: Lasting, beside_s: float = 0.0) -> bool:
        """Tell whether something lies at least partly in the span, or this close beside it."""
        return part.end_time > self.start_s - beside_s and part.start_time < self.end_s + beside_s


@dataclass(frozen=True)
class CountedPart:
    """A shot or a scene that a question names by its number."""

    count: int
    """How many there are."""
    span: QuestionSpan | None
    """None when there are too few."""
    record: EvidenceRecord | None


def find_span(inquiry: Inquiry) -> _SpanSteps:
    """Return the part of the video the question is about; the whole video when it names none."""
    pointed = (yield from _nth(inquiry)) or _at_seconds(inquiry)
    if pointed is not None:
        return pointed
    for anchor in inquiry.form.anchors:
        if anchor.clause and anchor.relation in ("at", "while", "before", "after"):
            found = yield from place_clause(inquiry, anchor.clause, anchor.relation)
            if found.record is not None:
                return found
    whole = QuestionSpan(0.0, inquiry.duration_s, whole=True)
    return _edge(inquiry, ("start", "first"), ("end", "last")) or whole


def edge_span(inquiry: Inquiry) -> QuestionSpan | None:
    """Return the part that the question names by seconds or as the start or end; None without either."""
    return _at_seconds(inquiry) or _edge(inquiry, ("start",), ("end",))


def nth_part(inquiry: Inquiry) -> StepsOf[CountedPart | None]:
    """Return the shot or scene the question names by number; None when it names none."""
    ordinal = inquiry.form.ordinal
    if ordinal is None or ordinal.unit not in ("shot", "scene"):
        return None
    fine = "fine" if ordinal.unit == "shot" else "coarse"
    (record,) = yield [call("get_temporal_structure", inquiry, granularity=fine)]
    parts = segments_of(record)
    place = ordinal.of(len(parts))
    span = None if place is None else QuestionSpan(parts[place].start_time, parts[place].end_time, record)
    return CountedPart(len(parts), span, record)


def apart(hits: Sequence[SearchHit]) -> list[SearchHit]:
    """Return the likely hits in order of time; hits that overlap or touch count as one."""
    best = max((hit.confidence for hit in hits), default=0.0)
    kept: list[SearchHit] = []
    for hit in sorted(hits, key=lambda one: one.start_time):
        if hit.confidence >= _SHARE * best and not (kept and hit.start_time - kept[-1].end_time <= APART_S):
            kept.append(hit)
    return kept


def _nth(inquiry: Inquiry) -> StepsOf[QuestionSpan | None]:
    """Return the shot, scene or occurrence the question names by number."""
    part = yield from nth_part(inquiry)
    if part is not None:
        return part.span
    ordinal, clause = inquiry.form.ordinal, clause_of_time(inquiry.form.text)
    if ordinal is None or ordinal.unit != "time" or clause is None:
        return None
    (searched,) = yield [call("temporal_search", inquiry, query=clause, top_k=20, modality="visual")]
    found = apart(hits_of(searched))
    place = ordinal.of(len(found))
    if place is None:
        return None
    return QuestionSpan(
        found[place].start_time, found[place].end_time, searched, 0.8 * found[place].confidence
    )


def place_clause(inquiry: Inquiry, clause: str, relation: str = "while") -> _SpanSteps:
    """Search for the scene a clause describes."""
    query = " ".join(_SCENE_WORDS.sub(" ", clause).split()) or clause
    seen, parts = yield (
        call("temporal_search", inquiry, query=query, top_k=5, modality="visual"),
        call("get_temporal_structure", inquiry, granularity="coarse"),
    )
    hits = hits_of(seen)
    if not hits:
        (seen,) = yield (call("temporal_search", inquiry, query=query, top_k=5, modality="multimodal"),)
        hits = hits_of(seen)
    if not hits:
        return QuestionSpan(0.0, inquiry.duration_s, whole=True)
    best = hits[0]
    scene = _scene_of(best, parts, inquiry.duration_s)
    if relation == "before":
        return QuestionSpan(
            max(0.0, best.start_time - _BESIDE_S), max(best.start_time, 0.1), seen, best.confidence
        )
    if relation == "after":
        end = min(inquiry.duration_s, best.end_time + _BESIDE_S)
        return QuestionSpan(min(best.end_time, end - 0.1), end, seen, best.confidence)
    return QuestionSpan(scene[0], scene[1], seen, best.confidence)


def sample_times(span: QuestionSpan, count: int) -> list[float]:
    """Return times spread over the span, away from its edges."""
    length = span.end_s - span.start_s
    if length < 2 * _EDGE_S or count < 1:
        return [round((span.start_s + span.end_s) / 2, 2)]
    step = length / count
    return [round(span.start_s + (index + 0.5) * step, 2) for index in range(count)]


def likely_times(inquiry: Inquiry, span: QuestionSpan, thing: str, count: int) -> StepsOf[list[float]]:
    """Return times spread over the span and, where they are far apart, of what a search finds for a thing."""
    times = sample_times(span, count)
    if span.end_s - span.start_s <= count * _DENSE_S:
        return times
    (searched,) = yield [call("temporal_search", inquiry, query=thing, top_k=_HITS, modality="visual")]
    for hit in hits_of(searched):
        start, end = max(hit.start_time, span.start_s), min(hit.end_time, span.end_s)
        middle = round((start + end) / 2, 2)
        if end > start and all(abs(middle - other) >= APART_S for other in times):
            times.append(middle)
    return sorted(times)


def _scene_of(hit: SearchHit, parts: EvidenceRecord | None, duration_s: float) -> tuple[float, float]:
    middle = (hit.start_time + hit.end_time) / 2
    for part in segments_of(parts):
        if part.start_time <= middle < part.end_time:
            return part.start_time, min(part.end_time, duration_s)
    return hit.start_time, hit.end_time


def _at_seconds(inquiry: Inquiry) -> QuestionSpan | None:
    duration = inquiry.duration_s
    anchor = next((one for one in inquiry.form.anchors if one.start_s is not None), None)
    if anchor is None or anchor.start_s is None:
        return None
    end = anchor.start_s if anchor.end_s is None else anchor.end_s
    if anchor.relation == "before":
        return QuestionSpan(0.0, max(min(anchor.start_s, duration), 0.1))
    if anchor.relation == "after":
        return QuestionSpan(min(end, max(duration - 0.1, 0.0)), duration)
    pad = _AROUND_S if end - anchor.start_s < 2 * _AROUND_S else 0.0
    start = min(max(0.0, anchor.start_s - pad), max(duration - 0.2, 0.0))
    return QuestionSpan(start, max(min(duration, end + pad), start + 0.1))


def _edge(inquiry: Inquiry, starts: Sequence[str], ends: Sequence[str]) -> QuestionSpan | None:
    """Return the start or the end of the video, whichever the question names first."""
    duration_s = inquiry.duration_s
    for anchor in inquiry.form.anchors:
        if anchor.relation in starts:
            return QuestionSpan(0.0, min(duration_s, max(1.0, min(_START_S, _START_SHARE * duration_s))))
        if anchor.relation in ends:
            length = max(1.0, min(_END_S, _END_SHARE * duration_s))
            return QuestionSpan(max(0.0, duration_s - length), duration_s)
    return None
