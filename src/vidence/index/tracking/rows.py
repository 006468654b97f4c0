"""Tracks as the index keeps them."""

from __future__ import annotations

from vidence.index.tracking.follow import Followed
from vidence.schema.entities import TrackPoint, TrackSeen

__all__ = ["track_row"]


def track_row(followed: Followed, track_id: str) -> TrackSeen:
    """Write a track down as one row."""
    return TrackSeen(
        start_time=followed.sightings[0].time_s,
        end_time=followed.sightings[-1].time_s,
        track_id=track_id,
        category=followed.category,
        confidence=round(followed.confidence, 4),
        points=tuple(
            TrackPoint(
                round(seen.time_s, 4),
                round(seen.box.x, 4),
                round(seen.box.y, 4),
                round(seen.box.w, 4),
                round(seen.box.h, 4),
                round(seen.confidence, 3),
            )
            for seen in followed.sightings
        ),
    )
