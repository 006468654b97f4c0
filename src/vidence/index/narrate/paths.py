"""Following the objects of one category from frame to frame by their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from vidence.index.narrate.facts import Moved, Place
from vidence.schema.observations import SeenObject
from vidence.schema.perception import Box

__all__ = ["ObjectPath", "camera_shift", "follow", "majority", "moved", "place_of", "stays", "walks"]

_SAME_IOU = 0.1
_NEAR = 0.22
_LEFT, _RIGHT = 0.4, 0.6
_ACROSS = 0.28
_GROWTH = 2.2
_AGREE = 0.6
_WALKS = 0.6
"""Least walking speed, in widths of the person's box a second; a stroll is twice that."""
_STEADY_CAMERA = 0.1
_GLANCE_S = 0.4
_PUT = 0.4


@dataclass
class ObjectPath:
    """The detections of one object over time."""

    sightings: list[tuple[float, SeenObject]] = field(default_factory=list)

    @property
    def boxes(self) -> list[Box]:
        return [Box(*seen.bbox) for _, seen in self.sightings]

    @property
    def points(self) -> list[tuple[float, Box]]:
        return [(time_s, Box(*seen.bbox)) for time_s, seen in self.sightings]

    @property
    def area(self) -> float:
        return sum(box.area for box in self.boxes) / len(self.sightings)

    @property
    def confidence(self) -> float:
        return sum(seen.confidence for _, seen in self.sightings) / len(self.sightings)

    def said(self, attribute: str) -> list[str]:
        """Return the value of an attribute in each detection, only its first part."""
        values = [seen.attributes.get(attribute) for _, seen in self.sightings]
        return [value.partition(" and ")[0] for value in values if value]


def follow(frames: Iterable[tuple[float, Sequence[SeenObject]]]) -> list[ObjectPath]:
    """Join detections into paths, each with the nearest of the next frame; the longest path first."""
    tracks: list[ObjectPath] = []
    for time, objects in frames:
        open_tracks = list(tracks)
        for seen in sorted(objects, key=lambda one: -one.confidence):
            box = Box(*seen.bbox)
            near = [track for track in open_tracks if _is_same(track.boxes[-1], box)]
            if near:
                best = max(near, key=lambda track: track.boxes[-1].iou(box))
                open_tracks.remove(best)
                best.sightings.append((time, seen))
            else:
                tracks.append(ObjectPath([(time, seen)]))
    return sorted(tracks, key=lambda track: (-len(track.sightings), -track.area))


def place_of(box: Box) -> Place:
    """Return where in the picture a box lies."""
    x = box.centre[0]
    return "left" if x < _LEFT else "right" if x > _RIGHT else "centre"


def moved(track: ObjectPath, camera: float) -> Moved | None:
    """Return how an object moved across the picture; None when it stayed, or when the camera moved."""
    boxes = track.boxes
    if len(boxes) < 3 or abs(camera) > _ACROSS / 2:
        return None
    shift = boxes[-1].centre[0] - boxes[0].centre[0] + camera
    if abs(shift) >= _ACROSS:
        return "left_to_right" if shift > 0 else "right_to_left"
    growth = boxes[-1].h / max(boxes[0].h, 1e-3)
    if growth >= _GROWTH:
        return "nearer"
    return "away" if growth <= 1 / _GROWTH else None


def walks(points: Sequence[tuple[float, Box]], camera: float) -> bool:
    """Tell whether someone moves as fast as walkers do, with a still camera.

    Args:
        points: the times and boxes of the detections.
    """
    if len(points) < 2 or abs(camera) > _STEADY_CAMERA:
        return False
    (start_s, first), (end_s, last) = points[0], points[-1]
    width = max(median(box.w for _, box in points), 1e-3)
    return abs(last.centre[0] - first.centre[0]) / width >= _WALKS * max(end_s - start_s, _GLANCE_S)


def stays(points: Sequence[tuple[float, Box]]) -> bool:
    """Tell whether someone was detected several times, always in the same place."""
    pairs = list(pairwise(box for _, box in points))
    return bool(pairs) and all(before.iou(after) >= _PUT for before, after in pairs)


def camera_shift(steps: Iterable[tuple[float, float]]) -> float:
    """Return how far the camera panned to the right, in picture widths, from (speed, seconds) pairs."""
    return sum(speed * seconds for speed, seconds in steps)


def majority(values: Sequence[str | None], total: int | None = None) -> str | None:
    """Return the value that most agree on; None when too few do."""
    if not values:
        return None
    value, votes = Counter(values).most_common(1)[0]
    return value if votes >= _AGREE * (total or len(values)) else None


def _is_same(before: Box, now: Box) -> bool:
    (x1, y1), (x2, y2) = before.centre, now.centre
    return before.iou(now) >= _SAME_IOU or (abs(x1 - x2) < _NEAR and abs(y1 - y2) < _NEAR / 2)
