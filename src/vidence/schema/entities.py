"""Tracked objects: tracks, the identities they are linked into, and registered entities."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from vidence.schema.frozen import Frozen
from vidence.schema.observations import NormalBox, Observation

__all__ = ["BRIDGE_S", "Entity", "IdentitySeen", "TrackPoint", "TrackSeen"]

BRIDGE_S = 1.1
"""Longest gap between two sightings over which an object's place is interpolated.

It covers one sample at the slow rate followed by a missed detection at the fast rate.
"""


class TrackPoint(NamedTuple):
    """One box of a track."""

    time_s: float
    x: float
    y: float
    w: float
    h: float
    confidence: float

    @property
    def bbox(self) -> NormalBox:
        return self.x, self.y, self.w, self.h


class TrackSeen(Observation):
    """Stage `tracks`: one object for as long as it could be tracked."""

    track_id: str
    category: str
    confidence: float
    """Mean confidence of its detections."""
    points: tuple[TrackPoint, ...]

    def box_at(self, time_s: float, *, slack_s: float = 0.0) -> NormalBox | None:
        """Return its box at a time; None if it is not there or the gap around the time is too long.

        Args:
            slack_s: how far outside the track a time may lie and still give its end.
        """
        index = bisect_right(self.points, time_s, key=lambda point: point.time_s)
        before = self.points[index - 1] if index else None
        after = self.points[index] if index < len(self.points) else None
        if before is None or after is None:
            nearest = before or after
            near = nearest is not None and abs(nearest.time_s - time_s) <= slack_s + 1e-6
            return nearest.bbox if nearest is not None and near else None
        if after.time_s - before.time_s > BRIDGE_S:
            nearest = min(before, after, key=lambda point: abs(point.time_s - time_s))
            return nearest.bbox if abs(nearest.time_s - time_s) <= slack_s + 1e-6 else None
        share = (time_s - before.time_s) / (after.time_s - before.time_s)
        x, y, w, h = (a + (b - a) * share for a, b in zip(before.bbox, after.bbox, strict=True))
        return x, y, w, h


class IdentitySeen(Observation):
    """The identity of a track from `start_time` to `end_time`, within one shot; stored with the tracks."""

    identity_id: str
    track_id: str
    category: str
    confidence: float
    """Confidence that this track shows the same object as the others of its identity; 1 for a single one."""


class Entity(Frozen):
    """A registered object: its lasting id and where it was registered."""

    entity_id: str
    video_id: str
    description: str
    category: str
    timestamp: float
    bbox: NormalBox
    confidence: float
    signature: str
