"""A stage remembers how far it came, and its rows are committed together with that."""

from __future__ import annotations

import os
import time

import pytest
from pydantic import JsonValue

from tests.store.processes import run_python
from vidence.errors import BackendError, UserError
from vidence.schema.catalogue import VideoRecord
from vidence.schema.observations import Segment
from vidence.store.sqlite import SqliteStore

SHOT = Segment(segment_id="seg_001", start_time=0.0, end_time=1.25, type="shot", transition="start")


def test_a_new_stage_starts_at_the_beginning(store: SqliteStore, video: VideoRecord) -> None:
    before = time.time()
    row = store.stages.begin(video.video_id, "ocr", "m1")
    assert (row.state, row.progress, row.cursor, row.error, row.pid) == (
        "running",
        0,
        None,
        None,
        os.getpid(),
    )
    assert before <= row.started_at == row.updated_at
    assert store.stages.get(video.video_id, "ocr") == row


def test_an_unfinished_stage_resumes_from_its_cursor(store: SqliteStore, video: VideoRecord) -> None:
    cursor: JsonValue = {"time": 12.5, "seen": ["a", None, True], "词": "猫"}
    store.stages.begin(video.video_id, "ocr", "m1")
    store.stages.advance(video.video_id, "ocr", progress=0.5, cursor=cursor)
    store.stages.fail(video.video_id, "ocr", "the model broke")
    failed = store.stages.get(video.video_id, "ocr")
    assert failed is not None
    assert (failed.state, failed.error) == ("failed", "the model broke")
    row = store.stages.begin(video.video_id, "ocr", "m1")
    assert (row.state, row.progress, row.cursor, row.error) == ("running", 0.5, cursor, None)


def test_a_finished_stage_is_returned_as_it_is(store: SqliteStore, video: VideoRecord) -> None:
    store.stages.begin(video.video_id, "ocr", "m1")
    store.stages.finish(video.video_id, "ocr")
    row = store.stages.begin(video.video_id, "ocr", "m1")
    assert row.is_done
    assert (row.progress, row.cursor) == (1, None)


def test_another_fingerprint_starts_afresh(store: SqliteStore, video: VideoRecord) -> None:
    store.stages.begin(video.video_id, "ocr", "m1")
    store.stages.advance(video.video_id, "ocr", progress=0.9, cursor=9)
    row = store.stages.begin(video.video_id, "ocr", "m2")
    assert (row.fingerprint, row.state, row.progress, row.cursor) == ("m2", "running", 0, None)


def test_reset_forgets(store: SqliteStore, video: VideoRecord) -> None:
    store.stages.begin(video.video_id, "ocr", "m1")
    store.stages.reset(video.video_id, "ocr")
    assert store.stages.get(video.video_id, "ocr") is None
    assert store.stages.all(video.video_id) == ()


def test_rows_and_cursor_are_committed_together_or_not_at_all(store: SqliteStore, video: VideoRecord) -> None:
    def crash() -> None:
        with store.unit_of_work():
            store.segments.replace(video.video_id, "fine", [SHOT])
            store.stages.advance(video.video_id, "shots", progress=0.5, cursor=1.25)
            raise KeyboardInterrupt

    started = store.stages.begin(video.video_id, "shots", "m1")
    with pytest.raises(KeyboardInterrupt):
        crash()
    assert store.segments.load(video.video_id, "fine") == ()
    assert store.stages.get(video.video_id, "shots") == started


@pytest.mark.parametrize("progress", [-0.1, 1.5, float("nan")])
def test_impossible_progress_is_refused(store: SqliteStore, video: VideoRecord, progress: float) -> None:
    store.stages.begin(video.video_id, "ocr", "m1")
    with pytest.raises(ValueError, match="progress"):
        store.stages.advance(video.video_id, "ocr", progress=progress)


def test_a_stage_taken_over_by_another_process_is_no_longer_ours(
    store: SqliteStore, video: VideoRecord
) -> None:
    store.stages.begin(video.video_id, "ocr", "m1")
    code = """
        import sys
        from pathlib import Path
        from vidence.store.sqlite import SqliteStore
        with SqliteStore.open(Path(sys.argv[1])) as store:
            store.stages.begin(sys.argv[2], "ocr", "m1")
    """
    run_python(code, store.db.path.parent, video.video_id)
    with pytest.raises(BackendError, match="was taken over by process"):
        store.stages.advance(video.video_id, "ocr", progress=0.1)


def test_work_on_a_video_removed_meanwhile_stops_clearly(store: SqliteStore, video: VideoRecord) -> None:
    store.stages.begin(video.video_id, "ocr", "m1")
    store.catalogue.remove(video.video_id)
    with pytest.raises(BackendError, match="the video was removed"):
        store.stages.advance(video.video_id, "ocr", progress=0.1)
    with pytest.raises(UserError, match="not in the catalogue"):
        store.stages.begin(video.video_id, "ocr", "m1")


def test_index_version_changes_with_what_is_finished_and_asked_for(
    store: SqliteStore, video: VideoRecord
) -> None:
    def version(*stages: str) -> str:
        return store.stages.index_version(video.video_id, stages)

    nothing = version("shots", "ocr")
    store.stages.begin(video.video_id, "shots", "m1")
    assert version("shots", "ocr") == nothing, "a running stage does not count"
    store.stages.finish(video.video_id, "shots")
    shots = version("shots", "ocr")
    store.stages.begin(video.video_id, "ocr", "m1")
    store.stages.finish(video.video_id, "ocr")
    both = version("ocr", "shots")
    assert len({nothing, shots, both}) == 3
    assert version("shots", "ocr") == both, "order does not matter"
    assert version("shots") == shots
    store.stages.begin(video.video_id, "shots", "m2")
    store.stages.finish(video.video_id, "shots")
    assert version("shots") != shots
