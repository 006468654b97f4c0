"""What a lane of the decode pass is, and the lanes of camera motion and actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.camera import CAMERA_SIZE, Step, measure_step, shake, summarise
from vidence.index.pipeline.detections import DetectionCache
from vidence.index.pipeline.frame import NearDuplicateFilter
from vidence.index.pipeline.job import Job, StageWriter
from vidence.media import DecodedFrame, VideoReader
from vidence.schema.observations import ActionsSeen, MotionSeen, NamedScore, Observation

__all__ = ["ActionsLane", "Lane", "MotionLane", "PassResources", "action_interval"]

_MOTION_STEP_S = 0.12
_MOTION_ROW_S = 1.0
_MOTION_COMMIT_ROWS = 10
_CLIP_SIDE = 340
_CLIP_LABELS = 10
_MIN_SCORE = 0.02
_CLIPS_OF_A_VIDEO = 10
"""How many clips even a short video should have, where they fit."""
_SHORTEST = 8
"""Fewest frames of the only clip of a video."""
_CUT, _SUDDEN = 22.0, 3.0
"""Mean change of a grey value from which there is a cut, and how many times the usual change it must be."""
_RECENT = 0.15
"""Weight of the last change in the usual one."""
_EARLY_S = 0.002
_DEFAULT_EVERY_S = 8.0


class Lane(Protocol):
    """Computes stages from the frames of a decode pass, committing as it goes."""

    resume_s: float
    """The time from which it needs frames."""

    def feed(self, picture: DecodedFrame) -> None:
        """Take the next decoded frame."""

    def finish(self) -> None:
        """Commit the rest and mark its stages as done."""


@dataclass(frozen=True)
class PassResources:
    """What the lanes of one decode pass share."""

    second: VideoReader
    """A second reader of the same video, for frames that the pass skips."""
    detections: DetectionCache


class MotionLane:
    """Measures camera and object motion between frames an eighth of a second apart; one row per second."""

    def __init__(self, job: Job, writer: StageWriter, resources: PassResources) -> None:
        self._job, self._writer = job, writer
        self.resume_s = writer.resume_s
        self._row_start = self.resume_s
        self._last: tuple[float, NDArray[np.uint8]] | None = None
        self._steps: list[Step] = []
        self._rows: list[Observation] = []

    def feed(self, picture: DecodedFrame) -> None:
        """Take the next decoded frame."""
        time_s = picture.time_s
        if time_s < self.resume_s or (self._last and time_s - self._last[0] < _MOTION_STEP_S):
            return
        gray = picture.gray(size=CAMERA_SIZE)
        if self._last is not None:
            self._steps.append(measure_step(self._last[1], gray, time_s - self._last[0]))
        self._last = (time_s, gray)
        if time_s - self._row_start >= _MOTION_ROW_S:
            self._close_row(time_s)

    def finish(self) -> None:
        """Close the last row and mark the stage as done."""
        if self._steps:
            self._close_row(self._job.duration_s)
        self._writer.commit(self._rows, upto_s=self._job.duration_s)
        self._writer.finish()
        self._job.report(self._writer.stage, 1.0)

    def _close_row(self, time_s: float) -> None:
        total = summarise(self._steps)
        self._rows.append(
            MotionSeen(
                start_time=self._row_start,
                end_time=time_s,
                dx=total.dx if total else 0.0,
                dy=total.dy if total else 0.0,
                zoom=total.zoom if total else 0.0,
                shake=shake(self._steps),
                activity=total.activity if total else 0.0,
                reliable=total is not None,
            )
        )
        self._row_start, self._steps = time_s, []
        if len(self._rows) >= _MOTION_COMMIT_ROWS:
            self._writer.commit(self._rows, upto_s=time_s)
            self._rows = []
            self._job.progress(self._writer.stage, time_s)


class ActionsLane:
    """Collects a clip at regular intervals and classifies its action, unless nothing moves in it.

    A clip ends at a cut: two scenes in one clip would be judged as one. What is too short then is dropped.
    """

    def __init__(self, job: Job, writer: StageWriter, resources: PassResources) -> None:
        self._job, self._writer, self._model = job, writer, job.shelf.actions
        self._step_s = 1.0 / self._model.clip_fps
        clip_s = self._model.clip_frames * self._step_s
        every_s = job.profile.action_every_s or _DEFAULT_EVERY_S
        self._every_s = action_interval(every_s, duration_s=job.duration_s, clip_s=clip_s)
        self.resume_s = writer.resume_s
        self._clip_due_s = self.resume_s
        self._frame_due_s = self.resume_s
        self._frames: list[NDArray[np.uint8]] = []
        self._start_s = self.resume_s
        self._filter = NearDuplicateFilter()
        self._cuts = _Cuts()
        self._moved = False

    def feed(self, picture: DecodedFrame) -> None:
        """Take the next decoded frame."""
        time_s = picture.time_s
        if time_s < max(self._clip_due_s, self._frame_due_s) - _EARLY_S:
            return
        gray = picture.gray(size=NearDuplicateFilter.SIZE)
        if self._frames and self._cuts.is_between(gray):
            self._end_at_cut(time_s)
            if self._clip_due_s > time_s:
                return
        if not self._frames:
            self._cuts.begin(gray)
            self._start_s, self._moved, self._filter = time_s, False, NearDuplicateFilter()
            self._filter.is_duplicate(gray)
        elif not self._filter.is_duplicate(gray):
            self._moved = True
        self._frames.append(picture.rgb(max_side=_CLIP_SIDE))
        self._frame_due_s = max(self._frame_due_s + self._step_s, time_s + self._step_s / 2)
        if len(self._frames) >= self._model.clip_frames:
            self._recognize(time_s)

    def finish(self) -> None:
        """Classify the last clip if it is at least half complete, and mark the stage as done."""
        # A video shorter than a clip has no other.
        least = _SHORTEST if self._start_s == 0.0 else self._model.clip_frames // 2
        if len(self._frames) >= least:
            self._recognize(self._job.duration_s)
        self._writer.commit(upto_s=self._job.duration_s)
        self._writer.finish()
        self._job.report(self._writer.stage, 1.0)

    def _end_at_cut(self, time_s: float) -> None:
        """Classify what there is of the clip before a cut, or begin it anew behind the cut."""
        if len(self._frames) >= self._model.clip_frames // 2:
            self._recognize(time_s)
        else:
            self._frames = []

    def _recognize(self, end_s: float) -> None:
        self._clip_due_s = max(self._start_s + self._every_s, end_s)
        self._frame_due_s = self._clip_due_s
        rows = [self._row(end_s)] if self._moved else []
        self._frames = []
        self._writer.commit(rows, upto_s=min(self._clip_due_s, self._job.duration_s))
        self._job.progress(self._writer.stage, end_s)

    def _row(self, end_s: float) -> ActionsSeen:
        found = self._model.recognize([np.stack(self._frames)])[0]
        kept = [
            NamedScore(label=item.label, score=round(item.score, 4))
            for item in found[:_CLIP_LABELS]
            if item.score >= _MIN_SCORE
        ]
        return ActionsSeen(start_time=self._start_s, end_time=end_s, actions=tuple(kept))


class _Cuts:
    """Tells cuts by the change between frames that follow closely, against what is usual there."""

    def __init__(self) -> None:
        self._last: NDArray[np.uint8] | None = None
        self._usual = 0.0

    def begin(self, gray: NDArray[np.uint8]) -> None:
        """Begin with a frame that is not compared with those before it."""
        self._last = gray

    def is_between(self, gray: NDArray[np.uint8]) -> bool:
        """Tell whether there is a cut between the last frame and this one."""
        change = float(cv2.absdiff(self._last, gray).mean()) if self._last is not None else 0.0
        self._last = gray
        if change >= max(_CUT, _SUDDEN * self._usual):
            return True
        self._usual += _RECENT * (change - self._usual)
        return False


def action_interval(every_s: float, *, duration_s: float, clip_s: float) -> float:
    """Return how often to take a clip: more often in a short video, but never before the last one ends."""
    return max(clip_s, min(every_s, duration_s / _CLIPS_OF_A_VIDEO))
