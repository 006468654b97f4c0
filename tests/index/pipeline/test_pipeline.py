"""The index pipeline: one pass, committed as it goes, resumed where it was left."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.processes import PATIENCE_S, wait_until
from vidence.app import Workspace, open_workspace
from vidence.errors import FileProblem, UnknownName
from vidence.index.pipeline.profile import PROFILES
from vidence.index.pipeline.stages import STAGES as STAGE_TABLE
from vidence.schema.observations import FrameSeen, MotionSeen
from vidence.schema.speech import Utterance
from vidence.settings import load_settings

STAGES = ("shots", "motion", "frames")
"""The picture stages that need no model, so that these tests run anywhere."""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as workspace:
        yield workspace


def _rows(workspace: Workspace, video_id: str) -> tuple[list[FrameSeen], list[MotionSeen]]:
    load = workspace.store.observations.load
    return load(video_id, "frames", FrameSeen), load(video_id, "motion", MotionSeen)


def _write(path: Path, frames: list[NDArray[np.uint8]], *, fps: int = 10) -> Path:
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = frames[0].shape[1], frames[0].shape[0], "yuv420p"
        for number, image in enumerate(frames):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, fps)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def test_a_finished_stage_is_not_computed_again(workspace: Workspace, sample: Path) -> None:
    video_id = workspace.add(sample).video.video_id
    first = workspace.index(video_id, stages=STAGES)
    assert [(o.stage, o.computed, o.error) for o in first] == [(name, True, None) for name in STAGES]
    before = _rows(workspace, video_id)
    second = workspace.index(video_id, stages=STAGES)
    assert not any(outcome.computed for outcome in second)
    assert _rows(workspace, video_id) == before


def test_rows_cover_the_video_without_gaps(workspace: Workspace, sample: Path) -> None:
    video = workspace.add(sample).video
    workspace.index(video.video_id, stages=STAGES)
    for rows in _rows(workspace, video.video_id):
        assert rows[0].start_time == 0
        assert rows[-1].end_time == pytest.approx(video.info.duration_s, abs=1e-6)
        for left, right in pairwise(rows):
            assert left.end_time == right.start_time


def test_a_still_picture_is_looked_at_once(workspace: Workspace, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    still = np.kron(rng.integers(0, 255, (12, 16, 3)), np.ones((10, 10, 1))).astype(np.uint8)
    video = workspace.add(_write(tmp_path / "still.mp4", [still] * 80)).video
    workspace.index(video.video_id, stages=["frames"])
    (row,) = workspace.store.observations.load(video.video_id, "frames", FrameSeen)
    assert row.start_time == 0
    assert row.end_time == pytest.approx(8.0)
    assert workspace.store.blobs.read(video.video_id, row.thumbnail).startswith(b"\xff\xd8")


def test_a_small_thing_that_moves_is_not_overlooked(workspace: Workspace, tmp_path: Path) -> None:
    frames = []
    for number in range(80):
        image = np.full((180, 320, 3), 90, np.uint8)
        image[80:104, 3 * number : 3 * number + 16] = 230
        frames.append(image)
    video = workspace.add(_write(tmp_path / "moving.mp4", frames)).video
    workspace.index(video.video_id, stages=["frames"])
    assert len(workspace.store.observations.load(video.video_id, "frames", FrameSeen)) >= 7


def test_another_profile_recomputes_only_what_depends_on_it(workspace: Workspace, sample: Path) -> None:
    video_id = workspace.add(sample).video.video_id
    workspace.index(video_id, stages=STAGES, profile="default")
    thorough = workspace.index(video_id, stages=STAGES, profile="thorough")
    assert [o.stage for o in thorough if o.computed] == ["shots", "frames"]
    again = workspace.index(video_id, stages=STAGES, profile="default")
    assert not any(o.computed for o in again), "a better index already there is kept"


def test_an_unknown_stage_suggests_a_near_one(workspace: Workspace, sample: Path) -> None:
    video_id = workspace.add(sample).video.video_id
    with pytest.raises(UnknownName, match="'frames'"):
        workspace.index(video_id, stages=["frame"])


def _start(home: Path, sample: Path, stages: Sequence[str]) -> subprocess.Popen[str]:
    arguments = ["--home", str(home), "index", str(sample)]
    for stage in stages:
        arguments += ["--stage", stage]
    code = "from vidence.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _limit_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))


def test_a_full_disk_is_a_clear_error_and_the_run_resumes(
    workspace: Workspace, sample: Path, tmp_path: Path
) -> None:
    """A limit on file size is what a full disk looks like to the database: the write fails."""
    home = tmp_path / "small"
    code = "from vidence.cli import main; main()"
    arguments = ["--home", str(home), "index", str(sample), "--stage", "frames", "--stage", "motion"]
    full = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, check=False, timeout=PATIENCE_S, preexec_fn=_limit_files,
    )  # fmt: skip
    assert full.returncode == 1
    assert "Traceback" not in full.stderr
    assert "full" in full.stderr.lower() or "space" in full.stderr.lower()
    again = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert again.returncode == 0, again.stderr
    whole = workspace.add(sample).video.video_id
    workspace.index(whole, stages=["frames", "motion"])
    with open_workspace(home=home) as resumed:
        assert _rows(resumed, whole) == _rows(workspace, whole)


def _works(process: subprocess.Popen[str], home: Path) -> bool:
    """Say whether a stage is under way in `process`."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{home}/vidence.db?mode=ro", uri=True)) as db:
        return (process.pid,) in db.execute("SELECT pid FROM stages WHERE state = 'running'").fetchall()
    return False


