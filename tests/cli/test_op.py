"""Operations as commands."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.cli.conftest import RunCli


def test_get_video_info_has_exactly_the_seeds_fields(
    run_cli: RunCli, sample: Path, truth: dict[str, object]
) -> None:
    ran = run_cli("op", "get_video_info", sample, "--json")
    assert ran.code == 0
    result = ran.json()
    assert list(result) == ["duration", "fps", "resolution", "has_audio", "num_frames", "file_size_mb"]
    assert result["duration"] == pytest.approx(truth["duration"], abs=0.1)
    assert result["fps"] == truth["fps"]
    assert result["has_audio"] is True
    assert result["num_frames"] == pytest.approx(result["duration"] * result["fps"], abs=1)
    assert result["file_size_mb"] == pytest.approx(sample.stat().st_size / 1e6, abs=0.001)


def test_get_temporal_structure_covers_the_video(run_cli: RunCli, sample: Path) -> None:
    shots = run_cli("op", "get_temporal_structure", sample, "--granularity", "fine", "--json").json()
    scenes = run_cli("op", "get_temporal_structure", sample, "--json").json()
    for result, kind in ((shots, "shot"), (scenes, "scene")):
        segments = result["segments"]
        assert list(segments[0]) == ["segment_id", "start_time", "end_time", "duration", "type"]
        assert result["total_segments"] == len(segments)
        assert {segment["type"] for segment in segments} == {kind}
        assert [segment["segment_id"] for segment in segments[:2]] == ["seg_001", "seg_002"][: len(segments)]
        assert segments[0]["start_time"] == 0
        for left, right in pairwise(segments):
            assert left["end_time"] == right["start_time"]
    starts = {segment["start_time"] for segment in shots["segments"]}
    assert {segment["start_time"] for segment in scenes["segments"]} <= starts


def test_the_samples_cuts_are_found(run_cli: RunCli, sample: Path, truth: dict[str, list[float]]) -> None:
    shots = run_cli("op", "get_temporal_structure", sample, "--granularity", "fine", "--json").json()
    starts = [segment["start_time"] for segment in shots["segments"]]
    for cut in truth["cuts"]:
        assert min(abs(start - cut) for start in starts) <= 0.05


def test_a_person_sees_a_table_and_a_pipe_sees_the_same_words(run_cli: RunCli, sample: Path) -> None:
    ran = run_cli("op", "get_temporal_structure", sample)
    assert "seg_001" in ran.out
    assert "scene" in ran.out
    assert "\x1b" not in ran.out


def test_params_come_as_json_too_and_records_can_be_shown(run_cli: RunCli, sample: Path) -> None:
    video_id = run_cli("add", sample).out.split()[0]
    params = json.dumps({"video_id": video_id, "granularity": "fine"})
    ran = run_cli("op", "get_temporal_structure", "--params", params, "--record", "--json").json()
    assert ran["record"]["operation"] == "get_temporal_structure"
    assert ran["record"]["arguments"] == json.loads(params)
    assert ran["record"]["models"]
    again = run_cli(
        "op", "get_temporal_structure", video_id, "--granularity", "fine", "--record", "--json"
    ).json()
    assert again["record"]["cached"] is True
    assert again["record"]["result_hash"] == ran["record"]["result_hash"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("op", "get_temporal_structure", "SAMPLE", "--granularity", "medium"), "'coarse' or 'fine'"),
        (("op", "get_temporal_structur", "SAMPLE"), "get_temporal_structure"),
        (("op", "get_video_info"), "video_id is required"),
        (("op", "get_video_info", "SAMPLE", "--params", "{oops"), "not JSON"),
        (("op", "get_video_info", "SAMPLE", "--params", "[1]"), "JSON object"),
        (("op", "get_video_info", "SAMPLE", "--params", '{"vidoe": 1}'), "not a parameter"),
        (("op", "get_video_info", "SAMPLE", "--nonsense"), "No such option"),
        (("op", "temporal_search", "SAMPLE", "--query", ""), "query"),
        (("op", "detect_audio_events", "SAMPLE", "--event-types", "[oops"), "--event-types"),
        (("ops", "get_vdeo_info"), "get_video_info"),
        (("nonsense",), "No such command"),
    ],
)
def test_a_wrong_call_is_exit_two_with_the_cure(
    run_cli: RunCli, sample: Path, arguments: tuple[str, ...], word: str
) -> None:
    ran = run_cli(*(str(sample) if part == "SAMPLE" else part for part in arguments))
    assert ran.code == 2
    assert word in " ".join(ran.err.split())
    assert ran.out == ""


def test_words_in_brackets_are_words(run_cli: RunCli, sample: Path) -> None:
    said = "[laughs] {all of them}"
    arguments = ("op", "write_memory", sample, "--memory-type", "observation", "--content", said)
    assert run_cli(*arguments, "--record", "--json").json()["record"]["arguments"]["content"] == said


def test_ops_lists_explains_and_gives_schemas(run_cli: RunCli) -> None:
    assert "get_video_info" in run_cli("ops").out
    assert "granularity" in run_cli("ops", "get_temporal_structure").out
    tools = run_cli("ops", "--schema", "openai").json()
    assert {tool["function"]["name"] for tool in tools} >= {"get_video_info", "get_temporal_structure"}
    assert run_cli("ops", "get_video_info", "--schema", "gemini").json()[0]["name"] == "get_video_info"


def test_every_command_helps_with_an_example(run_cli: RunCli) -> None:
    for command in ("add", "list", "info", "remove", "report", "op", "ops", "doctor", "completion", "bench"):
        ran = run_cli(command, "--help")
        assert ran.code == 0
        assert "Example:" in ran.out, command


def test_report_shows_scenes_and_shots(run_cli: RunCli, sample: Path) -> None:
    ran = run_cli("report", sample)
    assert ran.code == 0
    assert "scenes" in ran.out
    assert "seg_001" in ran.out


def test_doctor_passes_here_and_names_the_home(run_cli: RunCli, tmp_path: Path) -> None:
    ran = run_cli("doctor")
    assert ran.code == 0, ran.out
    assert str(tmp_path / "home") in ran.out.replace("\n", "")
    assert {row["status"] for row in run_cli("doctor", "--json").json()} <= {"ok", "warn"}


def test_doctor_fails_on_a_newer_workspace(run_cli: RunCli, sample: Path, tmp_path: Path) -> None:
    run_cli("add", sample)
    import sqlite3

    database = next((tmp_path / "home").glob("*.db"))
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    ran = run_cli("doctor")
    assert ran.code == 1
    assert "newer" in ran.out
    assert run_cli("list").code == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(run_cli: RunCli, shell: str) -> None:
    assert "_VIDENCE_COMPLETE" in run_cli("completion", shell).out


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    code = "from vidence.cli import main; main()"
    command = [sys.executable, "-c", code, "--home", str(tmp_path), "ops", "--schema", "openai"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")


def test_an_unknown_stage_is_a_usage_error_that_names_the_known_ones(run_cli: RunCli, sample: Path) -> None:
    ran = run_cli("index", sample, "--stage", "shotz")
    assert ran.code == 2
    assert "'shots'" in ran.err


def test_times_that_are_not_given_mean_the_whole_video_or_its_middle(run_cli: RunCli, plain: Path) -> None:
    ran = run_cli("op", "describe_visual", plain, "--detail-level", "brief", "--json")
    assert ran.code == 0
    assert ran.json()["num_frames_analyzed"] >= 1
    at = run_cli("op", "get_scene_attributes", plain, "--attributes", "lighting")
    assert at.code == 0
    assert "the middle" in at.err


def test_unix_times_are_shown_as_dates(run_cli: RunCli, plain: Path) -> None:
    ran = run_cli("op", "write_memory", plain, "--content", "It is dark", "--memory-type", "observation")
    assert re.search(r"created_at\s+20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", ran.out)
    listed = run_cli("op", "read_memory", plain, "--query", "*")
    assert re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", listed.out)
    assert isinstance(
        run_cli("op", "read_memory", plain, "--query", "*", "--json").json()["memories"][0]["created_at"],
        float,
    )
