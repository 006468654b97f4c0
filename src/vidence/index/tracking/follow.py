"""Tracking everything in a video: tracks are closed, repaired and returned in batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidence.index.tracking.mend import MAX_GAP_S, mend
from vidence.index.tracking.motion import CameraStep
from vidence.index.tracking.tracker import TimedBox, Track, Tracker, TrackerSettings, group_of

__all__ = ["Followed", "Follower"]

_BATCH_S = 60.0
"""A batch is closed at the latest after this time, so that memory and what a kill loses stay bounded."""
_MIN_SIGHTINGS = 3
_MIN_LENGTH_S = 0.25
_MIN_BEST = 0.5
"""A track that never had a higher confidence than this is noise."""


@dataclass(frozen=True)
class Followed:
    """One object for as long as it could be tracked."""

    category: str
    sightings: tuple[TimedBox, ...]

    @property
    def confidence(self) -> float:
        return sum(seen.confidence for seen in self.sightings) / len(self.sightings)


class Follower:
    """Takes analysed frames in order; `is_ready` tells when a batch of tracks may be taken."""

    def __init__(
        self, *, aspect: float, settings: TrackerSettings | None = None, start_s: float = 0.0
    ) -> None:
        self._aspect = aspect
        self._tracker = Tracker(aspect=aspect, settings=settings)
        self._ended: list[Track] = []
        self._times: list[float] = []
        self._batch_s = start_s
        self._busy_s = start_s

    @property
    def is_idle(self) -> bool:
        """Whether no object is being tracked."""
        return self._tracker.is_idle

    @property
    def top_speed(self) -> float:
        """The speed of the fastest object, in its own widths a second."""
        return self._tracker.top_speed

    def update(self, time_s: float, found: Sequence[TimedBox], camera: CameraStep | None = None) -> None:
        """Take the detections of one frame."""
        self._times.append(time_s)
        self._ended += self._tracker.update(time_s, found, camera)
        if not self._tracker.is_idle:
            self._busy_s = time_s

    def is_ready(self, time_s: float) -> bool:
        """Tell whether a batch may be closed: no track crosses `time_s`, or the batch is too long."""
        if time_s - self._batch_s >= _BATCH_S:
            return True
        return bool(self._ended) and self._tracker.is_idle and time_s - self._busy_s > MAX_GAP_S

    def take(self, time_s: float) -> list[Followed]:
        """Close the batch at `time_s` and return its tracks, repaired, in order of their start."""
        tracks = [*self._ended, *self._tracker.finish()]
        self._ended, self._batch_s = [], time_s
        groups = [(group_of(track.category), track.sightings) for track in tracks]
        chains = mend(groups, aspect=self._aspect, times=self._times)
        self._times = []
        return [_named(chain) for chain in chains if _is_real(chain)]


def _is_real(chain: Sequence[TimedBox]) -> bool:
    return (
        len(chain) >= _MIN_SIGHTINGS
        and chain[-1].time_s - chain[0].time_s >= _MIN_LENGTH_S
        and max(seen.confidence for seen in chain) >= _MIN_BEST
    )


def _named(chain: Sequence[TimedBox]) -> Followed:
    votes: dict[str, float] = {}
    for seen in chain:
        votes[seen.category] = votes.get(seen.category, 0.0) + seen.confidence
    return Followed(max(votes, key=lambda name: (votes[name], name)), tuple(chain))
