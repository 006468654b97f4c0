"""The lane that shows short clips to the action model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vidence.index.pipeline.look import Sameness
from vidence.index.pipeline.writer import StageWriter
from vidence.media import Picture
from vidence.models.protocols import ActionRecognizer
from vidence.schema.observations import ActionsSeen, NamedScore

__all__ = ["ActionsLane"]

_SIDE = 340
_KEEP = 5
_MIN_SCORE = 0.02
_EARLY_S = 0.002


class ActionsLane:
    """Gathers one clip every so often; a clip in which nothing moves is not worth the model's time."""

    def __init__(
        self,
        writer: StageWriter,
        model: ActionRecognizer,
        *,
        every_s: float,
        duration_s: float,
        progress: Callable[[str, float], None],
    ) -> None:
        self._writer, self._model = writer, model
        self._every_s, self._duration_s, self._progress = every_s, duration_s, progress
        self._step_s = 1.0 / model.clip_fps
        self.resume_s = writer.resume_s
        self._clip_due_s = self.resume_s
        self._frame_due_s = self.resume_s
        self._frames: list[NDArray[np.uint8]] = []
        self._start_s = self.resume_s
        self._still = Sameness()
        self._moved = False

    def feed(self, picture: Picture) -> None:
        """Take in the next decoded frame."""
        time_s = picture.time_s
        if time_s < max(self._clip_due_s, self._frame_due_s) - _EARLY_S:
            return
        if not self._frames:
            self._start_s, self._moved, self._still = time_s, False, Sameness()
            self._still.is_twin(picture.gray(size=Sameness.SIZE))
        elif not self._still.is_twin(picture.gray(size=Sameness.SIZE)):
            self._moved = True
        self._frames.append(picture.rgb(max_side=_SIDE))
        self._frame_due_s = max(self._frame_due_s + self._step_s, time_s + self._step_s / 2)
        if len(self._frames) >= self._model.clip_frames:
            self._recognize(time_s)

    def finish(self) -> None:
        """Look at what is left of a clip if it is most of one, and mark the stage as done."""
        if len(self._frames) >= self._model.clip_frames // 2:
            self._recognize(self._duration_s)
        self._writer.commit(upto_s=self._duration_s)
        self._writer.finish()
        self._progress(self._writer.stage, 1.0)

    def _recognize(self, end_s: float) -> None:
        self._clip_due_s = max(self._start_s + self._every_s, end_s)
        self._frame_due_s = self._clip_due_s
        rows = [self._row(end_s)] if self._moved else []
        self._frames = []
        self._writer.commit(rows, upto_s=min(self._clip_due_s, self._duration_s))
        self._progress(self._writer.stage, min(1.0, end_s / self._duration_s))

    def _row(self, end_s: float) -> ActionsSeen:
        found = self._model.recognize([np.stack(self._frames)])[0]
        kept = [
            NamedScore(label=item.label, score=round(item.score, 4))
            for item in found[:_KEEP]
            if item.score >= _MIN_SCORE
        ]
        return ActionsSeen(start_time=self._start_s, end_time=end_s, actions=tuple(kept))
