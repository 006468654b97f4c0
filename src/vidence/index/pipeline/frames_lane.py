"""The lane of sampled frames: one analyst per stage, near-duplicate frames skipped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from vidence.errors import VidenceError
from vidence.index.pipeline.detections import DetectionCache
from vidence.index.pipeline.frame import FRAME_SIDE, TEXT_SIDE, AnalysedFrame, NearDuplicateFilter
from vidence.index.pipeline.job import Job, StageWriter
from vidence.media import DecodedFrame
from vidence.schema.observations import Observation
from vidence.store import VectorRow

__all__ = ["Analyst", "FrameRows", "FramesLane"]

_COMMIT_EVERY = 8
"""Distinct frames between commits: a kill loses little, and the disk is not kept busy."""

# A frame due at 1.000 s may carry the time 0.9999.
_EARLY_S = 0.002


@dataclass(frozen=True)
class FrameRows:
    """An analyst's rows for one frame; their `end_time` is set when the picture changes."""

    rows: tuple[Observation, ...] = ()
    vectors: tuple[VectorRow, ...] = ()


Analyst = Callable[[AnalysedFrame], FrameRows | None]
"""Turns one distinct frame into the rows of a stage; None when its last rows still hold."""


@dataclass
class _Open:
    """An analyst with its rows that are not committed yet."""

    writer: StageWriter
    analyst: Analyst
    pending: FrameRows | None = None
    rows: list[Observation] = field(default_factory=list)
    vectors: list[VectorRow] = field(default_factory=list)

    def settle(self, time_s: float) -> None:
        """End the pending rows at `time_s`."""
        if self.pending is None:
            return
        self.rows += [row.model_copy(update={"end_time": time_s}) for row in self.pending.rows]
        self.vectors += [replace(row, end_time=time_s) for row in self.pending.vectors]
        self.pending = None

    def final_until(self, time_s: float) -> float:
        """Return the time before which all rows are final; a resumed run analyses from there again."""
        pending = self.pending or FrameRows()
        starts = [row.start_time for row in pending.rows] + [row.start_time for row in pending.vectors]
        return min(starts, default=time_s)


class FramesLane:
    """Feeds distinct sampled frames to analysts and commits their rows."""

    def __init__(
        self, job: Job, analysts: Sequence[tuple[StageWriter, Analyst]], detections: DetectionCache
    ) -> None:
        self._job, self._detections = job, detections
        self._every_s = job.profile.frame_every_s
        self._open = [_Open(writer, analyst) for writer, analyst in analysts]
        self.errors: dict[str, VidenceError] = {}
        """The errors of stages that failed; the others go on."""
        self.resume_s = min(writer.resume_s for writer, _ in analysts)
        self._due_s = self.resume_s
        """A resumed run begins with the frame whose rows the last commit left open."""
        self._filter = NearDuplicateFilter()
        self._uncommitted = 0

    def feed(self, picture: DecodedFrame) -> None:
        """Take the next decoded frame."""
        time_s = picture.time_s
        if time_s < self._due_s - _EARLY_S:
            return
        self._due_s = self._after(time_s)
        if self._filter.is_duplicate(picture.gray(size=NearDuplicateFilter.SIZE)):
            return
        detect = partial(self._detections.detect_as_needed, picture.index)
        large = partial(picture.rgb, max_side=TEXT_SIDE)
        image = picture.rgb(max_side=FRAME_SIDE)
        self._analyse(AnalysedFrame(time_s, image, self._job.shelf, detect=detect, large=large))
        self._uncommitted += 1
        if self._uncommitted >= _COMMIT_EVERY:
            self._commit(time_s)
        self._report(time_s)

    def _analyse(self, frame: AnalysedFrame) -> None:
        time_s = frame.time_s
        for one in self._open:
            if time_s < one.writer.resume_s - _EARLY_S:
                continue
            try:
                finding = one.analyst(frame)
            except VidenceError as exc:
                self.errors[one.writer.stage] = exc
                continue
            if finding is not None:
                one.settle(time_s)
                one.pending = finding
        self._open = [one for one in self._open if one.writer.stage not in self.errors]

    def _after(self, time_s: float) -> float:
        """Return the next sampling time; it depends on this frame alone, so a resumed run keeps the grid."""
        step = int((time_s + _EARLY_S) / self._every_s) + 1
        # A variable frame rate must not make a burst.
        return (step if step * self._every_s >= time_s + self._every_s / 2 else step + 1) * self._every_s

    def finish(self) -> None:
        """Let the pending rows last to the end of the video, and mark the stages as done."""
        with self._job.store.unit_of_work():
            for one in self._open:
                one.settle(self._job.duration_s)
                one.writer.commit(one.rows, vectors=one.vectors, upto_s=self._job.duration_s)
                one.writer.finish()
        self._report(self._job.duration_s)

    def _commit(self, upto_s: float) -> None:
        with self._job.store.unit_of_work():
            for one in self._open:
                if upto_s <= one.writer.resume_s:
                    continue
                final_s = one.final_until(upto_s)
                one.writer.commit(one.rows, vectors=one.vectors, upto_s=final_s)
                one.rows, one.vectors = [], []
        self._uncommitted = 0

    def _report(self, time_s: float) -> None:
        for one in self._open:
            self._job.progress(one.writer.stage, time_s)
