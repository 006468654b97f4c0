"""The vision benchmark: its truth matches the media, and a section of it runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from vidence.bench.scene import load_scenes
from vidence.bench.vision import STATIC_CLIPS, command, load_activities
from vidence.media import probe


def test_the_truth_speaks_of_clips_that_exist(shared_dir: Path) -> None:
    videos = shared_dir / "media" / "videos"
    spans = [(video, span.end_time) for video, span, _ in load_activities()]
    spans += [(truth.video, truth.time_s) for truth in load_scenes()]
    spans += [(clip, max(times)) for clip, times in STATIC_CLIPS.items()]
    for clip, end_s in spans:
        assert end_s <= probe(videos / clip).duration_s + 0.05


@pytest.mark.slow
def test_the_camera_section_beats_its_baseline(shared_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIDENCE_SHARED", str(shared_dir))
    done = CliRunner().invoke(command, ["--only", "camera", "--json"])
    assert done.exit_code == 0, done.output
    figures = json.loads(done.stdout)
    values = {figure["how"]: figure["value"] for figure in figures if figure["what"] == "camera, sample film"}
    ours = values.pop("get_scene_attributes")
    assert values
    assert ours > max(values.values())
