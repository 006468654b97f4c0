"""Several processes at once, and processes that die."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import PATIENCE_S
from vidence.app import open_workspace

ADD = "from vidence.cli import main; main()"


def _start(home: Path, *arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ADD, "--home", str(home), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_adding_the_same_video_at_once_make_one_video(sample: Path, tmp_path: Path) -> None:
    copies = []
    for number in range(4):
        copies.append(tmp_path / f"copy{number}.mp4")
        shutil.copy(sample, copies[-1])
    running = [_start(tmp_path / "home", "add", copy) for copy in copies]
    outputs = [process.communicate(timeout=PATIENCE_S) for process in running]
    assert [process.returncode for process in running] == [0] * 4, outputs
    ids = {out.split()[0] for out, _ in outputs}
    assert len(ids) == 1
    assert sorted(out.split()[1] for out, _ in outputs) == ["added", "known", "known", "known"]
    with open_workspace(home=tmp_path / "home") as workspace:
        (video,) = workspace.videos()
        assert {location.path for location in video.locations} == set(copies)


def test_two_processes_computing_the_same_structure_agree(sample: Path, tmp_path: Path) -> None:
    arguments = ("op", "get_temporal_structure", sample, "--granularity", "fine", "--json")
    running = [_start(tmp_path / "home", *arguments) for _ in range(2)]
    outputs = [process.communicate(timeout=PATIENCE_S) for process in running]
    assert [process.returncode for process in running] == [0, 0], outputs
    assert outputs[0][0] == outputs[1][0]


@pytest.mark.slow
def test_a_process_killed_while_adding_leaves_a_readable_workspace(sample: Path, tmp_path: Path) -> None:
    """Kill -9 at many moments of `add` followed by the shot stage; nothing half-written may remain."""
    home = tmp_path / "home"
    seen: set[int] = set()
    for step in range(6):
        process = _start(home, "op", "get_temporal_structure", sample)
        time.sleep(0.2 + 0.4 * step)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE_S)
        with open_workspace(home=home) as workspace:
            videos = workspace.videos()
            seen.add(len(videos))
            for video in videos:
                shots = workspace.store.segments.load(video.video_id, "fine")
                scenes = workspace.store.segments.load(video.video_id, "coarse")
                assert bool(shots) == bool(scenes)
                if shots:
                    assert shots[-1].end_time == pytest.approx(video.info.duration_s, abs=0.1)
    done = _start(home, "op", "get_temporal_structure", sample, "--json").communicate(timeout=PATIENCE_S)
    assert '"seg_001"' in done[0], done[1]
    assert seen <= {0, 1}
