"""A configured network finds the shots instead of our own detector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.index.pipeline.test_pipeline import _write
from tests.models import tiny
from vidence.app import open_workspace
from vidence.settings import load_settings


@pytest.mark.parametrize("stages", [["shots"], ["shots", "motion"]])
def test_the_network_of_the_settings_finds_the_shots(tmp_path: Path, stages: list[str]) -> None:
    # The tiny network calls bright frames the last of their shot: one is a cut, ten in a row are gradual.
    shades = [20] * 180
    shades[40] = 230
    shades[100:110] = [230] * 10
    frames = [np.full((54, 96, 3), shade, np.uint8) for shade in shades]
    video = _write(tmp_path / "made.mp4", frames)
    settings = load_settings(
        home=tmp_path / "home",
        models={"shots": "transnet-onnx"},
        model_options={"shots": {"path": str(tiny.transnet(tmp_path / "t.onnx"))}},
    )
    with open_workspace(settings) as workspace:
        video_id = workspace.add(video).video.video_id
        outcomes = workspace.index(video_id, stages=stages)
        assert [outcome.error for outcome in outcomes] == [None] * len(stages)
        shots = workspace.store.segments.load(video_id, "fine")
        made_with = next(row.made_with for row in workspace.status(video_id) if row.stage == "shots")
    found = [(shot.transition, round(shot.start_time, 2)) for shot in shots]
    assert found == [("start", 0.0), ("cut", 4.1), ("dissolve", 10.5)]
    assert shots[-1].end_time == pytest.approx(18.0)
    assert made_with.startswith("transnet-onnx")
    with open_workspace(home=tmp_path / "home") as workspace:
        # Without the network the stage is out of date, and our own detector takes over.
        states = {row.stage: row.state for row in workspace.status(video_id)}
        assert states["shots"] == "out of date"
