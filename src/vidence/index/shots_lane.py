"""The lane that finds shots and scenes; it begins anew when interrupted, being the cheapest of all."""

from __future__ import annotations

from vidence.index.job import Job
from vidence.index.scenes import group_scenes
from vidence.index.shots import ShotDetector
from vidence.index.writer import StageWriter
from vidence.media import Picture

__all__ = ["ShotsLane"]

_REPORT_EVERY_S = 2.0


class ShotsLane:
    """Feeds every frame to the shot detector and commits shots and scenes together."""

    resume_s = 0.0

    def __init__(self, job: Job, writer: StageWriter) -> None:
        self._job, self._writer = job, writer
        self._detector = ShotDetector(fps=float(job.info.video.fps))
        self._reported_s = 0.0

    def feed(self, picture: Picture) -> None:
        """Take in the next decoded frame."""
        self._detector.feed(picture)
        if picture.time_s - self._reported_s >= _REPORT_EVERY_S:
            self._reported_s = picture.time_s
            self._job.progress(self._writer.stage, min(1.0, picture.time_s / self._job.duration_s))

    def finish(self) -> None:
        """Commit the structure and mark the stage as done in one step."""
        job = self._job
        found = self._detector.finish_list(job.duration_s)
        scenes = group_scenes(found.shots, found.signatures)
        with job.store.db.transaction() as tx:
            job.store.segments.replace(job.video_id, "fine", found.shots, connection=tx)
            job.store.segments.replace(job.video_id, "coarse", scenes, connection=tx)
            self._writer.finish(connection=tx)
        job.progress(self._writer.stage, 1.0)
