"""The decode pass: one reading of the frames feeds every picture stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vidence.errors import VidenceError
from vidence.index.pipeline.detections import DetectionCache
from vidence.index.pipeline.frames_lane import FramesLane
from vidence.index.pipeline.job import Job
from vidence.index.pipeline.lanes import Lane, PassResources
from vidence.index.pipeline.losses import Losses
from vidence.index.pipeline.stages import STAGES
from vidence.index.shots.lane import may_skip
from vidence.media import DecodedFrame, VideoReader, fan_out, open_video
from vidence.schema.time import TimeRange

__all__ = ["run_decode_pass"]

_MIN_QUEUE, _MAX_QUEUE = 4, 48
_QUEUE_BYTES = 64 * 2**20
"""Queued frames are shared in the decoder's own format, so this bounds what all lanes hold together."""


class _Guarded:
    """A lane whose failure does not stop the others: later frames are ignored."""

    def __init__(self, lane: Lane, stages: Sequence[str]) -> None:
        self._lane, self._stages = lane, stages
        self._errors: dict[str, VidenceError] = {}
        self.resume_s = lane.resume_s

    @property
    def errors(self) -> dict[str, VidenceError]:
        """The error of each of its stages that failed."""
        return self._errors or getattr(self._lane, "errors", {})

    @property
    def is_over(self) -> bool:
        """Whether all of its stages failed."""
        return len(self.errors) == len(self._stages)

    def feed(self, picture: DecodedFrame) -> None:
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


def run_decode_pass(job: Job, stages: Sequence[str]) -> dict[str, VidenceError]:
    """Compute picture stages in one pass, from the earliest resume point; return the errors by stage."""
    # Finding shots alone is so light that the decoder gets every core and no lane needs a thread.
    alone = list(stages) == ["shots"] and not job.shelf.has("shots")
    threads = job.settings.threads if alone else max(1, job.settings.threads // 2)
    draft = job.profile.draft
    with (
        open_video(job.path, threads=threads, max_pixels=job.settings.max_pixels, draft=draft) as reader,
        reader.reopen(draft=draft) as second,
    ):
        lanes = _lanes(job, stages, second)

        def check(picture: DecodedFrame) -> None:
            losses.saw(picture)
            job.check()
            if all(lane.is_over for lane in lanes):
                raise next(iter(lanes[0].errors.values()))

        start_s = min(lane.resume_s for lane in lanes)
        is_resumed = 0.0 < start_s < job.duration_s
        skips = may_skip(job, reader)
        losses = Losses(reader.info, start_s=start_s if is_resumed else 0.0, is_sparse=skips)
        fan_out(
            reader,
            lanes,
            span=TimeRange(start_time=start_s, end_time=job.duration_s + 1.0) if is_resumed else None,
            skip_non_reference=skips,
            threaded=not alone,
            queue_size=_queue_size(reader),
            on_progress=check,
        )
        notes = losses.notes()
        if reader.skipped_packets:
            notes.append(f"damaged: {reader.skipped_packets} stretches of its pictures could not be decoded")
        job.note(notes)
    return {stage: error for lane in lanes for stage, error in lane.errors.items()}


def _queue_size(reader: VideoReader) -> int:
    """Return how many frames may wait for a slow lane before the others have to wait for it."""
    video = reader.info.video
    frame_bytes = video.coded_width * video.coded_height * (3 if video.bit_depth > 8 else 1.5)
    return max(_MIN_QUEUE, min(_MAX_QUEUE, int(_QUEUE_BYTES / frame_bytes)))


def _lanes(job: Job, stages: Sequence[str], second: VideoReader) -> list[_Guarded]:
    """Return the lanes in the order of the table; all analysts share the lane of the first of them."""
    detections = DetectionCache(lambda: job.shelf.detector, small_objects=job.profile.small_objects)
    resources = PassResources(second, detections)
    chosen = [stage for stage in STAGES.values() if stage.name in stages]
    sampled = [stage for stage in chosen if stage.kind == "analyst"]
    lanes: list[_Guarded] = []
    for stage in chosen:
        if stage.kind == "lane":
            lane = stage.load()(job, job.writer(stage.name), resources)
            lanes.append(_Guarded(lane, [stage.name]))
        elif stage is sampled[0]:
            analysts = [(job.writer(one.name), one.load()(job)) for one in sampled]
            lanes.append(_Guarded(FramesLane(job, analysts, detections), [one.name for one in sampled]))
    return lanes
