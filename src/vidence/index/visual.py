"""The picture stages: one decode pass feeds them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from vidence.index.actions_lane import ActionsLane
from vidence.index.analysts import (
    FramesAnalyst,
    LabelsAnalyst,
    ObjectsAnalyst,
    PoseAnalyst,
    TextAnalyst,
    VectorsAnalyst,
    WordsAnalyst,
)
from vidence.index.job import Job
from vidence.index.looks import Analyst, LooksLane
from vidence.index.motion_lane import MotionLane
from vidence.index.shots_lane import ShotsLane, run_shots_alone
from vidence.index.tracks_lane import TracksLane
from vidence.media import Picture, fan_out, open_video
from vidence.schema.time import TimeRange

__all__ = ["run_pictures"]

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


def run_pictures(job: Job, stages: Sequence[str]) -> None:
    """Compute picture stages in one pass, from the earliest point any of them was left at."""
    if list(stages) == ["shots"]:
        run_shots_alone(job)
        return
    lanes = _lanes(job, stages)
    start_s = min(lane.resume_s for lane in lanes)
    with open_video(
        job.path,
        threads=job.settings.threads,
        max_pixels=job.settings.max_pixels,
        draft=job.profile.draft,
    ) as reader:
        begun = 0.0 < start_s < job.duration_s
        span = TimeRange(start_time=start_s, end_time=job.duration_s + 1.0) if begun else None
        fan_out(
            reader,
            lanes,
            span=span,
            on_progress=lambda picture: job.check(),
        )


def _lanes(job: Job, stages: Sequence[str]) -> list[_Resumable]:
    lanes: list[_Resumable] = []
    if "shots" in stages:
        lanes.append(ShotsLane(job, job.writer("shots")))
    if "motion" in stages:
        lanes.append(MotionLane(job.writer("motion"), duration_s=job.duration_s, progress=job.progress))
    looked_at = [(job.writer(stage), make(job)) for stage, make in _ANALYSTS.items() if stage in stages]
    if looked_at:
        lanes.append(
            LooksLane(
                job.store,
                job.shelf,
                looked_at,
                every_s=job.profile.frame_every_s,
                duration_s=job.duration_s,
                progress=job.progress,
                small_objects=job.profile.small_objects,
            )
        )
    if "actions" in stages:
        lanes.append(
            ActionsLane(
                job.writer("actions"),
                job.shelf.actions,
                every_s=job.profile.action_every_s or 8.0,
                duration_s=job.duration_s,
                progress=job.progress,
            )
        )
    if "tracks" in stages:
        lanes.append(TracksLane(job, job.writer("tracks")))
    return lanes
