"""Tracks as the index keeps them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from vidence.index.tracking.follow import Followed
from vidence.schema.entities import TrackPoint, TrackSeen

__all__ = ["split_at", "track_row"]


_MIN_POINTS = 2


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


def split_at(track: TrackSeen, times: Sequence[float]) -> list[TrackSeen]:
    """Return the parts of a track between `times` (in order), leaving out parts of a single sighting."""
    seen = [point.time_s for point in track.points]
    # A frame shown at the cut itself belongs to what follows.
    bounds = [0, *(bisect_left(seen, time_s - 1e-3) for time_s in times), len(seen)]
    parts = [track.points[low:high] for low, high in pairwise(bounds) if high - low >= _MIN_POINTS]
    return [
        track.model_copy(update={"start_time": part[0].time_s, "end_time": part[-1].time_s, "points": part})
        for part in parts
    ] or [track]
