"""Evidence fusion: one probability per interval of the video, and tight spans around the peaks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from vidence.language.question import SearchQuery
from vidence.language.tables import read_table
from vidence.queries.search.material import Hit, Source

__all__ = [
    "AUDIO_SOURCES",
    "FEATURES",
    "FUSION_ID",
    "EvidenceTimeline",
    "Modality",
    "Peak",
    "features",
    "fuse",
    "in_order",
    "peaks",
    "probability",
]

Modality = Literal["visual", "audio", "multimodal"]
Floats = NDArray[np.float64]

FUSION_ID = "search-fusion@1"
AUDIO_SOURCES: frozenset[Source] = frozenset({"speech", "sounds", "spoken"})
SOURCES: tuple[Source, ...] = get_args(Source)
FEATURES = (*SOURCES, "hint", "asked_heard", "asked_read")
"""Inputs of the logistic model; the last two say that the query asks for sound or for text."""
_OUTSIDE_HINT = 0.35
_FALL = 0.75
"""A span extends while the probability stays above this share of its peak."""
_STEP_DOWN = 0.97


@dataclass(frozen=True)
class EvidenceTimeline:
    """Intervals between all times at which some evidence begins or ends, with their features."""

    edges: Floats
    """(n + 1,)"""
    values: Floats
    """(n, features)"""
    hinted: NDArray[np.bool_]


@dataclass(frozen=True)
class Peak:
    """A span of high probability."""

    start_s: float
    end_s: float
    probability: float
    first_cell: int
    last_cell: int


def features(
    query: SearchQuery, hits: Sequence[Hit], *, duration_s: float, cuts: Sequence[float]
) -> EvidenceTimeline:
    """Return the strongest hit of each source for every interval."""
    hint = query.hint.seconds(duration_s) if query.hint else None
    marks = [0.0, duration_s, *cuts, *(hint or ())]
    marks += [edge for hit in hits for edge in (hit.start_s, hit.end_s)]
    edges = np.unique(np.round(np.clip(marks, 0.0, duration_s), 3))
    values = np.zeros((max(len(edges) - 1, 0), len(FEATURES)))
    for hit in hits:
        first, last = np.searchsorted(edges, np.round((hit.start_s, hit.end_s), 3))
        column = values[first:last, SOURCES.index(hit.source)]
        np.maximum(column, hit.score, out=column)
    middles = (edges[:-1] + edges[1:]) / 2
    hinted = (middles >= hint[0]) & (middles <= hint[1]) if hint else np.ones(len(values), bool)
    if hint:
        values[hinted, FEATURES.index("hint")] = 1.0
    values[:, FEATURES.index("asked_heard")] = bool(query.cues & {"speech", "sound"})
    values[:, FEATURES.index("asked_read")] = "text" in query.cues
    return EvidenceTimeline(edges, values, hinted)


def fuse(timeline: EvidenceTimeline) -> Floats:
    """Return the calibrated probability of every interval."""
    found = probability(timeline.values, _weights())
    return np.where(timeline.hinted, found, found * _OUTSIDE_HINT)


def probability(values: Floats, weights: Mapping[str, float]) -> Floats:
    """Return the logistic model's output; evidence of a kind that was not asked for counts less."""
    found = values.copy()
    heard, read = (found[:, FEATURES.index(name)] > 0 for name in ("asked_heard", "asked_read"))
    for index, source in enumerate(SOURCES):
        if source not in AUDIO_SOURCES:
            found[heard, index] *= weights["unasked"]
        if source != "screen":
            found[read, index] *= weights["unasked"]
    odds = weights["bias"] + found @ np.array([weights[name] for name in FEATURES])
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))))


def peaks(
    edges: NDArray[np.float64],
    chances: NDArray[np.float64],
    *,
    joined: NDArray[np.bool_],
    limit: int,
    least: float,
) -> list[Peak]:
    """Return at most `limit` spans of at least the probability `least`, the likeliest first.

    Args:
        joined: whether each interval may share a span with the one before it; false across a cut.
    """
    left = chances.astype(float).copy()
    found: list[Peak] = []
    for best in np.argsort(-left, kind="stable"):
        if left[best] < 0:
            continue
        if len(found) >= limit or left[best] < least:
            break
        first, last = _grow(left, joined, int(best))
        chance = float(left[first : last + 1].max())
        found.append(Peak(float(edges[first]), float(edges[last + 1]), chance, first, last))
        left[first : last + 1] = -1.0
    return found


def in_order(query: SearchQuery, found: Sequence[Peak]) -> list[Peak]:
    """Put the earliest (or latest) of the likely spans first if the query asks for it."""
    if query.order is None or not found:
        return list(found)
    best = max(peak.probability for peak in found)
    likely = [peak for peak in found if peak.probability >= 0.6 * best]
    likely.sort(key=lambda peak: peak.start_s if query.order == "first" else -peak.start_s)
    ranked: list[Peak] = []
    chance = best
    for peak in likely:
        chance = min(chance, peak.probability) if ranked else best
        ranked.append(Peak(peak.start_s, peak.end_s, chance, peak.first_cell, peak.last_cell))
        chance *= _STEP_DOWN
    rest = [peak for peak in found if peak not in likely]
    return ranked + [peak for peak in rest if peak.probability <= chance]


def _grow(left: NDArray[np.float64], joined: NDArray[np.bool_], best: int) -> tuple[int, int]:
    least = left[best] * _FALL
    first = last = best
    while first > 0 and joined[first] and left[first - 1] >= least:
        first -= 1
    while last + 1 < len(left) and joined[last + 1] and left[last + 1] >= least:
        last += 1
    return first, last


def _weights() -> dict[str, float]:
    return {row[0]: float(row[1]) for row in read_table("search_weights.tsv")}
