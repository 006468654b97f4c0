"""Putting evidence together: one probability for every stretch of the video."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from vidence.language.question.search import SearchQuery
from vidence.language.tables import read_table
from vidence.queries.search.hits import Hit, Source

__all__ = [
    "AUDIO_SOURCES",
    "FEATURES",
    "FUSION_ID",
    "Modality",
    "Timeline",
    "features",
    "fuse",
    "probability",
]

Modality = Literal["visual", "audio", "multimodal"]
Floats = NDArray[np.float64]

FUSION_ID = "search-fusion@1"
AUDIO_SOURCES: frozenset[Source] = frozenset({"speech", "sounds", "spoken"})
SOURCES: tuple[Source, ...] = get_args(Source)
FEATURES = (*SOURCES, "hint", "asked_heard", "asked_read")
"""What the probability is a function of; the last two ask for one sense and are met by another."""
_OUTSIDE_HINT = 0.35


@dataclass(frozen=True)
class Timeline:
    """Stretches between all the times at which some evidence begins or ends."""

    edges: Floats
    """(n + 1,)"""
    values: Floats
    """(n, features)"""
    hinted: NDArray[np.bool_]


def features(
    query: SearchQuery, hits: Sequence[Hit], *, duration_s: float, cuts: Sequence[float]
) -> Timeline:
    """Lay the evidence side by side: the strongest hit of each source, for every stretch."""
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
    return Timeline(edges, values, hinted)


def fuse(timeline: Timeline) -> Floats:
    """Return the calibrated probability of every stretch."""
    found = probability(timeline.values, _weights())
    return np.where(timeline.hinted, found, found * _OUTSIDE_HINT)


def probability(values: Floats, weights: Mapping[str, float]) -> Floats:
    """Return the logistic model's answer; evidence of a kind that was not asked for counts for less."""
    found = values.copy()
    heard, read = (found[:, FEATURES.index(name)] > 0 for name in ("asked_heard", "asked_read"))
    for index, source in enumerate(SOURCES):
        if source not in AUDIO_SOURCES:
            found[heard, index] *= weights["unasked"]
        if source != "screen":
            found[read, index] *= weights["unasked"]
    odds = weights["bias"] + found @ np.array([weights[name] for name in FEATURES])
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))))


def _weights() -> dict[str, float]:
    return {row[0]: float(row[1]) for row in read_table("search_weights.tsv")}
