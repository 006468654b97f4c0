"""Tracks as rows of the index, and cut at the shots into tracklets, from which identities are made."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from vidence.index.tracking.follow import Followed
from vidence.index.tracking.links import MIN_PROBABILITY, Linked, TrackAppearance, link_tracks
from vidence.schema.entities import TrackPoint, TrackSeen
from vidence.store import Store

__all__ = ["COLOURS", "Tracklets", "load_tracklets", "split_at", "track_row"]

COLOURS = "/colours"
"""Suffix of the label of a track's colour vector; its other vector has the bare track id."""
_STAGE = "tracks"
_MIN_POINTS = 2


@dataclass(frozen=True)
class Tracklets:
    """Parts of tracks, none across a cut, with their appearance."""

    tracks: tuple[TrackSeen, ...]
    appearances: tuple[TrackAppearance, ...]
    cuts: tuple[float, ...]

    def of(self, categories: frozenset[str]) -> Tracklets:
        """Return the tracklets of some categories."""
        kept = [index for index, track in enumerate(self.tracks) if track.category in categories]
        return Tracklets(
            tuple(self.tracks[index] for index in kept),
            tuple(self.appearances[index] for index in kept),
            self.cuts,
        )

    def link(self, *, at_least: float = MIN_PROBABILITY) -> list[Linked]:
        """Return the identity of each tracklet."""
        return link_tracks(self.tracks, self.appearances, cuts=self.cuts, at_least=at_least)


def load_tracklets(store: Store, video_id: str) -> Tracklets:
    """Read the tracks and their vectors, and cut them at the shots."""
    vectors = {row.label: row.vector for row in store.vectors.load(video_id, _STAGE)}
    cuts = tuple(shot.start_time for shot in store.segments.load(video_id, "fine")[1:])
    tracks: list[TrackSeen] = []
    appearances: list[TrackAppearance] = []
    for track in store.observations.load(video_id, _STAGE, TrackSeen):
        parts = split_at(track, cuts)
        longest = max(parts, key=lambda part: part.end_time - part.start_time)
        tracks += parts
        # The vectors describe the longest part; the appearance of the others is unknown.
        known = TrackAppearance(vectors.get(track.track_id), vectors.get(track.track_id + COLOURS))
        appearances += [known if part is longest else TrackAppearance(None, None) for part in parts]
    return Tracklets(tuple(tracks), tuple(appearances), cuts)


def track_row(followed: Followed, track_id: str) -> TrackSeen:
    """Return a track as one row."""
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
    # A frame at the time of the cut belongs to the shot after it.
    bounds = [0, *(bisect_left(seen, time_s - 1e-3) for time_s in times), len(seen)]
    parts = [track.points[low:high] for low, high in pairwise(bounds) if high - low >= _MIN_POINTS]
    return [
        track.model_copy(update={"start_time": part[0].time_s, "end_time": part[-1].time_s, "points": part})
        for part in parts
    ] or [track]
