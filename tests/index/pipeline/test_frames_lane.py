"""The lane of sampled frames: wherever a run ends, the next one goes on as if it had not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from vidence.app import Workspace, open_workspace
from vidence.index.pipeline.detections import DetectionCache
from vidence.index.pipeline.frame import AnalysedFrame
from vidence.index.pipeline.frames_lane import FrameRows, FramesLane
from vidence.index.pipeline.job import Job, StageWriter
from vidence.index.pipeline.profile import PROFILES
from vidence.media import DecodedFrame, open_video
from vidence.schema.observations import TextSeen
from vidence.schema.time import TimeRange


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as workspace:
        yield workspace


@pytest.fixture
def changing(tmp_path: Path) -> Path:
    """Forty seconds, half of them standing still for a while."""
    rng = np.random.default_rng(5)
    path = tmp_path / "changing.mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=5, options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(200):
            if number % 20 < 10:
                blocks = rng.integers(0, 255, (6, 8, 3))
            frame = av.VideoFrame.from_ndarray(
                np.kron(blocks, np.ones((8, 8, 1))).astype(np.uint8), format="rgb24"
            )
            frame.pts, frame.time_base = number, Fraction(1, 5)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


class _SeldomAnalyst:
    """Like the reader of text: its rows hold for a while, so it remembers when it last read."""

    def __init__(self, every_s: float) -> None:
        self._every_s, self._last_s = every_s, -every_s

    def __call__(self, frame: AnalysedFrame) -> FrameRows | None:
        if frame.time_s - self._last_s < self._every_s:
            return None
        self._last_s = frame.time_s
        return FrameRows((TextSeen(start_time=frame.time_s, end_time=frame.time_s, lines=()),))


def _lane(workspace: Workspace, video_id: str, rates: Sequence[float]) -> FramesLane:
    video = workspace.store.catalogue.get(video_id)
    path = video.locations[0].path
    job = Job(
        video_id, path, (path,), video.info, workspace.store, workspace.indexer.shelf, workspace.settings,
        PROFILES["thorough"], report=lambda stage, fraction: None,
    )  # fmt: skip
    analysts = [
        (
            StageWriter(workspace.store, video_id, f"every {rate}", "1", duration_s=job.duration_s),
            _SeldomAnalyst(rate),
        )
        for rate in rates
    ]
    return FramesLane(job, analysts, DetectionCache(lambda: job.shelf.detector))


def _pictures(path: Path, from_s: float, duration_s: float) -> Iterator[DecodedFrame]:
    with open_video(path) as reader:
        yield from reader.frames(span=TimeRange(start_time=from_s, end_time=duration_s + 1))


def _rows(workspace: Workspace, video_id: str, rates: Sequence[float]) -> list[list[tuple[float, float]]]:
    load = workspace.store.observations.load
    return [
        [(row.start_time, row.end_time) for row in load(video_id, f"every {rate}", TextSeen)]
        for rate in rates
    ]


def test_a_run_given_up_anywhere_ends_with_the_same_rows(workspace: Workspace, changing: Path) -> None:
    """Some analysts say something of every frame, others seldom; all are taken up where they stood."""
    rates = (0.0, 2.2, 7.0)
    video = workspace.add(changing).video
    duration_s = video.info.duration_s

    def run(*, give_up_after: int) -> bool:
        """Feed so many pictures and no more; say whether the video came to its end."""
        lane = _lane(workspace, video.video_id, rates)
        for count, picture in enumerate(_pictures(changing, lane.resume_s, duration_s)):
            if count >= give_up_after:
                return False
            lane.feed(picture)
        lane.finish()
        return True

    assert run(give_up_after=100_000)
    whole = _rows(workspace, video.video_id, rates)
    assert [len(rows) for rows in whole] == sorted((len(rows) for rows in whole), reverse=True)
    for rate in rates:
        workspace.store.stages.reset(video.video_id, f"every {rate}")
    runs = 1
    while not run(give_up_after=60 + runs):
        runs += 1
    assert runs > 3
    assert _rows(workspace, video.video_id, rates) == whole
