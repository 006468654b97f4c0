"""`vidence index` and `vidence status` as a person or a program sees them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.stream import VideoStream
from click.testing import CliRunner

from tests.cli.conftest import RunCli
from tests.processes import PATIENCE_S
from vidence.app.paths import expand
from vidence.cli.index import index
from vidence.errors import FileProblem

_STAGES = ("--stage", "frames")


def _clip(path: Path, shade: int = 0, *, seconds: int = 1, codec: str = "libx264") -> Path:
    """Write a short video of one shade, unlike those of other shades."""
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=5)
        assert isinstance(stream, VideoStream)
        stream.width, stream.height = 64, 48
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        for number in range(5 * seconds):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), shade, np.uint8), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 5)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def test_bad_paths_do_not_stop_the_others_and_are_summed_up(run_cli: RunCli, tmp_path: Path) -> None:
    first, last = _clip(tmp_path / "first.mp4", 10), _clip(tmp_path / "last.mp4", 90)
    text, empty = tmp_path / "text.mp4", tmp_path / "empty"
    text.write_text("no video here")
    empty.mkdir()
    ran = run_cli("index", first, f"{tmp_path}/none*.mp4", empty, text, last, *_STAGES)
    assert ran.code == 1
    assert [line.split()[-1] for line in ran.out.splitlines()] == [str(first), str(last)]
    assert ran.err.count("error:") == 3
    assert ran.err.splitlines()[-1].startswith("2 of 5 indexed; failed: ")
    assert run_cli("index", first, last, *_STAGES).err.splitlines()[-1] == "2 of 2 indexed"


def test_every_line_of_json_is_a_documented_event(run_cli: RunCli, tmp_path: Path) -> None:
    good, text = _clip(tmp_path / "good.mp4"), tmp_path / "text.mp4"
    text.write_text("no video here")
    ran = run_cli("index", good, text, f"{tmp_path}/none*.mp4", "--json", *_STAGES)
    assert ran.code == 1
    events = [json.loads(line) for line in ran.out.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds[0] == "started"
    assert kinds[-4:] == ["indexed", "error", "error", "finished"]
    assert (events[-1]["videos"], events[-1]["failed"]) == (3, 2)
    indexed = next(event for event in events if event["event"] == "indexed")
    assert (indexed["path"], indexed["computed"], indexed["failed"]) == (str(good), 1, 0)
    told = CliRunner().invoke(index, ["--help"]).output
    for event in events:
        (line,) = (line for line in told.splitlines() if line.split()[:1] == [event["event"]])
        assert all(fact in line for fact in event if fact != "event"), line


def test_a_truncated_file_is_called_one_when_it_is_indexed(run_cli: RunCli, tmp_path: Path) -> None:
    cut = _clip(tmp_path / "cut.mkv", seconds=20)
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    ran = run_cli("index", cut, *_STAGES)
    assert ran.code == 0
    assert "note: cut.mkv: truncated: the file states 20.0 s" in ran.err
    assert "truncated" not in run_cli("index", cut, *_STAGES).err


def test_the_status_of_a_replaced_file_is_not_that_of_the_old_one(run_cli: RunCli, tmp_path: Path) -> None:
    path, copy = _clip(tmp_path / "a.mp4", 10), tmp_path / "b.mp4"
    shutil.copy(path, copy)
    first = run_cli("index", copy, path, *_STAGES).out.split()[0]
    _clip(path, 90)
    replaced = run_cli("status", path)
    assert (replaced.code, replaced.out) == (1, "")
    assert f"changed since it was added as {first}" in replaced.err
    assert "vidence index" in replaced.err
    again = run_cli("index", path, *_STAGES)
    assert f"it was {first}" in again.err
    assert run_cli("status", path).code == 0
    videos = {video["video_id"]: video["path"] for video in run_cli("list", "--json").json()}
    assert videos == {first: str(copy), again.out.split()[0]: str(path)}


def test_the_status_of_a_video_whose_file_is_gone_says_so(run_cli: RunCli, tmp_path: Path) -> None:
    path = _clip(tmp_path / "a.mp4")
    video_id = run_cli("index", path, *_STAGES).out.split()[0]
    path.unlink()
    ran = run_cli("status", video_id)
    assert ran.code == 0
    assert "is gone" in ran.err


def test_what_a_mac_leaves_beside_a_video_is_not_taken_for_one(tmp_path: Path) -> None:
    _clip(tmp_path / "a.mp4")
    (tmp_path / "._a.mp4").write_bytes(b"\0\5\x16\7")
    assert list(expand([str(tmp_path)])) == [str(tmp_path / "a.mp4")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_entered_is_named_and_the_rest_is_searched(tmp_path: Path) -> None:
    _clip(tmp_path / "a.mp4")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    problems: list[FileProblem] = []
    try:
        found = list(expand([str(tmp_path)], lambda name, problem: problems.append(problem)))
    finally:
        closed.chmod(0o700)
    assert found == [str(tmp_path / "a.mp4")]
    assert [str(closed) in str(problem) for problem in problems] == [True]


_TWICE = """
import signal, sys
from vidence.cli.interrupt import stops_at_interrupt

