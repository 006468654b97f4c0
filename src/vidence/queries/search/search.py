"""Search in one video or in all of them: gather the evidence, fuse it, return the likeliest spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vidence.language.question import SearchQuery
from vidence.models.shelf import ModelShelf
from vidence.queries.search.changes import changes_seen
from vidence.queries.search.fuse import (
    AUDIO_SOURCES,
    SOURCES,
    EvidenceTimeline,
    Modality,
    Peak,
    features,
    fuse,
    in_order,
    peaks,
)
from vidence.queries.search.heard import captions_read, screen_read, sounds_heard, words_heard
from vidence.queries.search.material import Hit, Material
from vidence.queries.search.meaning import Phrases, pictures_like, texts_like
from vidence.queries.search.seen import actions_seen, labels_seen, objects_seen
from vidence.schema.time import TimeRange
from vidence.store import Store

__all__ = ["AUDIO_STAGES", "VISUAL_STAGES", "SearchSpan", "evidence", "search_library", "search_video"]

VISUAL_STAGES = ("shots", "frames", "labels", "objects", "ocr", "lens_vectors", "captions")
AUDIO_STAGES = ("transcript", "sounds")

LEAST, LEAST_ASKED = 0.25, 0.12
"""Least probability of a result; lower for a question, where a weak lead is better than none."""
_BESIDE_BEST = 0.3
"""Least probability as a share of the best result's."""
_MIN_SPAN_S = 0.04
_ALL_CLOSELY = 40
"""Up to this many videos, each is searched in full."""
_DEPTH = 400
_SHORT = 40
_NAMED = ("transcript", "ocr", "sounds", "objects", "labels", "captions")


@dataclass(frozen=True)
class SearchSpan:
    """One span of a video that answers a query."""

    video_id: str
    segment_id: str
    start_s: float
    end_s: float
    confidence: float
    modality: Modality
    sources: tuple[str, ...]
    """Sources of its evidence, the strongest first."""


def search_video(
    query: SearchQuery,
    material: Material,
    phrases: Phrases,
    *,
    modality: Modality,
    limit: int,
    span: TimeRange | None = None,
) -> list[SearchSpan]:
    """Return the best spans, the likeliest first; none when nothing fits."""
    hits = [hit for hit in evidence(query, material, phrases) if _wanted(hit, modality)]
    if span is not None:
        hits = [clipped for hit in hits if (clipped := _clip(hit, span)) is not None]
    if not hits and query.hint is None:
        return []
    cuts = [shot.start_time for shot in material.shots[1:]]
    within = [span.start_time, span.end_time] if span else []
    timeline = features(query, hits, duration_s=material.duration_s, cuts=[*cuts, *within])
    chances = fuse(timeline)
    if span is not None:
        middles = (timeline.edges[:-1] + timeline.edges[1:]) / 2
        chances = np.where((middles >= span.start_time) & (middles <= span.end_time), chances, 0.0)
    found = peaks(
        timeline.edges,
        chances,
        joined=_joined(timeline, [] if "cut" in query.cues else cuts),
        limit=limit,
        least=_least(query, chances),
    )
    return [
        _found(material, timeline, peak)
        for peak in in_order(query, found)
        if peak.end_s - peak.start_s >= _MIN_SPAN_S
    ]


def search_library(
    store: Store,
    shelf: ModelShelf,
    query: SearchQuery,
    *,
    videos: Sequence[str],
    modality: Modality,
    limit: int,
) -> list[SearchSpan]:
    """Return the best spans of all `videos`, the likeliest first."""
    phrases = Phrases(query, shelf)
    chosen = videos if len(videos) <= _ALL_CLOSELY else _shortlist(store, query, phrases, videos)
    found = [
        one
        for video_id in chosen
        for one in search_video(query, Material(store, video_id), phrases, modality=modality, limit=limit)
    ]
    return sorted(found, key=lambda one: -one.confidence)[:limit]


def evidence(query: SearchQuery, material: Material, phrases: Phrases) -> Iterator[Hit]:
    """Yield all evidence for the query; quoted words are searched in speech and on screen only."""
    yield from words_heard(query, material)
    yield from screen_read(query, material)
    if query.exact:
        return
    yield from sounds_heard(query, material)
    yield from captions_read(query, material)
    yield from changes_seen(query, material)
    if query.change != "absent" and "cut" not in query.cues:
        yield from labels_seen(query, material)
        yield from objects_seen(query, material)
        yield from actions_seen(query, material)
        yield from pictures_like(phrases, material)
    yield from texts_like(phrases, material)


def _shortlist(store: Store, query: SearchQuery, phrases: Phrases, videos: Sequence[str]) -> list[str]:
    """Return the videos whose frames, speech or rows match the query roughly."""
    ranked: list[str] = []
    if not query.exact:
        encoder = phrases.encoder
        if encoder is not None:
            ranked += store.vectors.best_videos(
                "lens_vectors", phrases.for_pictures(encoder)[0], depth=_DEPTH
            )[:_SHORT]
        ranked += store.vectors.best_videos("text_vectors", phrases.for_texts()[0], depth=_DEPTH)[:_SHORT]
    for words in query.exact or query.stems:
        ranked += store.observations.videos_naming(words, _NAMED, limit=_SHORT)
    known = set(videos)
    return [video_id for video_id in dict.fromkeys(ranked) if video_id in known]


def _wanted(hit: Hit, modality: Modality) -> bool:
    return modality == "multimodal" or (hit.source in AUDIO_SOURCES) == (modality == "audio")


def _clip(hit: Hit, span: TimeRange) -> Hit | None:
    start, end = max(hit.start_s, span.start_time), min(hit.end_s, span.end_time)
    return Hit(start, end, hit.score, hit.source) if end > start else None


def _least(query: SearchQuery, chances: NDArray[np.float64]) -> float:
    least = LEAST_ASKED if query.is_question else LEAST
    return max(least, _BESIDE_BEST * float(chances.max(initial=0.0)))


def _strengths(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the strength of visual and of audible evidence in each interval."""
    audible = np.array([source in AUDIO_SOURCES for source in SOURCES])
    known = values[:, : len(SOURCES)]
    return known[:, ~audible].max(axis=1, initial=0.0), known[:, audible].max(axis=1, initial=0.0)


def _joined(timeline: EvidenceTimeline, cuts: list[float]) -> NDArray[np.bool_]:
    """Return which intervals may join the one before: those of one shot, and sound across cuts."""
    seen, heard = _strengths(timeline.values)
    by_ear = heard > seen
    same_shot = ~np.isin(timeline.edges[:-1], np.round(cuts, 3))
    both_heard = by_ear & np.concatenate([[False], by_ear[:-1]]) if len(by_ear) else by_ear
    return np.asarray(same_shot | both_heard)


def _found(material: Material, timeline: EvidenceTimeline, peak: Peak) -> SearchSpan:
    inside = timeline.values[peak.first_cell : peak.last_cell + 1]
    seen, heard = (float(side.max(initial=0.0)) for side in _strengths(inside))
    strongest = inside[:, : len(SOURCES)].max(axis=0)
    order = np.argsort(-strongest)
    modality: Modality = "visual" if heard < 0.15 else "audio" if seen < 0.15 else "multimodal"
    return SearchSpan(
        material.video_id,
        material.shot_at((peak.start_s + peak.end_s) / 2).segment_id,
        peak.start_s,
        peak.end_s,
        peak.probability,
        modality,
        tuple(SOURCES[index] for index in order if strongest[index] >= 0.1),
    )
