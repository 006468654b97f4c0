"""Things followed through a video: tracks, the identities they are linked into, and registered entities."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from vidence.schema.frozen import Frozen
from vidence.schema.observations import NormalBox, Observation

__all__ = ["BRIDGE_S", "Entity", "IdentitySeen", "TrackPoint", "TrackSeen"]

BRIDGE_S = 1.1
"""Between two sightings no further apart than this a thing is taken to be there, in between both places.

A leisurely look and a quick one after it, which missed the thing, lie so far apart.
"""


class TrackPoint(NamedTuple):
    """Where a thing was seen."""

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
    """Stage `tracks`: one thing as long as it could be followed."""

    track_id: str
    category: str
    confidence: float
    """How sure the detector was of it, on average."""
    points: tuple[TrackPoint, ...]

    def box_at(self, time_s: float, *, slack_s: float = 0.0) -> NormalBox | None:
        """Return where it is at a time; None when it is not there, or was unseen for too long around it.

        Args:
            slack_s: how far outside the track a time may lie and still mean its end.
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
    """Whose a track is from `start_time` to `end_time`, within one shot; made and kept with the tracks."""

    identity_id: str
    track_id: str
    category: str
    confidence: float
    """How sure it is that this track shows the same thing as the others of its identity; 1 for a lone one."""


class Entity(Frozen):
    """Something a caller gave a lasting name: where it was first pointed at."""

    entity_id: str
    video_id: str
    description: str
    category: str
    timestamp: float
    bbox: NormalBox
    confidence: float
    signature: str
