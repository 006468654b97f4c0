"""The lane that measures camera and object motion, a row for every second."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from vidence.index.camera import CAMERA_SIZE, Step, measure_step, shake, summarise
from vidence.index.pipeline.writer import StageWriter
from vidence.media import Picture
from vidence.schema.observations import MotionSeen, Observation

__all__ = ["MotionLane"]

_STEP_S = 0.12
_ROW_S = 1.0
_COMMIT_ROWS = 10


class MotionLane:
    """Compares frames an eighth of a second apart and sums them up by the second."""

    def __init__(
        self, writer: StageWriter, *, duration_s: float, progress: Callable[[str, float], None]
    ) -> None:
        self._writer, self._duration_s, self._progress = writer, duration_s, progress
        self.resume_s = writer.resume_s
        self._row_start = self.resume_s
        self._last: tuple[float, NDArray[np.uint8]] | None = None
        self._steps: list[Step] = []
        self._rows: list[Observation] = []

    def feed(self, picture: Picture) -> None:
        """Take in the next decoded frame."""
        time_s = picture.time_s
        if time_s < self.resume_s or (self._last and time_s - self._last[0] < _STEP_S):
            return
        gray = picture.gray(size=CAMERA_SIZE)
        if self._last is not None:
            self._steps.append(measure_step(self._last[1], gray, time_s - self._last[0]))
        self._last = (time_s, gray)
        if time_s - self._row_start >= _ROW_S:
            self._close_row(time_s)

    def finish(self) -> None:
        """Close the last row and mark the stage as done."""
        if self._steps:
            self._close_row(self._duration_s)
        self._writer.commit(self._rows, upto_s=self._duration_s)
        self._writer.finish()
        self._progress(self._writer.stage, 1.0)

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
        if len(self._rows) >= _COMMIT_ROWS:
            self._writer.commit(self._rows, upto_s=time_s)
            self._rows = []
            self._progress(self._writer.stage, time_s / self._duration_s)
