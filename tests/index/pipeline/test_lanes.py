"""The lanes of camera motion and of actions, fed with pictures one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.index.pictures import decoded, textured
from vidence.errors import BackendError
from vidence.index.pipeline.detections import DetectionCache
from vidence.index.pipeline.job import Job
from vidence.index.pipeline.lanes import ActionsLane, MotionLane, PassResources, action_interval
from vidence.media import DecodedFrame, open_video
from vidence.schema.observations import ActionsSeen, MotionSeen
from vidence.schema.perception import Rgb

SECONDS = 4


@pytest.fixture
def long(job: Job) -> Job:
    """The same job over four seconds."""
    return replace(job, info=job.info.model_copy(update={"duration_s": float(SECONDS)}))


@pytest.fixture
def resources(job: Job, plain: Path) -> PassResources:
    with open_video(plain) as reader:
        return PassResources(reader, DetectionCache(lambda: job.shelf.detector))


def _pan(fps: int = 10, *, speed_px: int = 2) -> list[DecodedFrame]:
    return [decoded(textured(speed_px * n), n / fps, index=n) for n in range(SECONDS * fps)]


def _still(fps: int = 10) -> list[DecodedFrame]:
    return [decoded(textured(), n / fps, index=n) for n in range(SECONDS * fps)]


def _measure(job: Job, resources: PassResources, pictures: Sequence[DecodedFrame]) -> list[MotionSeen]:
    lane = MotionLane(job, job.writer("motion"), resources)
    for picture in pictures:
        lane.feed(picture)
    lane.finish()
    return job.store.observations.load(job.video_id, "motion", MotionSeen)


def test_rows_are_about_a_second_long_and_cover_the_video(long: Job, resources: PassResources) -> None:
    rows = _measure(long, resources, _still())
    assert (rows[0].start_time, rows[-1].end_time) == (0, SECONDS)
    assert all(before.end_time == after.start_time for before, after in pairwise(rows))
    assert all(1.0 <= row.end_time - row.start_time < 1.3 for row in rows[:-1])
    stage = long.store.stages.get(long.video_id, "motion")
    assert stage is not None
    assert stage.is_done


def test_a_pan_is_measured_in_pictures_a_second(long: Job, resources: PassResources) -> None:
    rows = _measure(long, resources, _pan())
    assert all(row.reliable for row in rows)
    # Two pixels of 384 in each tenth of a second.
    assert [row.dx for row in rows] == pytest.approx([20 / 384] * len(rows), abs=0.01)
    assert [row.dy for row in rows] == pytest.approx([0] * len(rows), abs=0.01)
    assert max(row.shake for row in rows) < 0.03


def test_a_blank_video_is_not_reliable(long: Job, resources: PassResources) -> None:
    blank = [decoded(np.full((108, 192, 3), 90, np.uint8), n / 10) for n in range(40)]
    rows = _measure(long, resources, blank)
    assert rows
    assert not any(row.reliable for row in rows)
    assert {(row.dx, row.dy, row.zoom, row.activity) for row in rows} == {(0.0, 0.0, 0.0, 0.0)}


def test_frames_closer_than_an_eighth_of_a_second_are_skipped(long: Job, resources: PassResources) -> None:
    rows = _measure(long, resources, _pan(fps=20, speed_px=1))
    # Every third frame is measured, so the first second is full at seven times 0.15 s.
    assert rows[0].end_time == pytest.approx(1.05)
    assert rows[0].dx == pytest.approx(20 / 384, abs=0.01)


def test_a_resumed_lane_ignores_what_was_measured(long: Job, resources: PassResources) -> None:
    long.writer("motion").commit([], upto_s=2.0)
    lane = MotionLane(long, long.writer("motion"), resources)
    assert lane.resume_s == 2.0
    for picture in _still():
        lane.feed(picture)
    lane.finish()
    rows = long.store.observations.load(long.video_id, "motion", MotionSeen)
    assert rows[0].start_time == 2.0


def test_the_end_of_a_lane_is_reported(
    long: Job, resources: PassResources, reports: list[tuple[str, float]]
) -> None:
    _measure(long, resources, _still())
    assert reports[-1] == ("motion", 1.0)


def _recognise(job: Job, resources: PassResources, images: Sequence[Rgb]) -> list[ActionsSeen]:
    try:
        lane = ActionsLane(job, job.writer("actions"), resources)
    except BackendError as exc:
        pytest.skip(f"no model for actions: {exc}")
    for number, image in enumerate(images):
        lane.feed(decoded(image, number / 25, index=number))
    lane.finish()
    return job.store.observations.load(job.video_id, "actions", ActionsSeen)


def test_a_clip_in_which_nothing_moves_is_not_classified(long: Job, resources: PassResources) -> None:
    assert _recognise(long, resources, [textured()] * 100) == []
    stage = long.store.stages.get(long.video_id, "actions")
    assert stage is not None
    assert stage.is_done


def test_a_moving_clip_is_classified_once_in_its_interval(long: Job, resources: PassResources) -> None:
    rows = _recognise(long, resources, [textured(min(n, 90)) for n in range(100)])
    assert len(rows) == 1
    (row,) = rows
    assert row.start_time == 0
    assert row.end_time <= SECONDS
    assert 0 < len(row.actions) <= 5
    scores = [action.score for action in row.actions]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) >= 0.02


def test_a_clip_does_not_go_over_a_cut(long: Job, resources: PassResources) -> None:
    cut_at = 60
    images = [textured(n) if n < cut_at else 255 - textured(min(n, 90)) for n in range(100)]
    (row,) = _recognise(long, resources, images)
    assert row.start_time == 0
    assert row.end_time == pytest.approx(cut_at / 25, abs=0.1)


def test_what_a_cut_leaves_too_short_is_dropped(long: Job, resources: PassResources) -> None:
    images = [textured(n) if n < 20 else 255 - textured(min(n, 90)) for n in range(100)]
    (row,) = _recognise(long, resources, images)
    assert row.start_time == pytest.approx(20 / 25, abs=0.1)


def test_a_video_shorter_than_a_clip_is_one_clip(job: Job, resources: PassResources) -> None:
    brief = replace(job, info=job.info.model_copy(update={"duration_s": 1.0}))
    (row,) = _recognise(brief, resources, [textured(n) for n in range(25)])
    assert (row.start_time, row.end_time) == (0, 1)


@pytest.mark.parametrize(("duration_s", "every_s"), [(2.0, 3.84), (15.0, 3.84), (60.0, 6.0), (3600.0, 8.0)])
def test_short_videos_have_clips_more_often(duration_s: float, every_s: float) -> None:
    assert action_interval(8.0, duration_s=duration_s, clip_s=3.84) == every_s
