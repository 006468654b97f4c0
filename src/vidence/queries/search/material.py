"""What the index holds of one video, loaded once for a search, and the evidence found in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from vidence.schema.observations import (
    ActionsSeen,
    Caption,
    FrameSeen,
    LabelsSeen,
    MotionSeen,
    ObjectsSeen,
    Observation,
    Segment,
    SoundEvent,
    TextSeen,
)
from vidence.schema.perception import FloatArray
from vidence.schema.speech import Utterance
from vidence.store import Store

__all__ = ["FrameSpan", "Hit", "Material", "Source", "VectorSpans"]

Source = Literal[
    "labels",
    "objects",
    "described",
    "actions",
    "screen",
    "captions",
    "lens",
    "change",
    "speech",
    "sounds",
    "spoken",
]
"""`described`: an object with the attributes asked for; `speech` matches words, `spoken` meaning."""

_Row = TypeVar("_Row", bound=Observation)
_LONGEST_STEP_S = 2.0


@dataclass(frozen=True, slots=True)
class Hit:
    """Evidence that holds from `start_s` to `end_s`."""

    start_s: float
    end_s: float
    score: float
    """0 to 1: how well it fits the query, times the model's confidence."""
    source: Source


@dataclass(frozen=True)
class FrameSpan:
    """The span of time that a sampled frame represents."""

    start_s: float
    end_s: float


@dataclass(frozen=True)
class VectorSpans:
    """Embeddings and the spans that they represent."""

    spans: Sequence[FrameSpan]
    labels: Sequence[str]
    matrix: FloatArray
    """(n, dim)"""


class Material:
    """The rows of a video's index, each stage loaded on first use."""

    def __init__(self, store: Store, video_id: str) -> None:
        self._store, self.video_id = store, video_id

    @cached_property
    def duration_s(self) -> float:
        """How long the video is."""
        return self._store.catalogue.get(self.video_id).info.duration_s

    @cached_property
    def shots(self) -> tuple[Segment, ...]:
        """The shots; one shot for the whole video if none were found."""
        found = self._store.segments.load(self.video_id, "fine")
        whole = Segment(segment_id="seg_001", start_time=0.0, end_time=self.duration_s, type="shot")
        return found or (whole,)

    @cached_property
    def frames(self) -> list[FrameSeen]:
        """Measurements of the sampled frames."""
        return self._rows("frames", FrameSeen)

    @cached_property
    def labels(self) -> list[LabelsSeen]:
        """Image labels of whole frames."""
        return self._rows("labels", LabelsSeen)

    @cached_property
    def objects(self) -> list[ObjectsSeen]:
        """The objects in each frame."""
        return self._rows("objects", ObjectsSeen)

    @cached_property
    def actions(self) -> list[ActionsSeen]:
        """The actions in each clip."""
        return self._rows("actions", ActionsSeen)

    @cached_property
    def texts(self) -> list[TextSeen]:
        """The words on screen."""
        return self._rows("ocr", TextSeen)

    @cached_property
    def captions(self) -> list[Caption]:
        """The sentence about each shot."""
        return self._rows("captions", Caption)

    @cached_property
    def motion(self) -> list[MotionSeen]:
        """Motion of the camera and of objects."""
        return self._rows("motion", MotionSeen)

    @cached_property
    def speech(self) -> list[Utterance]:
        """What is said."""
        return self._rows("transcript", Utterance)

    @cached_property
    def sounds(self) -> list[SoundEvent]:
        """Sounds other than speech."""
        return self._rows("sounds", SoundEvent)

    def vectors(self, stage: str) -> VectorSpans:
        """Return the embeddings of a stage; the spans of frames end at their shot's borders."""
        rows = self._store.vectors.load(self.video_id, stage)
        matrix = np.stack([row.vector for row in rows]) if rows else np.zeros((0, 0), np.float32)
        spans = [FrameSpan(row.start_time, row.end_time) for row in rows]
        frames = [index for index, row in enumerate(rows) if row.label == "frame"]
        for index, span in zip(frames, self.place([spans[i] for i in frames]), strict=True):
            spans[index] = span
        return VectorSpans(spans, [row.label for row in rows], matrix)

    def place(self, rows: Sequence[FrameSpan] | Sequence[Observation]) -> list[FrameSpan]:
        """Return the span that each sampled frame represents: the time nearest to it, within its shot.

        A row lasts until the next frame that differs, so the change lies in the step before its end.
        """
        spans = [
            row if isinstance(row, FrameSpan) else FrameSpan(row.start_time, row.end_time) for row in rows
        ]
        half = self._step_s(spans) / 2
        return [self._inside_shot(span, half) for span in spans]

    def shot_at(self, time_s: float) -> Segment:
        """Return the shot at a time."""
        index = int(np.searchsorted(self._shot_starts, time_s + 1e-6, side="right")) - 1
        return self.shots[max(index, 0)]

    def _inside_shot(self, span: FrameSpan, half: float) -> FrameSpan:
        shot = self.shot_at(span.start_s)
        start = max(shot.start_time, span.start_s - half)
        end = (
            span.end_s
            if span.end_s >= self.duration_s - 1e-3
            else max(span.end_s - half, span.start_s + 1e-3)
        )
        return FrameSpan(start, max(min(end, shot.end_time), start + 1e-3))

    @staticmethod
    def _step_s(spans: Sequence[FrameSpan]) -> float:
        lengths = [span.end_s - span.start_s for span in spans[:-1]]
        return min([_LONGEST_STEP_S, *(length for length in lengths if length > 0.05)])

    @cached_property
    def _shot_starts(self) -> NDArray[np.float64]:
        return np.array([shot.start_time for shot in self.shots])

    def _rows(self, stage: str, kind: type[_Row]) -> list[_Row]:
        return self._store.observations.load(self.video_id, stage, kind)
