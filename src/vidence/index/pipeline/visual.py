"""The picture stages: one decode pass feeds them all."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from vidence.errors import VidenceError
from vidence.index.pipeline.actions_lane import ActionsLane
from vidence.index.pipeline.analysts import (
    FramesAnalyst,
    LabelsAnalyst,
    ObjectsAnalyst,
    PoseAnalyst,
    TextAnalyst,
    VectorsAnalyst,
    WordsAnalyst,
)
from vidence.index.pipeline.job import Job
from vidence.index.pipeline.looks import Analyst, LooksLane
from vidence.index.pipeline.motion_lane import MotionLane
from vidence.index.pipeline.sights import Sights
from vidence.index.shots.lane import ShotsLane, may_skip, run_shots_alone
from vidence.index.tracking.lane import TracksLane
from vidence.media import Picture, VideoReader, fan_out, open_video
from vidence.schema.time import TimeRange

__all__ = ["run_pictures"]

_log = logging.getLogger(__name__)

_MIN_WAITING, _MAX_WAITING = 4, 48
_WAITING_BYTES = 64 * 2**20
"""Frames wait as the decoder gave them and are shared, so this bounds what all lanes hold together."""

_ANALYSTS: dict[str, Callable[[Job], Analyst]] = {
    "frames": lambda job: FramesAnalyst(job.store, job.video_id),
    "labels": lambda job: LabelsAnalyst(),
    "image_vectors": lambda job: VectorsAnalyst(job.shelf),
    "lens_vectors": lambda job: WordsAnalyst(job.shelf),
    "objects": lambda job: ObjectsAnalyst(),
    "pose": lambda job: PoseAnalyst(),
    "ocr": lambda job: TextAnalyst(job.shelf, every_s=job.profile.text_every_s or job.profile.frame_every_s),
}


class _Resumable(Protocol):
    resume_s: float

    def feed(self, picture: Picture) -> None: ...

    def finish(self) -> None: ...


class _Guarded:
    """A lane whose failure is its own: what it still gets fed is dropped, and the others go on."""

    def __init__(self, lane: _Resumable, stages: Sequence[str]) -> None:
        self._lane, self._stages = lane, stages
        self._errors: dict[str, VidenceError] = {}
        self.resume_s = lane.resume_s

    @property
    def errors(self) -> dict[str, VidenceError]:
        """Why each stage failed that did."""
        return self._errors or getattr(self._lane, "errors", {})

    @property
    def is_over(self) -> bool:
        """Whether none of its stages is left."""
        return len(self.errors) == len(self._stages)

    def feed(self, picture: Picture) -> None:
        self._attempt(lambda: self._lane.feed(picture))

    def finish(self) -> None:
        self._attempt(self._lane.finish)

    def _attempt(self, work: Callable[[], None]) -> None:
        if self.is_over:
            return
        try:
            work()
        except VidenceError as exc:
            self._errors = {**dict.fromkeys(self._stages, exc), **self.errors}


def run_pictures(job: Job, stages: Sequence[str]) -> dict[str, VidenceError]:
    """Compute picture stages in one pass, from the earliest point any was left at; return what failed."""
    if list(stages) == ["shots"] and not job.shelf.has("shots"):
        run_shots_alone(job)
        return {}
    with (
        open_video(
            job.path,
            # The lanes need the other cores, and a decoder with few threads wastes least.
            threads=max(1, job.settings.threads // 2),
            max_pixels=job.settings.max_pixels,
            draft=job.profile.draft,
        ) as reader,
        reader.reopen(draft=job.profile.draft) as beside,
    ):
        lanes = _lanes(job, stages, beside)

        def check(picture: Picture) -> None:
            job.check()
            if all(lane.is_over for lane in lanes):
                raise next(iter(lanes[0].errors.values()))

        start_s = min(lane.resume_s for lane in lanes)
        begun = 0.0 < start_s < job.duration_s
        span = TimeRange(start_time=start_s, end_time=job.duration_s + 1.0) if begun else None
        fan_out(
            reader,
            lanes,
            span=span,
            skip_non_reference=may_skip(job, reader),
            queue_size=_queue_size(reader),
            on_progress=check,
        )
        if reader.skipped_packets:
            _log.warning(
                "%s is damaged: what could not be decoded was stepped over (packets: %d).",
                job.path.name,
                reader.skipped_packets,
            )
    return {stage: error for lane in lanes for stage, error in lane.errors.items()}


def _queue_size(reader: VideoReader) -> int:
    """Return how many frames may wait for a lane: while one thinks for long, the others must go on."""
    video = reader.info.video
    frame_bytes = video.coded_width * video.coded_height * (3 if video.bit_depth > 8 else 1.5)
    return max(_MIN_WAITING, min(_MAX_WAITING, int(_WAITING_BYTES / frame_bytes)))


def _lanes(job: Job, stages: Sequence[str], beside: VideoReader) -> list[_Guarded]:
    lanes: list[_Guarded] = []
    sights = Sights(lambda: job.shelf.detector, small_objects=job.profile.small_objects)

    def guard(lane: _Resumable, *stages: str) -> None:
        lanes.append(_Guarded(lane, stages))

    if "shots" in stages:
        guard(ShotsLane(job, job.writer("shots"), beside), "shots")
    if "motion" in stages:
        motion = MotionLane(job.writer("motion"), duration_s=job.duration_s, progress=job.progress)
        guard(motion, "motion")
    looked_at = [(job.writer(stage), make(job)) for stage, make in _ANALYSTS.items() if stage in stages]
    if looked_at:
        guard(
            LooksLane(
                job.store,
                job.shelf,
                looked_at,
                every_s=job.profile.frame_every_s,
                duration_s=job.duration_s,
                progress=job.progress,
                sights=sights,
            ),
            *(writer.stage for writer, _ in looked_at),
        )
    if "actions" in stages:
        guard(
            ActionsLane(
                job.writer("actions"),
                job.shelf.actions,
                every_s=job.profile.action_every_s or 8.0,
                duration_s=job.duration_s,
                progress=job.progress,
            ),
            "actions",
        )
    if "tracks" in stages:
        guard(TracksLane(job, job.writer("tracks"), sights), "tracks")
    return lanes
