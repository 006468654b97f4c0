"""Index rows made by hand, and a real store that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from tests.store.videos import make_file, make_info
from vidence.queries.search.material import Material
from vidence.schema.observations import (
    ActionsSeen,
    FrameSeen,
    LabelsSeen,
    MotionSeen,
    NamedScore,
    NormalBox,
    ObjectsSeen,
    Observation,
    SeenObject,
    SeenText,
    Segment,
    TextSeen,
)
from vidence.schema.time import TimeRange
from vidence.store import Store, VectorRow, content_id

Rows = Mapping[str, Sequence[Observation]]
"""The rows of each stage."""
BOX: NormalBox = (0.1, 0.2, 0.2, 0.5)


class Films:
    """Adds videos to a store, with the rows that a test gives them."""

    def __init__(self, store: Store, folder: Path) -> None:
        self.store, self._folder, self._count = store, folder, 0

    def add(
        self,
        rows: Rows | None = None,
        *,
        duration_s: float = 10.0,
        cuts: Sequence[float] = (),
        vectors: Mapping[str, Sequence[VectorRow]] | None = None,
    ) -> Material:
        """Add a video of this length; it has shots only where `cuts` are given."""
        self._count += 1
        path = make_file(self._folder / f"film{self._count}.mp4", b"film %d" % self._count)
        info = make_info(path).model_copy(update={"duration_s": duration_s})
        video_id = self.store.catalogue.add(path, info, content_id(path)).video.video_id
        for stage, found in (rows or {}).items():
            self.store.observations.append(video_id, stage, found)
        for stage, embedded in (vectors or {}).items():
            self.store.vectors.append(video_id, stage, embedded)
        if cuts:
            self.store.segments.replace(video_id, "fine", shots(0.0, *cuts, duration_s))
        return Material(self.store, video_id)


def shots(*edges: float) -> list[Segment]:
    """Return the shots between these times."""
    return [
        Segment(segment_id=f"seg_{number:03d}", start_time=start, end_time=end, type="shot")
        for number, (start, end) in enumerate(pairwise(edges), 1)
    ]


def span(start: float, end: float) -> TimeRange:
    return TimeRange(start_time=start, end_time=end)


def thing(category: str, *, confidence: float = 0.9, bbox: NormalBox = BOX, **attributes: str) -> SeenObject:
    return SeenObject(category=category, confidence=confidence, bbox=bbox, attributes=attributes)


def objects(start: float, *things: SeenObject, length: float = 1.0) -> ObjectsSeen:
    return ObjectsSeen(start_time=start, end_time=start + length, objects=things)


def labels(start: float, end: float, **scores: float) -> LabelsSeen:
    """Return labels; an underscore stands for a space."""
    return LabelsSeen(start_time=start, end_time=end, labels=named(**scores))


def actions(start: float, end: float, **scores: float) -> ActionsSeen:
    return ActionsSeen(start_time=start, end_time=end, actions=named(**scores))


def named(**scores: float) -> tuple[NamedScore, ...]:
    return tuple(NamedScore(label=name.replace("_", " "), score=score) for name, score in scores.items())


def text(start: float, end: float, *lines: str, confidence: float = 0.9) -> TextSeen:
    seen = tuple(SeenText(text=line, confidence=confidence, bbox=BOX) for line in lines)
    return TextSeen(start_time=start, end_time=end, lines=seen)


def frame(start: float, end: float, *, brightness: float = 0.5, **colours: float) -> FrameSeen:
    return FrameSeen(
        start_time=start,
        end_time=end,
        thumbnail=f"{start:g}.jpg",
        brightness=brightness,
        contrast=0.2,
        saturation=0.3,
        sharpness=0.5,
        colours=named(**colours),
    )


def motion(
    start: float, end: float, *, dx: float = 0.0, dy: float = 0.0, zoom: float = 0.0, activity: float = 0.0
) -> MotionSeen:
    return MotionSeen(start_time=start, end_time=end, dx=dx, dy=dy, zoom=zoom, shake=0.0, activity=activity)


def vector(start: float, end: float, *values: float, label: str = "shot") -> VectorRow:
    return VectorRow(start, end, label, np.array(values, np.float32))
