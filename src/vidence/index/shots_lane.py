"""The lane that finds shots and scenes; it begins anew when interrupted, being the cheapest of all."""

from __future__ import annotations

from vidence.index.job import Job
from vidence.index.shots import ShotDetector, ShotList, detect_shots
from vidence.index.shots_draft import Draft
from vidence.index.shots_network import NetworkShots
from vidence.index.writer import StageWriter
from vidence.media import Picture, VideoReader, open_video

__all__ = ["ShotsLane", "run_shots_alone"]

_REPORT_EVERY_S = 2.0


class ShotsLane:
    """Feeds the frames to the shot detector and commits shots and scenes together.

    Args:
        beside: reads the video a second time, for frames the pass leaves out where a cut may lie.
    """

    resume_s = 0.0

    def __init__(self, job: Job, writer: StageWriter, beside: VideoReader) -> None:
        self._job, self._writer = job, writer
        self._detector = _detector(job)
        self._draft = Draft(beside)
        self._reported_s = 0.0

    def feed(self, picture: Picture) -> None:
        """Take in the next decoded frame."""
        if isinstance(self._detector, NetworkShots):
            self._detector.feed(picture)
        else:
            for look in self._draft.feed(picture):
                self._detector.feed_thumb(look.thumb, time=look.time)
        if picture.time_s - self._reported_s >= _REPORT_EVERY_S:
            self._reported_s = picture.time_s
            self._job.progress(self._writer.stage, min(1.0, picture.time_s / self._job.duration_s))

    def finish(self) -> None:
        """Commit what was found."""
        _commit(self._job, self._writer, self._detector.finish_list(self._job.duration_s))


def _detector(job: Job) -> ShotDetector | NetworkShots:
    """Return our own detector, or the network the settings choose."""
    if job.shelf.has("shots"):
        return NetworkShots(job.shelf.get("shots"))
    return ShotDetector(fps=float(job.info.video.fps))


def run_shots_alone(job: Job) -> None:
    """Find the shots when no other stage needs the frames: at draft quality, in half the time."""
    writer = job.writer("shots")

    def progress(fraction: float) -> None:
        job.check()
        job.progress(writer.stage, fraction)

    with open_video(job.path, threads=job.settings.threads, max_pixels=job.settings.max_pixels) as reader:
        found = detect_shots(reader, progress=progress)
    _commit(job, writer, found)


def _commit(job: Job, writer: StageWriter, found: ShotList) -> None:
    """Keep shots and scenes and mark the stage as done in one step."""
    with job.store.db.transaction() as tx:
        job.store.segments.replace(job.video_id, "fine", found.shots, connection=tx)
        job.store.segments.replace(job.video_id, "coarse", found.scenes, connection=tx)
        writer.finish(connection=tx)
    job.progress(writer.stage, 1.0)
