"""Joining detections into tracks frame by frame: confident boxes first, then the others (like ByteTrack)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from vidence.index.tracking.assign import best_pairs
from vidence.index.tracking.motion import BoxMotion, CameraStep
from vidence.language.categories import categories
from vidence.schema.perception import Box, FloatArray, Rgb

__all__ = ["TRACKER_ID", "TimedBox", "Track", "Tracker", "TrackerSettings", "group_of"]

TRACKER_ID = "byte-kalman-cmc@5"

_CONFUSED = ("vehicle", "animal")
"""Groups within which the detector calls one object by different names."""
_ALIKE = 0.8
"""Likeness of colours that is evidence neither for nor against a pair."""


def group_of(category: str) -> str:
    """Return the group within which an object may change its name: a van is a car or a truck."""
    return _groups().get(category, category)


@dataclass(frozen=True, slots=True)
class TimedBox:
    """One detection at one time, with its colours."""

    time_s: float
    box: Box
    confidence: float
    category: str
    colours: FloatArray | None = field(default=None, compare=False, repr=False)
    """Its colour histogram as a unit vector; None when it was not measured."""
    crop: Rgb | None = field(default=None, compare=False, repr=False)
    """Its pixels, kept for some frames only."""


@dataclass(frozen=True)
class TrackerSettings:
    """When two boxes are one object."""

    sure: float = 0.55
    """Detections from this confidence on are joined first and may begin tracks; others only continue them."""
    lenient: float = 0.1
    """Subtracted from `sure` for all but people, for whom the detector is more confident."""
    min_overlap: float = 0.15
    min_unsure_overlap: float = 0.5
    widen: float = 0.25
    """Boxes are compared with this margin (of their size), so that fast objects still overlap."""
    other_category: float = 0.15
    """Subtracted from the score of a pair whose categories differ within one group."""
    colour_weight: float = 0.7
    lost_s: float = 1.0
    """How long a track waits for its object to be detected again."""
    min_sightings: int = 3
    born_inside: float = 0.65
    """No track begins where this much of the box already belongs to another of its kind."""

    def is_sure(self, seen: TimedBox) -> bool:
        """Tell whether a detection counts on its own."""
        return seen.confidence >= self.sure - (0.0 if seen.category == "person" else self.lenient)


@dataclass
class Track:
    """One object for as long as it could be tracked without a break."""

    motion: BoxMotion
    sightings: list[TimedBox]
    colours: FloatArray | None = None
    votes: Counter[str] = field(default_factory=Counter)

    @property
    def last_s(self) -> float:
        return self.sightings[-1].time_s

    @property
    def category(self) -> str:
        """Its most confident category over all detections."""
        return max(self.votes.items(), key=lambda vote: (vote[1], vote[0]))[0]

    def take(self, seen: TimedBox) -> None:
        """Add a detection."""
        self.motion.correct(seen.box, confidence=seen.confidence)
        self.sightings.append(seen)
        self.votes[seen.category] += seen.confidence  # type: ignore[assignment]
        if seen.colours is not None:
            mixed = seen.colours if self.colours is None else 0.85 * self.colours + 0.15 * seen.colours
            self.colours = np.asarray(mixed / max(float(np.linalg.norm(mixed)), 1e-9), np.float32)


class Tracker:
    """Tracks every object of a video; feed it frames in order and take the tracks at the end."""

    def __init__(self, *, aspect: float, settings: TrackerSettings | None = None) -> None:
        self._aspect = aspect
        self._settings = settings or TrackerSettings()
        self._live: list[Track] = []
        self._time_s: float | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no object is being tracked."""
        return not self._live

    @property
    def top_speed(self) -> float:
        """The speed of the fastest object, in its own widths a second."""
        fresh = (track for track in self._live if track.last_s == self._time_s and len(track.sightings) > 1)
        return max((track.motion.speed for track in fresh), default=0.0)

    def update(
        self, time_s: float, found: Sequence[TimedBox], camera: CameraStep | None = None
    ) -> list[Track]:
        """Take the detections of one frame and return the tracks that ended."""
        settings = self._settings
        seconds = 0.0 if self._time_s is None else time_s - self._time_s
        self._time_s = time_s
        ended = self._end(time_s)
        for track in self._live:
            track.motion.predict(seconds, camera)
        sure = [one for one in found if settings.is_sure(one)]
        unsure = [one for one in found if not settings.is_sure(one)]
        rest = self._join(self._live, sure, at_least=settings.min_overlap)
        followed = [track for track in self._live if time_s - seconds <= track.last_s < time_s]
        self._join(followed, unsure, at_least=settings.min_unsure_overlap)
        for seen in sorted(rest, key=lambda one: -one.confidence):
            if not self._is_taken(seen):
                track = Track(BoxMotion(seen.box, aspect=self._aspect), [])
                track.take(seen)
                self._live.append(track)
        return ended

    def finish(self) -> list[Track]:
        """Return the open tracks and empty the tracker."""
        live, self._live = self._live, []
        return [track for track in live if self._counts(track)]

    def _end(self, time_s: float) -> list[Track]:
        lost = [track for track in self._live if time_s - track.last_s > self._settings.lost_s]
        self._live = [track for track in self._live if time_s - track.last_s <= self._settings.lost_s]
        return [track for track in lost if self._counts(track)]

    def _counts(self, track: Track) -> bool:
        return len(track.sightings) >= self._settings.min_sightings

    def _join(self, tracks: Sequence[Track], found: Sequence[TimedBox], *, at_least: float) -> list[TimedBox]:
        """Add to each track its detection and return the detections left over."""
        scores = np.array([[self._score(track, seen) for seen in found] for track in tracks])
        pairs = best_pairs(scores.reshape(len(tracks), len(found)), at_least=at_least)
        for row, column in pairs:
            tracks[row].take(found[column])
        taken = {column for _, column in pairs}
        return [seen for column, seen in enumerate(found) if column not in taken]

    def _score(self, track: Track, seen: TimedBox) -> float:
        settings, category = self._settings, track.category
        if group_of(category) != group_of(seen.category):
            return -1.0
        overlap = _widened(track.motion.box, settings.widen).iou(_widened(seen.box, settings.widen))
        if overlap <= 0:
            return -1.0
        if category != seen.category:
            overlap -= settings.other_category
        if track.colours is not None and seen.colours is not None:
            overlap += settings.colour_weight * (float(track.colours @ seen.colours) - _ALIKE)
        return overlap

    def _is_taken(self, seen: TimedBox) -> bool:
        group = group_of(seen.category)
        here = [track for track in self._live if track.last_s == self._time_s]
        boxes = [track.motion.box for track in here if group_of(track.category) == group]
        area = max(seen.box.area, 1e-9)
        return any(box.overlap(seen.box) / area >= self._settings.born_inside for box in boxes)


@lru_cache(maxsize=1)
def _groups() -> dict[str, str]:
    kinds = categories().values()
    return {kind.name: kind.group for kind in kinds if kind.group in _CONFUSED}


def _widened(box: Box, share: float) -> Box:
    return Box(box.x - box.w * share, box.y - box.h * share, box.w * (1 + 2 * share), box.h * (1 + 2 * share))
