"""Re-identification: tracks that look alike are linked into identities, with a confidence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vidence.index.tracking.tracker import group_of
from vidence.schema.entities import TrackSeen
from vidence.schema.perception import Box, FloatArray

__all__ = ["LINKER_ID", "MIN_PROBABILITY", "Linked", "TrackAppearance", "link_tracks"]

LINKER_ID = "looks-link@1"

MIN_PROBABILITY = 0.7
"""Probability from which two tracks are linked: above one half, since a wrong link spoils both."""
_BODY_SLOPE, _COLOUR_SLOPE = 12.0, 25.0
_BODY_MIDDLE, _COLOUR_MIDDLE = 0.76, 0.93
"""Likeness at which two tracks are as likely one object as two, when there is one such object at a time."""
_NEXT_S = 1.0
_NEXT_IOU = 0.4
_MAX_TRACKS = 4000
"""The most tracks of a group compared at once; a longer video is compared block by block."""


@dataclass(frozen=True)
class TrackAppearance:
    """A track's appearance: content and colours as unit vectors; None where not measured."""

    body: FloatArray | None
    colours: FloatArray | None


@dataclass(frozen=True)
class Linked:
    """The identity of a track: its number, and the confidence of the link."""

    identity: int
    confidence: float


@dataclass
class _Cluster:
    members: list[int] = field(default_factory=list)
    confidence: dict[int, float] = field(default_factory=dict)


def link_tracks(
    tracks: Sequence[TrackSeen],
    appearances: Sequence[TrackAppearance],
    *,
    cuts: Sequence[float] = (),
    at_least: float = MIN_PROBABILITY,
) -> list[Linked]:
    """Return the identity of each track, numbered by first appearance; none has two tracks at one time.

    Args:
        cuts: when shots begin; across a cut the same place is no evidence.
        at_least: the least probability for a link.
    """
    clusters = {index: _Cluster([index], {index: 1.0}) for index in range(len(tracks))}
    owner = list(range(len(tracks)))
    groups: dict[str, list[int]] = {}
    for index, track in enumerate(tracks):
        groups.setdefault(group_of(track.category), []).append(index)
    blocks = [
        group[at : at + _MAX_TRACKS] for group in groups.values() for at in range(0, len(group), _MAX_TRACKS)
    ]
    for members in blocks:
        chances = _chances(
            [tracks[index] for index in members], [appearances[index] for index in members], cuts
        )
        _merge(members, chances, tracks, clusters, owner, at_least)
    order = sorted(clusters, key=lambda key: min(tracks[index].start_time for index in clusters[key].members))
    number = {key: place for place, key in enumerate(order)}
    return [
        Linked(number[owner[index]], clusters[owner[index]].confidence[index]) for index in range(len(tracks))
    ]


def _merge(
    members: Sequence[int],
    chances: NDArray[np.float32],
    tracks: Sequence[TrackSeen],
    clusters: dict[int, _Cluster],
    owner: list[int],
    at_least: float,
) -> None:
    """Join the likeliest pairs first, as long as both sides agree on average and never overlap in time."""
    place = {index: row for row, index in enumerate(members)}
    rows, columns = np.nonzero(np.triu(chances, 1) >= at_least)
    for pick in np.argsort(-chances[rows, columns], kind="stable"):
        first, second = owner[members[rows[pick]]], owner[members[columns[pick]]]
        if first == second:
            continue
        mine, theirs = clusters[first].members, clusters[second].members
        if any(_overlap(tracks[a], tracks[b]) for a in mine for b in theirs):
            continue
        between = chances[np.ix_([place[a] for a in mine], [place[b] for b in theirs])]
        chance = float(between.mean())
        if chance < at_least:
            continue
        _join(clusters, owner, first, second, round(chance, 3))


def _join(clusters: dict[int, _Cluster], owner: list[int], first: int, second: int, chance: float) -> None:
    kept, gone = clusters[first], clusters.pop(second)
    for index in gone.members:
        owner[index] = first
    # The doubt falls on the smaller side: the larger one defines the identity.
    doubtful, sure = (gone, kept) if len(gone.members) <= len(kept.members) else (kept, gone)
    confidence = {**sure.confidence, **{i: min(chance, c) for i, c in doubtful.confidence.items()}}
    kept.members, kept.confidence = [*kept.members, *gone.members], confidence


def _overlap(a: TrackSeen, b: TrackSeen) -> bool:
    return a.start_time <= b.end_time and b.start_time <= a.end_time


def _chances(
    tracks: Sequence[TrackSeen], appearances: Sequence[TrackAppearance], cuts: Sequence[float]
) -> NDArray[np.float32]:
    """Return for every pair the probability that both are one object."""
    count = len(tracks)
    # Among many of a group, whoever comes in is less likely to be the one that left.
    evidence = np.full((count, count), -np.log(_most_at_once(tracks)), np.float32)
    evidence += _BODY_SLOPE * _agreement([one.body for one in appearances], _BODY_MIDDLE)
    evidence += _COLOUR_SLOPE * _agreement([one.colours for one in appearances], _COLOUR_MIDDLE)
    chances = np.asarray(1 / (1 + np.exp(-evidence)), np.float32)
    for row, column in _successors(tracks, cuts):
        chances[row, column] = chances[column, row] = 0.99
    return chances


def _most_at_once(tracks: Sequence[TrackSeen]) -> int:
    edges = sorted([(t.start_time, 1) for t in tracks] + [(t.end_time, -1) for t in tracks])
    return max(1, int(np.cumsum([step for _, step in edges]).max()))


def _agreement(vectors: Sequence[FloatArray | None], middle: float) -> NDArray[np.float32]:
    """Return how far above the middle every pair agrees."""
    dim = next((len(vector) for vector in vectors if vector is not None), 1)
    known = np.array([vector is not None for vector in vectors])
    stacked = np.stack([np.zeros(dim, np.float32) if vector is None else vector for vector in vectors])
    agreement = np.asarray(stacked @ stacked.T - middle, np.float32)
    # A track without a vector is like no other.
    agreement[~known] = agreement[:, ~known] = -middle
    return agreement


def _successors(tracks: Sequence[TrackSeen], cuts: Sequence[float]) -> list[tuple[int, int]]:
    """Return pairs where one begins where and when the other ended: one track cut between batches."""
    starts, ends = np.array([t.start_time for t in tracks]), np.array([t.end_time for t in tracks])
    gaps = starts[None, :] - ends[:, None]
    return [
        (int(row), int(column))
        for row, column in np.argwhere((gaps > 0) & (gaps <= _NEXT_S))
        if _iou(tracks[row].points[-1].bbox, tracks[column].points[0].bbox) >= _NEXT_IOU
        and bisect_right(cuts, tracks[row].end_time) == bisect_right(cuts, tracks[column].start_time)
    ]


def _iou(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> float:
    return Box(*a).iou(Box(*b))
