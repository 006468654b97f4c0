"""A stage's writer: rows and cursor move together, and a later run goes on from them."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from pydantic import BaseModel

from vidence.index.pipeline.job import Cancelled, Job, StageWriter
from vidence.schema.catalogue import StageRow
from vidence.schema.observations import TextSeen
from vidence.store import Store, VectorRow


def _row(time_s: float) -> TextSeen:
    return TextSeen(start_time=time_s, end_time=time_s + 0.5, lines=())


def _vector(time_s: float) -> VectorRow:
    return VectorRow(time_s, time_s, "frame", np.ones(4, np.float32))


def _writer(store: Store, video_id: str, fingerprint: str = "1") -> StageWriter:
    return StageWriter(store, video_id, "ocr", fingerprint, duration_s=2.0)


def _times(store: Store, video_id: str) -> list[float]:
    return [row.start_time for row in store.observations.load(video_id, "ocr", TextSeen)]


def _stage(store: Store, video_id: str) -> StageRow:
    row = store.stages.get(video_id, "ocr")
    assert row is not None
    return row


def test_a_new_stage_starts_at_the_beginning(store: Store, video_id: str) -> None:
    writer = _writer(store, video_id)
    assert writer.cursor is None
    assert writer.resume_s == 0
    assert (writer.stage, writer.video_id) == ("ocr", video_id)


def test_a_commit_stores_rows_vectors_progress_and_where_to_resume(store: Store, video_id: str) -> None:
    _writer(store, video_id).commit([_row(0.0), _row(0.5)], upto_s=1.0, vectors=[_vector(0.0)])
    assert _times(store, video_id) == [0.0, 0.5]
    assert len(store.vectors.load(video_id, "ocr")) == 1
    assert _stage(store, video_id).progress == pytest.approx(0.5)
    assert _writer(store, video_id).resume_s == 1.0


def test_a_resumed_writer_keeps_the_rows_and_adds_to_them(store: Store, video_id: str) -> None:
    _writer(store, video_id).commit([_row(0.0)], upto_s=1.0)
    _writer(store, video_id).commit([_row(1.0)], upto_s=2.0)
    assert _times(store, video_id) == [0.0, 1.0]


def test_another_fingerprint_starts_over_without_the_old_rows(store: Store, video_id: str) -> None:
    _writer(store, video_id).commit([_row(0.0)], upto_s=1.0, vectors=[_vector(0.0)])
    writer = _writer(store, video_id, "2")
    assert writer.cursor is None
    assert _times(store, video_id) == []
    assert store.vectors.load(video_id, "ocr") == []


def test_rows_left_without_a_cursor_are_deleted(store: Store, video_id: str) -> None:
    store.stages.begin(video_id, "ocr", "1")
    store.observations.append(video_id, "ocr", [_row(0.0)])
    _writer(store, video_id)
    assert _times(store, video_id) == []


def test_a_commit_that_fails_stores_nothing(store: Store, video_id: str) -> None:
    writer = _writer(store, video_id)
    writer.commit([_row(0.0)], upto_s=0.5)
    broken = VectorRow(0.5, 0.5, "frame", np.array(["no", "number"]))
    with pytest.raises((ValueError, TypeError)):
        writer.commit([_row(0.5)], upto_s=1.0, vectors=[broken])
    assert _times(store, video_id) == [0.0]
    assert _writer(store, video_id).resume_s == 0.5


def test_progress_ends_at_one(store: Store, video_id: str) -> None:
    writer = _writer(store, video_id)
    writer.commit(upto_s=5.0)
    assert _stage(store, video_id).progress == 1
    writer.finish()
    assert _stage(store, video_id).is_done


def test_a_failed_stage_keeps_its_cursor_and_reason(store: Store, video_id: str) -> None:
    writer = _writer(store, video_id)
    writer.commit([_row(0.0)], upto_s=1.0)
    writer.fail("no model")
    assert (_stage(store, video_id).state, _stage(store, video_id).error) == ("failed", "no model")
    assert _writer(store, video_id).resume_s == 1.0
    assert _times(store, video_id) == [0.0]


class Memo(BaseModel):
    """A cursor that is more than a time."""

    seen: int


def test_a_cursor_may_be_a_model(store: Store, video_id: str) -> None:
    writer = _writer(store, video_id)
    assert writer.load_cursor(Memo) is None
    writer.commit(upto_s=1.0, cursor={"seen": 7})
    again = _writer(store, video_id)
    assert again.load_cursor(Memo) == Memo(seen=7)
    assert again.resume_s == 0, "a model is no time"


def test_a_cursor_of_another_version_starts_the_stage_again(
    store: Store, video_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    _writer(store, video_id).commit([_row(0.0)], upto_s=1.0, cursor={"looked_at": 7})
    writer = _writer(store, video_id)
    with caplog.at_level(logging.WARNING):
        assert writer.load_cursor(Memo) is None
    assert "ocr" in caplog.text
    assert writer.cursor is None
    assert _times(store, video_id) == []
    assert _stage(store, video_id).progress == 0


def test_progress_is_reported_as_a_share_of_the_video(job: Job, reports: list[tuple[str, float]]) -> None:
    job.progress("ocr", 1.001)
    job.progress("ocr", 9.0)
    assert reports == [("ocr", pytest.approx(0.5)), ("ocr", 1.0)]


def test_a_job_told_to_stop_is_cancelled_at_its_next_check(job: Job) -> None:
    job.check()
    job.stop.set()
    with pytest.raises(Cancelled):
        job.check()


def test_a_job_gives_each_stage_the_writer_of_its_fingerprint(job: Job) -> None:
    writer = job.writer("motion")
    writer.commit(upto_s=1.0)
    assert job.writer("motion").resume_s == 1.0
    row = job.store.stages.get(job.video_id, "motion")
    assert row is not None
    assert row.fingerprint


def test_subtitles_beside_the_video_change_the_writer_of_the_transcript(job: Job) -> None:
    job.writer("transcript").commit(upto_s=1.0, cursor={"a": 1})
    assert job.writer("transcript").cursor == {"a": 1}
    job.path.with_suffix(".srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nHello\n", encoding="utf-8")
    assert job.writer("transcript").cursor is None
