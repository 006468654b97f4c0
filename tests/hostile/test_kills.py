"""kill -9 at any moment: what was acknowledged is there, and a resumed run ends as an unbroken one."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from tests.hostile.conftest import make_vidence
from tests.processes import PATIENCE_S, wait_until
from vidence.app import open_workspace
from vidence.store import Store

KILLS = 10
ADDS = 10


def everything(home: Path) -> dict[str, object]:
    """Return every row and vector of a workspace's only video."""
    with open_workspace(home=home) as workspace:
        (video,) = workspace.videos()
        store: Store = workspace.store
        stages = {row.stage: row.state for row in store.stages.all(video.video_id)}
        vectors = {
            stage: [(one.start_time, one.end_time, one.label, one.vector.tobytes())
                    for one in store.vectors.load(video.video_id, stage)]
            for stage in stages
        }  # fmt: skip
        segments = {size: store.segments.load(video.video_id, size) for size in ("fine", "coarse")}
    return {"stages": stages, "vectors": vectors, "segments": segments}


def kill(process: subprocess.Popen[bytes], after_s: float) -> bool:
    """Kill a process after a while; return whether it was still at work."""
    try:
        process.wait(after_s)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
        return True
    return False


def num_done(home: Path) -> int:
    """Return how many stages are done, seen from another process."""
    try:
        with closing(sqlite3.connect(f"file:{home / 'vidence.db'}?mode=ro", uri=True)) as reader:
            count: int = reader.execute("SELECT count(*) FROM stages WHERE state = 'done'").fetchone()[0]
            return count
    except sqlite3.OperationalError:
        return 0


def test_a_run_killed_again_and_again_ends_as_an_unbroken_one(film: Path, tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "killed").mkdir()
    unbroken, killed = make_vidence(tmp_path / "whole"), make_vidence(tmp_path / "killed")
    assert unbroken("index", film, "--profile", "fast").code == 0
    rng, kills = random.Random(20), 0
    for number in range(KILLS):
        # Each run gets a little further than the one before, and is killed at some moment after that.
        process = killed.start("index", film, "--profile", "fast")
        wait_until(lambda: process.poll() is not None or num_done(killed.home) >= number)  # noqa: B023
        kills += kill(process, rng.uniform(0.0, 0.3))
    done = killed("index", film, "--profile", "fast")
    assert done.code == 0, done.err
    assert kills > KILLS // 3
    assert everything(killed.home) == everything(unbroken.home)


def test_what_was_acknowledged_before_a_kill_is_there(tmp_path: Path) -> None:
    vidence = make_vidence(tmp_path)
    rng = random.Random(21)
    assert vidence("memory", "add", "The first.").code == 0
    acknowledged = ["The first."]
    for number in range(ADDS):
        process = subprocess.Popen(
            vidence.command("memory", "add", f"Fact {number}."),
            cwd=vidence.folder,
            env=dict(vidence.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        kill(process, rng.uniform(0.2, 4.0))
        assert process.stdout is not None
        if b"added" in process.stdout.read():
            acknowledged.append(f"Fact {number}.")
        process.stdout.close()
    kept = [row["content"] for row in json.loads(vidence("memory", "list", "--json").out)]
    assert set(acknowledged) <= set(kept)
    assert set(kept) <= {"The first.", *(f"Fact {number}." for number in range(ADDS))}
    assert len(kept) == len(set(kept))
