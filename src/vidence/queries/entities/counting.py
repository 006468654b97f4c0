"""Counting: how many different things, how many at once, how many at a time, with moments as evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from vidence.index.tracking.stretches import load_stretches
from vidence.queries.entities.identities import NEAR_S, Identity, load_identities
from vidence.schema.entities import TrackSeen
from vidence.schema.time import TimeRange
from vidence.store import Store

__all__ = ["Count", "Moment", "count_at", "count_distinct", "count_most"]

_EVEN = 0.5
"""To count, tracks are linked from even odds on: wrong links and missed ones then cancel out."""
_MIN_SEEN_S = 0.5


@dataclass(frozen=True)
class Moment:
    """When and where one counted thing can be checked."""

    time_s: float
    identity_id: str
    bbox: tuple[float, float, float, float]


@dataclass(frozen=True)
class Count:
    """A number, the moments it rests on, and how sure it is."""

    value: int
    moments: tuple[Moment, ...]
    confidence: float
    at_least: int
    """What is certain to the eye: as many were seen at one time."""


def count_distinct(
    store: Store, video_id: str, categories: Collection[str], *, within: TimeRange | None = None
) -> Count:
    """Return how many different things of some categories there are; each moment shows one of them."""
    stretches = load_stretches(store, video_id).of(frozenset(categories))
    groups: dict[int, list[TrackSeen]] = {}
    doubts = []
    for track, link in zip(stretches.tracks, stretches.link(at_least=_EVEN), strict=True):
        if within is None or (track.start_time < within.end_time and track.end_time > within.start_time):
            groups.setdefault(link.identity, []).append(track)
            doubts.append(link.confidence)
    kept = [group for group in groups.values() if _seen_s(group) >= _MIN_SEEN_S]
    most = count_most(store, video_id, categories, within=within).value
    identities = load_identities(store, video_id)
    whose = {(t.track_id, t.start_time): one.identity_id for one in identities for t, _ in one.tracks}
    moments = [_best_moment(group, whose) for group in kept]
    return Count(max(len(kept), most), tuple(moments), _sureness(most, len(kept), doubts), most)


def count_most(
    store: Store, video_id: str, categories: Collection[str], *, within: TimeRange | None = None
) -> Count:
    """Return the most things of some categories in the picture at one time, at the first such time."""
    identities = [one for one in load_identities(store, video_id) if one.category in categories]
    times = sorted(
        {
            point.time_s
            for one in identities
            for track, _ in one.tracks
            for point in track.points
            if within is None or within.start_time <= point.time_s <= within.end_time
        }
    )
    best: tuple[Moment, ...] = ()
    for time_s in times:
        here = _present(identities, time_s, slack_s=0.0)
        if len(here) > len(best):
            best = tuple(here)
    return Count(len(best), best, 0.8 if best else 0.6, len(best))


def count_at(store: Store, video_id: str, categories: Collection[str], time_s: float) -> Count:
    """Return how many things of some categories are in the picture at a time."""
    identities = [one for one in load_identities(store, video_id) if one.category in categories]
    here = tuple(_present(identities, time_s, slack_s=NEAR_S))
    return Count(len(here), here, 0.8 if here else 0.6, len(here))


def _present(identities: Sequence[Identity], time_s: float, *, slack_s: float) -> list[Moment]:
    found = []
    for one in identities:
        place = one.box_at(time_s, slack_s=slack_s)
        if place is not None:
            found.append(Moment(time_s, one.identity_id, place[0]))
    return found


def _seen_s(group: Sequence[TrackSeen]) -> float:
    return sum(track.end_time - track.start_time for track in group)


def _best_moment(group: Sequence[TrackSeen], whose: dict[tuple[str, float], str]) -> Moment:
    track, point = max(
        ((track, point) for track in group for point in track.points), key=lambda pair: pair[1].confidence
    )
    return Moment(point.time_s, whose.get((track.track_id, track.start_time), track.track_id), point.bbox)


def _sureness(most: int, distinct: int, doubts: Sequence[float]) -> float:
    """Be as sure as the links are, and less the further the number lies above what was seen at once."""
    if not distinct:
        return 0.6
    return round(0.9 * (0.5 + 0.5 * most / max(distinct, most)) * sum(doubts) / len(doubts), 3)
