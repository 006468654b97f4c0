"""The lane that finds shots and scenes, keeping what is final as it goes."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from vidence.index.pipeline.job import Job
from vidence.index.pipeline.writer import StageWriter
from vidence.index.shots.detector import ShotDetector
from vidence.index.shots.draft import Draft, DraftMemo, can_skip
from vidence.index.shots.found import Found
from vidence.index.shots.memo import DetectorMemo, LooksKept, NetworkMemo, ShotsMemo, ShotsNote
from vidence.index.shots.network import NetworkShots
from vidence.media import Picture, VideoReader, open_video
from vidence.schema.time import TimeRange

__all__ = ["ShotsLane", "may_skip", "run_shots_alone"]

_REPORT_EVERY_S = 2.0
_COMMIT_EVERY_S = 5.0

_log = logging.getLogger(__name__)


class ShotsLane:
    """Feeds the frames to the shot detector, and commits shots and scenes together when all are found.

    Until then what is final is kept in rows of its own: half the shots of a video are nobody else's business.

    Args:
        beside: reads the video a second time, for frames the pass leaves out where a cut may lie.
    """

    def __init__(self, job: Job, writer: StageWriter, beside: VideoReader) -> None:
        self._job, self._writer = job, writer
        past = _Past.load(job, writer)
        self._detector = _detector(job, past)
        self._draft = Draft(beside, past.draft if past else None)
        self.resume_s = past.memo.start_s if past else 0.0
        self._reported_s = self._committed_s = past.memo.detector.fed_s if past else 0.0

    def feed(self, picture: Picture) -> None:
        """Take in the next decoded frame."""
        if picture.time_s < self.resume_s:
            return
        if isinstance(self._detector, NetworkShots):
            self._detector.feed(picture)
        else:
            for sample in self._draft.feed(picture):
                self._detector.feed_sample(sample)
        if picture.time_s - self._reported_s >= _REPORT_EVERY_S:
            self._reported_s = picture.time_s
            self._job.progress(self._writer.stage, min(1.0, picture.time_s / self._job.duration_s))
        if picture.time_s - self._committed_s >= _COMMIT_EVERY_S:
            self._commit()

    def finish(self) -> None:
        """Put shots and scenes in the place of the notes and mark the stage as done, in one step."""
        found = self._detector.finish_list(self._job.duration_s)
        store, video_id = self._job.store, self._job.video_id
        with store.unit_of_work():
            store.segments.replace(video_id, "fine", found.shots)
            store.segments.replace(video_id, "coarse", found.scenes)
            store.observations.clear(video_id, self._writer.stage)
            self._writer.finish()
        self._job.progress(self._writer.stage, 1.0)

    def _commit(self) -> None:
        """Keep what is final, and where to go on."""
        memo = self._detector.memo()
        if memo is None or memo.fed_s <= self._committed_s:
            return
        draft = self._draft.memo(memo.first_s) if isinstance(memo, DetectorMemo) else None
        log = self._detector.found.log
        cursor = ShotsMemo(
            start_s=draft.start_s if draft else memo.first_s,
            recent=draft.recent if draft else (),
            detector=memo,
            opened=LooksKept.of(log.opened),
            spacing_s=log.spacing_s,
        )
        news = self._detector.found.news(self._committed_s, memo.fed_s)
        rows = [news] if news.events or news.closed.times else []
        self._writer.commit(rows, upto_s=cursor.start_s, cursor=cursor.model_dump_json())
        self._committed_s = memo.fed_s


def may_skip(job: Job, reader: VideoReader) -> bool:
    """Say whether a pass leaves out the frames on which no other depends.

    All passes of a profile go by this, and decode alike: were the frames not the same to the last bit, the
    middle of a fade or a dissolve would depend on which stages were asked for.
    """
    return not job.profile.small_objects and not job.shelf.has("shots") and can_skip(reader)


def run_shots_alone(job: Job) -> None:
    """Find the shots when no other stage needs the frames: the same pass, all threads for the decoder."""
    draft = job.profile.draft
    with (
        open_video(
            job.path, threads=job.settings.threads, max_pixels=job.settings.max_pixels, draft=draft
        ) as reader,
        reader.reopen(draft=draft) as beside,
    ):
        lane = ShotsLane(job, job.writer("shots"), beside)
        start_s = lane.resume_s
        span = TimeRange(start_time=start_s, end_time=job.duration_s + 1.0) if start_s > 0 else None
        for picture in reader.frames(span=span, skip_non_reference=may_skip(job, reader)):
            job.check()
            lane.feed(picture)
        lane.finish()


@dataclass(frozen=True)
class _Past:
    """What an earlier run left."""

    memo: ShotsMemo
    found: Found

    @classmethod
    def load(cls, job: Job, writer: StageWriter) -> _Past | None:
        """Read it; None when there is none, or none that this program can read."""
        if not isinstance(writer.cursor, str):
            return None
        try:
            memo = ShotsMemo.model_validate_json(writer.cursor)
            notes = job.store.observations.load(job.video_id, writer.stage, ShotsNote)
            return cls(memo, Found.restore(notes, memo))
        except ValueError:
            _log.warning("what an earlier run found of the shots cannot be read; they are looked for anew")
            job.store.observations.clear(job.video_id, writer.stage)
            return None

    @property
    def draft(self) -> DraftMemo:
        return DraftMemo(self.memo.start_s, self.memo.recent)


def _detector(job: Job, past: _Past | None) -> ShotDetector | NetworkShots:
    """Return our own detector, or the network the settings choose."""
    memo, found = (past.memo.detector, past.found) if past else (None, None)
    if job.shelf.has("shots"):
        assert memo is None or isinstance(memo, NetworkMemo), "the fingerprint names the network"
        return NetworkShots(job.shelf.get("shots"), found=found, memo=memo)
    assert memo is None or isinstance(memo, DetectorMemo), "the fingerprint names our own method"
    return ShotDetector(fps=float(job.info.video.fps), found=found, memo=memo)