signal.signal(signal.SIGINT, signal.default_int_handler)
with stops_at_interrupt(lambda note: print(note, file=sys.stderr)):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("stopping in order", flush=True)
        signal.raise_signal(signal.SIGINT)
    print("never reached")
"""


def test_ctrl_c_stops_and_a_second_one_leaves_at_once() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _TWICE], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert (ran.returncode, ran.stdout) == (130, "stopping in order\n")
    assert "press Ctrl-C again" in ran.stderr
    assert "Run the same command again" in ran.stderr


_NEVER_ENDS = """
import signal, sys, threading
from vidence.cli.interrupt import stops_at_interrupt

signal.signal(signal.SIGINT, signal.default_int_handler)
with stops_at_interrupt(lambda note: None):
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("waiting for a model", flush=True)
        threading.Event().wait()
"""


def test_ctrl_c_does_not_wait_for_work_that_does_not_end() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _NEVER_ENDS], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert (ran.returncode, ran.stdout) == (130, "waiting for a model\n")
    assert "stopped; what was finished is kept" in ran.stderr


def test_where_ctrl_c_is_switched_off_it_stays_so() -> None:
    code = _TWICE.replace("default_int_handler", "SIG_IGN")
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert (ran.returncode, ran.stdout) == (0, "never reached\n")


_BUSY = """
import threading
from vidence.cli.main import leave_workers

threading.Thread(target=threading.Event().wait).start()
leave_workers(130)
"""


def test_an_interrupted_run_does_not_wait_for_threads_at_work() -> None:
    ran = subprocess.run([sys.executable, "-c", _BUSY], check=False, timeout=PATIENCE_S)
    assert ran.returncode == 130


def test_a_name_that_begins_with_a_dash_gets_a_hint(
    run_cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _clip(tmp_path / "-dash.mp4")
    monkeypatch.chdir(tmp_path)
    ran = run_cli("index", "-dash.mp4")
    assert ran.code == 2
    assert "./-dash.mp4" in ran.err
    assert run_cli("index", "./-dash.mp4", *_STAGES).code == 0


def test_damage_met_on_the_way_is_told(run_cli: RunCli, tmp_path: Path) -> None:
    path = _clip(tmp_path / "scratched.avi", 90, seconds=4, codec="mjpeg")
    assert "damaged" not in run_cli("index", path, *_STAGES).err
    content = bytearray(path.read_bytes())
    with av.open(str(path)) as whole:
        packets = [(packet.pos, packet.size) for packet in whole.demux(video=0) if packet.pos]
    begin, size = packets[len(packets) // 2]
    content[begin + 8 : begin + 8 + size] = bytes(size)
    path.write_bytes(content)
    ran = run_cli("index", path, *_STAGES)
    assert ran.code == 0
    assert "note: scratched.avi: damaged" in ran.err


def test_notes_are_read_ahead_only_where_there_is_a_local_reader(
    run_cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = _clip(tmp_path / "clip.mp4")
    monkeypatch.setenv("VIDENCE_LLM__TASKS__READER", "embedded")
    told = run_cli("index", clip, *_STAGES, "--read-ahead", "en", "--read-ahead", "zh", "--json").out
    read = [event for event in map(json.loads, told.splitlines()) if event["event"] == "read"]
    assert [(event["language"], event["seconds"]) for event in read] == [("en", None), ("zh", None)]
    assert "no local reader" in run_cli("index", clip, *_STAGES, "--read-ahead", "en").err
