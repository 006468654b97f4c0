"""The tracks of a video cut at its shots, each part with what it looks like: what identities are made of."""

from __future__ import annotations

from dataclasses import dataclass

from vidence.index.tracking.links import Linked, Looks, link_tracks
from vidence.index.tracking.rows import split_at
from vidence.schema.entities import TrackSeen
from vidence.store import Store

__all__ = ["COLOURS", "Stretches", "load_stretches"]

COLOURS = "/colours"
"""Ends the label of a track's colour vector; its other vector has the bare track id."""
_STAGE = "tracks"


@dataclass(frozen=True)
class Stretches:
    """Parts of tracks, none across a cut, with their looks."""

    tracks: tuple[TrackSeen, ...]
    looks: tuple[Looks, ...]
    cuts: tuple[float, ...]

    def of(self, categories: frozenset[str]) -> Stretches:
        """Return those of some categories."""
        kept = [index for index, track in enumerate(self.tracks) if track.category in categories]
        return Stretches(
            tuple(self.tracks[index] for index in kept), tuple(self.looks[index] for index in kept), self.cuts
        )

    def link(self, *, at_least: float | None = None) -> list[Linked]:
        """Return whose each stretch is."""
        if at_least is None:
            return link_tracks(self.tracks, self.looks, cuts=self.cuts)
        return link_tracks(self.tracks, self.looks, cuts=self.cuts, at_least=at_least)


def load_stretches(store: Store, video_id: str) -> Stretches:
    """Read the tracks and their vectors."""
    vectors = {row.label: row.vector for row in store.vectors.load(video_id, _STAGE)}
    cuts = tuple(shot.start_time for shot in store.segments.load(video_id, "fine")[1:])
    tracks: list[TrackSeen] = []
    looks: list[Looks] = []
    for track in store.observations.load(video_id, _STAGE, TrackSeen):
        parts = split_at(track, cuts)
        longest = max(parts, key=lambda part: part.end_time - part.start_time)
        tracks += parts
        # What a track looks like is what its longest part looks like; of the rest nothing is known.
        known = Looks(vectors.get(track.track_id), vectors.get(track.track_id + COLOURS))
        looks += [known if part is longest else Looks(None, None) for part in parts]
    return Stretches(tuple(tracks), tuple(looks), cuts)
