"""Hundreds of damaged copies: no crash, no hang, no leak, and only vidence's own errors."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import av
import pytest

from tests.media.clips import add_sound, add_video, beep, even_ticks, write_frames, write_sound

ROOT = Path(__file__).parent.parent.parent
WORKER = Path(__file__).with_name("damage_worker.py")
COPIES = 90
SAMPLE_COPIES = 12
# A hang takes for ever; how long the rest takes depends on what else the machine does.
BATCH_TIMEOUT_S = 600
ONE_FILE_CPU_S = 15
# What libav, numpy and a few frames need; a decoder bomb or a leak goes far beyond.
PEAK_MIB = 600


def read_damaged(source: Path, folder: Path, copies: int) -> dict[str, int]:
    """Read damaged copies of `source` in another process and return how each ended."""
    command = [sys.executable, str(WORKER), str(source), str(folder), "0", str(copies)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=BATCH_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as exc:
        last = (exc.stderr or b"").decode().strip().splitlines()[-1:]
        pytest.fail(f"{source.name} hung at {last}")
    assert done.returncode == 0, f"{source.name} died with {done.returncode}: {done.stderr[-3000:]}"
    noise = [line for line in done.stderr.splitlines() if not line.startswith("seed ")]
    assert not noise, f"libav wrote to stderr: {noise[:5]}"
    report = json.loads(done.stdout)
    assert report["slowest_cpu_s"] < ONE_FILE_CPU_S, report
    assert report["open_files"] < 12, report
    assert report["peak_mib"] < PEAK_MIB, report
    outcomes: dict[str, int] = report["outcomes"]
    assert set(outcomes) <= {"read", "DamagedMedia", "FileProblem", "MediaError", "NotAVideo", "UserError"}
    return outcomes


@pytest.mark.parametrize("name", ["d.mp4", "d.mkv", "d.ts", "d.avi"])
def test_damaged_copies_are_survived(tmp_path: Path, name: str) -> None:
    source = tmp_path / name
    with av.open(
        source, "w", container_options={"movflags": "faststart"} if name == "d.mp4" else {}
    ) as output:
        avi = name == "d.avi"
        video = add_video(output, codec="mpeg4" if avi else "libx264", b_frames=0 if avi else 2)
        sound = add_sound(output, "mp2" if avi else "aac")
        write_sound(output, sound, beep(2, 1.0))
        write_frames(output, video, even_ticks(50))
    outcomes = read_damaged(source, tmp_path, COPIES)
    assert sum(outcomes.values()) == COPIES
    # Most damage leaves something to see.
    assert outcomes.get("read", 0) > COPIES // 3, outcomes


def test_damaged_copies_of_the_sample_are_survived(tmp_path: Path) -> None:
    samples = sorted((ROOT / "samples").glob("*.mp4"))
    if not samples:
        pytest.skip("no sample video in samples/")
    outcomes = read_damaged(samples[0], tmp_path, SAMPLE_COPIES)
    assert sum(outcomes.values()) == SAMPLE_COPIES