def _stop_at_work(process: subprocess.Popen[str], home: Path, how: signal.Signals, after_s: float) -> None:
    """Send `how` some time after the work began; an interpreter that starts or ends is not ours to test."""
    wait_until(lambda: process.poll() is not None or _works(process, home))
    time.sleep(after_s)
    if process.poll() is None:
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    if _works(process, home):
        process.send_signal(how)
    process.send_signal(signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("stages", [STAGES, ("shots",)])
def test_a_stopped_run_resumes_and_ends_with_the_same_rows(
    workspace: Workspace, sample: Path, tmp_path: Path, how: signal.Signals, stages: Sequence[str]
) -> None:
    whole = workspace.add(sample).video.video_id
    workspace.index(whole, stages=stages)
    expected = _rows(workspace, whole)
    home = tmp_path / "stopped"
    progress: dict[str, list[float]] = {stage: [] for stage in stages}
    for step in range(5):
        process = _start(home, sample, stages)
        _stop_at_work(process, home, how, 0.05 + 0.3 * step)
        _, err = process.communicate(timeout=PATIENCE_S)
        assert "Traceback" not in err
        with open_workspace(home=home) as stopped:
            for video in stopped.videos():
                for stage in stages:
                    row = stopped.store.stages.get(video.video_id, stage)
                    progress[stage].append(row.progress if row else 0.0)
    out, err = _start(home, sample, stages).communicate(timeout=PATIENCE_S)
    assert whole in out, err
    with open_workspace(home=home) as resumed:
        assert _rows(resumed, whole) == expected
        for kind in ("fine", "coarse"):
            assert resumed.store.segments.load(whole, kind) == workspace.store.segments.load(whole, kind)
    for stage, reached in progress.items():
        assert reached == sorted(reached), f"no run may lose what an earlier one had committed of {stage}"


@pytest.mark.parametrize("change", ["grows", "touched", "removed"])
def test_a_file_written_while_it_is_indexed_leaves_no_rows(
    workspace: Workspace, tmp_path: Path, change: str
) -> None:
    frames = [np.full((48, 64, 3), 5 * shade, np.uint8) for shade in range(40)]
    path = _write(tmp_path / "recording.ts", frames)
    video_id = workspace.add(path).video.video_id
    more = path.read_bytes()

    def meanwhile(stage: str, fraction: float) -> None:
        if change == "grows" and path.stat().st_size == len(more):
            path.write_bytes(more * 2)
        elif change == "touched":
            os.utime(path, ns=(1, 1))
        elif change == "removed":
            path.unlink(missing_ok=True)

    if change == "grows":
        with pytest.raises(FileProblem, match=r"changed while it was indexed.*run the same command again"):
            workspace.index(video_id, stages=["frames"], progress=meanwhile)
        assert workspace.store.stages.get(video_id, "frames") is None
    else:
        (outcome,) = workspace.index(video_id, stages=["frames"], progress=meanwhile)
        assert (outcome.computed, outcome.error) == (True, None)


_CUE = "1\n00:00:01,000 --> 00:00:02,000\n{}\n"


def _written(workspace: Workspace, path: Path) -> list[str]:
    video_id = workspace.add(path).video.video_id
    workspace.indexer.ensure(video_id, ["transcript"])
    return [said.text for said in workspace.store.observations.load(video_id, "transcript", Utterance)]


def test_subtitles_written_later_are_read(workspace: Workspace, tmp_path: Path) -> None:
    frames = [np.full((48, 64, 3), shade, np.uint8) for shade in range(30)]
    video = _write(tmp_path / "talk.mp4", frames)
    assert _written(workspace, video) == []
    subtitles = tmp_path / "talk.srt"
    subtitles.write_bytes(random.Random(1).randbytes(300))
    assert _written(workspace, video) == []
    subtitles.write_text(_CUE.format("Hello."))
    assert _written(workspace, video) == ["Hello."]
    subtitles.write_text(_CUE.format("Good morning."))
    assert _written(workspace, video) == ["Good morning."]
    copy = tmp_path / "elsewhere" / "talk.mp4"
    copy.parent.mkdir()
    shutil.copy(video, copy)
    assert _written(workspace, copy) == ["Good morning."]
    video_id = workspace.add(copy).video.video_id
    shutil.rmtree(copy.parent)
    video.unlink()
    assert workspace.indexer.ensure(video_id, ["transcript"])


def test_what_rests_on_new_words_is_made_again(workspace: Workspace, tmp_path: Path) -> None:
    frames = [np.full((48, 64, 3), shade, np.uint8) for shade in range(30)]
    video = workspace.add(_write(tmp_path / "talk.mp4", frames)).video
    workspace.index(video.video_id, stages=["transcript"])
    # Stands for the vectors of the words, which need a model.
    for stage in ("text_vectors", "shots"):
        workspace.store.stages.begin(video.video_id, stage, "made before")
        workspace.store.stages.finish(video.video_id, stage)
    (tmp_path / "talk.srt").write_text(_CUE.format("Hello."))
    workspace.indexer.ensure(video.video_id, ["transcript"])
    assert workspace.store.stages.get(video.video_id, "text_vectors") is None
    assert workspace.store.stages.get(video.video_id, "shots") is not None


def test_a_stage_nobody_works_on_is_stopped_not_running(workspace: Workspace, sample: Path) -> None:
    video_id = workspace.add(sample).video.video_id
    fingerprint = STAGE_TABLE["frames"].fingerprint(PROFILES["default"], workspace.indexer.shelf)
    assert fingerprint is not None
    workspace.store.stages.begin(video_id, "frames", fingerprint)

    def state() -> str:
        return next(row.state for row in workspace.status(video_id) if row.stage == "frames")

    assert state() == "stopped"
    with workspace.store.locks.hold(video_id):
        assert state() == "running"


def test_a_model_that_cannot_be_opened_fails_only_its_own_stages(sample: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no network")
    settings = load_settings(
        home=tmp_path / "home",
        models={"actions": "i3d-kinetics400", "objects": "yolo-onnx"},
        model_options={"objects": {"path": str(broken)}},
    )
    with open_workspace(settings) as workspace:
        video_id = workspace.add(sample).video.video_id
        outcomes = workspace.index(video_id, stages=["shots", "frames", "objects"])
        assert {outcome.stage: outcome.error is None for outcome in outcomes} == {
            "shots": True,
            "frames": True,
            "objects": False,
        }
        states = {row.stage: row.state for row in workspace.status(video_id)}
        assert (states["frames"], states["objects"]) == ("done", "failed")
        alone = workspace.index(video_id, stages=["objects"])
        assert "broken.onnx" in str(alone[0].error)


def test_a_derived_stage_fails_when_what_it_is_made_from_failed(tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no network")
    settings = load_settings(
        home=tmp_path / "home",
        models={"objects": "yolo-onnx"},
        model_options={"objects": {"path": str(broken)}},
    )
    video = _write(tmp_path / "grey.mp4", [np.full((48, 64, 3), 90, np.uint8)] * 10)
    with open_workspace(settings) as workspace:
        video_id = workspace.add(video).video.video_id
        outcomes = {one.stage: one for one in workspace.index(video_id, stages=["captions"])}
        assert outcomes["frames"].error is None
        assert "captions is made from" in str(outcomes["captions"].error)
        assert next(row.state for row in workspace.status(video_id) if row.stage == "captions") == "failed"
