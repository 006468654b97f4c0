"""The lane that finds shots and scenes, storing what is final as it goes."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from vidence.index.pipeline.job import Job, StageWriter
from vidence.index.pipeline.lanes import PassResources
from vidence.index.shots.detector import ShotDetector
from vidence.index.shots.draft import DraftMemo, DraftPass, can_skip
from vidence.index.shots.memo import DetectorMemo, NetworkMemo, ShotLog, ShotsMemo, ShotsNote, StoredFrames
from vidence.index.shots.network import NetworkShots
from vidence.media import DecodedFrame, VideoReader

__all__ = ["ShotsLane", "may_skip"]

_REPORT_EVERY_S = 2.0
_COMMIT_EVERY_S = 5.0

_log = logging.getLogger(__name__)


class ShotsLane:
    """Feeds the frames to the shot detector, and commits shots and scenes together when all are found.

    Until then what is final is stored in rows of the stage: other stages must not see half the shots.
    """

    def __init__(self, job: Job, writer: StageWriter, resources: PassResources) -> None:
        self._job, self._writer = job, writer
        past = _Past.load(job, writer)
        self._detector = _detector(job, past)
        self._draft = DraftPass(resources.second, past.draft if past else None)
        self.resume_s = past.memo.start_s if past else 0.0
        self._reported_s = self._committed_s = past.memo.detector.fed_s if past else 0.0

    def feed(self, picture: DecodedFrame) -> None:
        """Take the next decoded frame."""
        if picture.time_s < self.resume_s:
            return
        if isinstance(self._detector, NetworkShots):
            self._detector.feed(picture)
        else:
            for sample in self._draft.feed(picture):
                self._detector.feed_sample(sample)
        if picture.time_s - self._reported_s >= _REPORT_EVERY_S:
            self._reported_s = picture.time_s
            self._job.progress(self._writer.stage, picture.time_s)
        if picture.time_s - self._committed_s >= _COMMIT_EVERY_S:
            self._commit()

    def finish(self) -> None:
        """Replace the notes by shots and scenes and mark the stage as done, in one transaction."""
        found = self._detector.finish_list(self._job.duration_s)
        store, video_id = self._job.store, self._job.video_id
        with store.unit_of_work():
            store.segments.replace(video_id, "fine", found.shots)
            store.segments.replace(video_id, "coarse", found.scenes)
            store.observations.clear(video_id, self._writer.stage)
            self._writer.finish()
        self._job.report(self._writer.stage, 1.0)

    def _commit(self) -> None:
        """Store what is final, and where to resume."""
        memo = self._detector.memo()
        if memo is None or memo.fed_s <= self._committed_s:
            return
        draft = self._draft.memo(memo.first_s) if isinstance(memo, DetectorMemo) else None
        signatures = self._detector.log.signatures
        cursor = ShotsMemo(
            start_s=draft.start_s if draft else memo.first_s,
            recent=draft.recent if draft else (),
            detector=memo,
            opened=StoredFrames.of(signatures.opened),
            spacing_s=signatures.spacing_s,
        )
        news = self._detector.log.news(self._committed_s, memo.fed_s)
        rows = [news] if news.events or news.closed.times else []
        self._writer.commit(rows, upto_s=cursor.start_s, cursor=cursor.model_dump_json())
        self._committed_s = memo.fed_s


def may_skip(job: Job, reader: VideoReader) -> bool:
    """Tell whether a pass skips the frames on which no other depends.

    All passes of a profile decode alike: if the frames were not the same to the last bit, the middle of a
    fade or a dissolve would depend on which stages were asked for.
    """
    return not job.profile.small_objects and not job.shelf.has("shots") and can_skip(reader)


@dataclass(frozen=True)
class _Past:
    """What an earlier run stored."""

    memo: ShotsMemo
    log: ShotLog

    @classmethod
    def load(cls, job: Job, writer: StageWriter) -> _Past | None:
        """Read it; None when there is nothing that this version can read."""
        if not isinstance(writer.cursor, str):
            return None
        try:
            memo = ShotsMemo.model_validate_json(writer.cursor)
            notes = job.store.observations.load(job.video_id, writer.stage, ShotsNote)
            return cls(memo, ShotLog.restore(notes, memo))
        except ValueError:
            _log.warning("an earlier run's state of the shots cannot be read; the stage starts again")
            job.store.observations.clear(job.video_id, writer.stage)
            return None

    @property
    def draft(self) -> DraftMemo:
        return DraftMemo(self.memo.start_s, self.memo.recent)


def _detector(job: Job, past: _Past | None) -> ShotDetector | NetworkShots:
    """Return our own detector, or the network the settings choose."""
    memo, log = (past.memo.detector, past.log) if past else (None, None)
    if job.shelf.has("shots"):
        assert memo is None or isinstance(memo, NetworkMemo), "the fingerprint names the network"
        return NetworkShots(job.shelf.get("shots"), log=log, memo=memo)
    assert memo is None or isinstance(memo, DetectorMemo), "the fingerprint names our own method"
    return ShotDetector(fps=float(job.info.video.fps), log=log, memo=memo)
