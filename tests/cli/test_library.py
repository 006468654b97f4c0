"""Adding, listing, showing and removing videos."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import RunCli


def test_add_list_info_remove(run_cli: RunCli, sample: Path) -> None:
    added = run_cli("add", sample)
    assert added.code == 0
    video_id = added.out.split()[0]
    assert video_id.startswith("vid_")
    assert run_cli("add", sample).out.split()[:2] == [video_id, "known"]
    listed = run_cli("list", "--json").json()
    assert [row["video_id"] for row in listed] == [video_id]
    assert listed[0]["path"] == str(sample)
    shown = run_cli("info", video_id[:10])
    assert video_id in shown.out
    assert str(sample) in shown.out.replace("\n", "")
    assert run_cli("remove", sample.name).code == 0
    assert run_cli("list", "--json").json() == []
    assert sample.exists()


def test_an_empty_workspace_says_what_to_do(run_cli: RunCli) -> None:
    listed = run_cli("list")
    assert (listed.code, listed.out) == (0, "")
    assert "vidence add" in listed.err


def test_a_copy_elsewhere_is_the_same_video(run_cli: RunCli, sample: Path, tmp_path: Path) -> None:
    first = run_cli("add", sample).out.split()[0]
    copy = tmp_path / "deep folder" / "电影 🎬.mp4"
    copy.parent.mkdir()
    shutil.copy(sample, copy)
    assert run_cli("add", copy).out.split()[:2] == [first, "known"]
    assert len(run_cli("list", "--json").json()) == 1


def test_folders_and_globs_are_searched(run_cli: RunCli, sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / "films" / "inner"
    folder.mkdir(parents=True)
    shutil.copy(sample, folder / "a.mp4")
    (folder / "notes.txt").write_text("not a video")
    assert run_cli("add", tmp_path / "films").out.count("added") == 1
    assert run_cli("add", f"{folder}/*.mp4").out.count("known") == 1
    assert run_cli("add", f"{folder}/*.avi").code == 1
    (tmp_path / "empty").mkdir()
    empty = run_cli("add", tmp_path / "empty")
    assert (empty.code, "no videos" in empty.err) == (1, True)


def test_one_bad_file_does_not_stop_the_others(run_cli: RunCli, sample: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.mp4"
    bad.write_text("this is text")
    ran = run_cli("add", bad, sample, "--json")
    assert ran.code == 1
    rows = ran.json()
    assert "error" in rows[0]
    assert rows[1]["is_new"] is True
    assert len(run_cli("list", "--json").json()) == 1


def _missing(folder: Path) -> Path:
    return folder / "missing.mp4"


def _empty(folder: Path) -> Path:
    (folder / "empty.mp4").touch()
    return folder / "empty.mp4"


def _text(folder: Path) -> Path:
    (folder / "text.mp4").write_text("no video here\n" * 100)
    return folder / "text.mp4"


def _fifo(folder: Path) -> Path:
    os.mkfifo(folder / "pipe.mp4")
    return folder / "pipe.mp4"


@pytest.mark.parametrize("make", [_missing, _empty, _text, _fifo])
@pytest.mark.parametrize("command", [("add",), ("info",), ("op", "get_video_info")])
def test_bad_files_give_one_line_and_leave_nothing(
    run_cli: RunCli, tmp_path: Path, make: object, command: tuple[str, ...]
) -> None:
    assert callable(make)
    path: Path = make(tmp_path)
    ran = run_cli(*command, path)
    assert ran.code in (1, 2)
    assert ran.out == ""
    assert "error" in ran.err
    assert "Traceback" not in ran.err
    assert len(ran.err.strip().splitlines()) <= 2 or command == ("add",)
    assert run_cli("list", "--json").json() == []


def test_an_unknown_id_suggests_a_near_one(run_cli: RunCli, sample: Path) -> None:
    video_id = run_cli("add", sample).out.split()[0]
    wrong = video_id[:-1] + ("0" if video_id[-1] != "0" else "1")
    ran = run_cli("info", wrong)
    assert ran.code == 1
    assert video_id in ran.err


def test_a_moved_file_is_found_again(run_cli: RunCli, sample: Path, tmp_path: Path) -> None:
    here = tmp_path / "film.mp4"
    shutil.copy(sample, here)
    video_id = run_cli("add", here).out.split()[0]
    here.rename(tmp_path / "renamed.mp4")
    ran = run_cli("op", "get_temporal_structure", video_id, "--json")
    assert ran.code == 0, ran.err
    assert ran.json()["total_segments"] >= 1


def test_a_subtitle_file_that_cannot_be_read_is_named(run_cli: RunCli, sample: Path, tmp_path: Path) -> None:
    copy = tmp_path / "talk.mp4"
    shutil.copy(sample, copy)
    (tmp_path / "talk.srt").write_bytes(b"\x00\x01\x02" * 100)
    (tmp_path / "talk.en.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nHello.\n")
    ran = run_cli("transcript", copy)
    assert (ran.code, ran.out.split()[-1]) == (0, "Hello.")
    assert "talk.srt" in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("name", ["~draft.mp4", "-dash.mp4", "*.mp4", "[a-z].mp4"])
def test_a_name_the_shell_would_read_otherwise_is_a_name(
    run_cli: RunCli, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(sample, name)
    assert run_cli("add", "--", name).out.split()[1] == "added"
    assert run_cli("op", "get_video_info", "--json", "--", name).json()["duration"] == 54.6


def test_a_path_that_leads_nowhere_is_called_a_file(run_cli: RunCli, tmp_path: Path) -> None:
    for command in ("add", "index", "info", "report"):
        ran = run_cli(command, tmp_path / "no" / "such.mp4")
        assert (ran.code, "No such file" in ran.err) == (1, True)


def test_a_misspelt_file_is_missing_and_the_near_ones_are_named(
    run_cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "holiday.mp4").touch()
    (tmp_path / "notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    for command in (("info", "holidya.mp4"), ("ask", "holidya.mp4", "What?"), ("add", "holidya.mp4")):
        said = run_cli(*command).err
        assert re.search(r"No such file: '[^']*holidya\.mp4'\. Did you mean '[^']*holiday\.mp4'\?", said)
        assert "notes.txt" not in said


def test_the_folder_one_stands_in_may_be_gone(
    run_cli: RunCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run_cli("list").code == 0
    assert run_cli("add", "x.mp4").err.count("\n") == 1


def test_one_failure_of_many_stages_is_told_once(
    run_cli: RunCli, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no network")
    monkeypatch.setenv("VIDENCE_MODELS", '{"objects": "yolo-onnx"}')
    monkeypatch.setenv("VIDENCE_MODEL_OPTIONS", f'{{"objects": {{"path": "{broken}"}}}}')
    ran = run_cli("index", sample, "--stage", "objects", "--stage", "pose", "--stage", "frames")
    assert ran.code == 1
    errors = [line for line in ran.err.splitlines() if line.startswith("error:")]
    assert len(errors) == 1
    assert errors[0].startswith("error: objects, pose: ")
    assert "1 stage in" in ran.out
    assert "2 stages failed" in ran.out
