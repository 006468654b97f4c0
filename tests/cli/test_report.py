"""`vidence report` on a short film of one plain colour, which needs little to be understood."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import RunCli


def test_report_tells_scenes_and_shots_in_the_language_asked(run_cli: RunCli, plain: Path) -> None:
    ran = run_cli("report", plain)
    assert ran.code == 0
    assert "plain [1].mp4" in ran.out
    assert "Scene 1" in ran.out
    assert "seg_001" in ran.out
    assert "场景 1" in run_cli("report", plain, "--language", "zh").out


def test_report_as_json_has_every_part_of_a_shot(run_cli: RunCli, plain: Path) -> None:
    found = run_cli("report", plain, "--json").json()
    assert list(found) == ["video_id", "info", "scenes", "shots"]
    assert set(found["shots"][0]) == {
        "segment_id", "start_time", "end_time", "caption", "objects", "words", "sounds", "text",
    }  # fmt: skip
