"""Identities as operations read them: the tracks of one object, cut into appearances."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from vidence.errors import OpRetry
from vidence.index.tracking.lane import IDENTITIES
from vidence.index.tracking.tracker import group_of
from vidence.schema.entities import BRIDGE_S, Entity, IdentitySeen, TrackPoint, TrackSeen
from vidence.schema.observations import NormalBox, Segment
from vidence.schema.perception import Box
from vidence.schema.time import TimeRange
from vidence.store import Store

__all__ = [
    "Appearance",
    "Identity",
    "entity_box",
    "find_entity",
    "find_identity",
    "identity_of",
    "load_identities",
]

_NEAR_S = 0.6
"""The index samples at least this often, so an object seen this close in time counts as present."""
_MIN_IOU = 0.3
_MAX_SPANS = 6


@dataclass(frozen=True)
class Appearance:
    """One span in which an object is visible, within one shot."""

    segment_id: str
    points: tuple[TrackPoint, ...]
    confidence: float
    """Confidence that it is the same object as in the other appearances."""

    @property
    def start_s(self) -> float:
        return self.points[0].time_s

    @property
    def end_s(self) -> float:
        return self.points[-1].time_s


@dataclass(frozen=True)
class Identity:
    """One object throughout a video."""

    identity_id: str
    category: str
    tracks: tuple[tuple[TrackSeen, float], ...]
    """Its tracks in time order, each with the confidence of its link."""

    def box_at(self, time_s: float, *, slack_s: float = _NEAR_S) -> tuple[NormalBox, float] | None:
        """Return its box at a time and the confidence; None if it is not visible."""
        for slack in (0.0, slack_s):
            for track, link in self.tracks:
                box = track.box_at(time_s, slack_s=slack)
                if box is not None:
                    return Box(*box).rounded(), track.confidence * link
        return None

    def appearances(self, shots: Sequence[Segment], *, within: TimeRange | None = None) -> list[Appearance]:
        """Return when it is visible; an appearance ends at a cut and after a long gap."""
        found: list[Appearance] = []
        for track, link in self.tracks:
            points = [p for p in track.points if within is None or _inside(p.time_s, within)]
            for part in _unbroken(points, shots):
                found.append(Appearance(_segment_id(part[0].time_s, shots), tuple(part), link))
        return _joined(sorted(found, key=lambda one: one.start_s))


def load_identities(store: Store, video_id: str) -> list[Identity]:
    """Return every identity of a video in order of its first appearance."""
    load = store.observations.load
    tracks = {track.track_id: track for track in load(video_id, "tracks", TrackSeen)}
    grouped: dict[str, list[IdentitySeen]] = {}
    for row in load(video_id, IDENTITIES, IdentitySeen):
        grouped.setdefault(row.identity_id, []).append(row)
    return [
        Identity(
            identity_id,
            _category(rows),
            tuple((_part(tracks[row.track_id], row), row.confidence) for row in rows),
        )
        for identity_id, rows in grouped.items()
    ]


def find_identity(
    identities: Sequence[Identity], category: str, time_s: float, bbox: NormalBox
) -> Identity | None:
    """Return the identity whose box is at a place at a time; None if no track is there."""
    best, best_iou = None, _MIN_IOU
    for identity in identities:
        if group_of(identity.category) != group_of(category):
            continue
        place = identity.box_at(time_s)
        overlap = Box(*place[0]).iou(Box(*bbox)) if place else 0.0
        if overlap >= best_iou:
            best, best_iou = identity, overlap
    return best


def identity_of(entity: Entity, identities: Sequence[Identity]) -> Identity:
    """Return the identity of an entity; one that was never tracked has only its registered box."""
    found = find_identity(identities, entity.category, entity.timestamp, entity.bbox)
    if found is not None:
        return found
    point = TrackPoint(entity.timestamp, *entity.bbox, entity.confidence)
    alone = TrackSeen(
        start_time=entity.timestamp,
        end_time=entity.timestamp,
        track_id=entity.entity_id,
        category=entity.category,
        confidence=entity.confidence,
        points=(point,),
    )
    return Identity(entity.entity_id, entity.category, ((alone, 1.0),))


def find_entity(store: Store, video_id: str, entity_id: str) -> tuple[Entity, Identity]:
    """Return a registered entity and the identity it stands for."""
    entity = store.entities.get(video_id, entity_id)
    return entity, identity_of(entity, load_identities(store, video_id))


def entity_box(store: Store, entity: Entity, identity: Identity, time_s: float) -> tuple[NormalBox, float]:
    """Return the entity's box and its confidence; raise `OpRetry` with the times at which it is visible."""
    place = identity.box_at(time_s)
    if place is not None:
        return place
    shots = store.segments.load(entity.video_id, "fine")
    raise OpRetry(
        f"{entity.entity_id} ({entity.description}) is not in the picture at {time_s:g} s. "
        f"It is seen at {_spans_text(identity.appearances(shots))}. Ask about one of those times."
    )


def _spans_text(appearances: Sequence[Appearance]) -> str:
    """Write spans of time as '0–5.2 s, 7–9.1 s'."""
    shown = [f"{one.start_s:.1f}–{one.end_s:.1f} s" for one in appearances[:_MAX_SPANS]]
    more = len(appearances) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _part(track: TrackSeen, row: IdentitySeen) -> TrackSeen:
    points = tuple(point for point in track.points if row.start_time <= point.time_s <= row.end_time)
    return track.model_copy(update={"start_time": row.start_time, "end_time": row.end_time, "points": points})


def _category(rows: Sequence[IdentitySeen]) -> str:
    spans: dict[str, float] = {}
    for row in rows:
        spans[row.category] = spans.get(row.category, 0.0) + row.end_time - row.start_time
    return max(spans, key=lambda name: (spans[name], name))


def _inside(time_s: float, span: TimeRange) -> bool:
    return span.start_time <= time_s <= span.end_time


def _unbroken(points: Sequence[TrackPoint], shots: Sequence[Segment]) -> list[list[TrackPoint]]:
    parts: list[list[TrackPoint]] = [[points[0]]] if points else []
    for before, after in pairwise(points):
        cut = _segment_id(before.time_s, shots) != _segment_id(after.time_s, shots)
        if cut or after.time_s - before.time_s > BRIDGE_S:
            parts.append([])
        parts[-1].append(after)
    return parts


def _joined(parts: Sequence[Appearance]) -> list[Appearance]:
    """Join neighbours separated by a batch border or a short loss."""
    joined: list[Appearance] = []
    for part in parts:
        last = joined[-1] if joined else None
        near = last is not None and part.start_s - last.end_s <= BRIDGE_S
        if last is not None and near and last.segment_id == part.segment_id:
            confidence = min(last.confidence, part.confidence)
            joined[-1] = Appearance(part.segment_id, last.points + part.points, confidence)
        else:
            joined.append(part)
    return joined


def _segment_id(time_s: float, shots: Sequence[Segment]) -> str:
    index = bisect_right(shots, time_s + 1e-6, key=lambda shot: shot.start_time) - 1
    return shots[max(index, 0)].segment_id if shots else "seg_001"
