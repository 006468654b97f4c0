"""A run over a small video: stages that cannot run fail alone, with their reason stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from vidence.app import Workspace, open_workspace
from vidence.index.pipeline.job import Job
from vidence.index.pipeline.profile import PROFILES
from vidence.index.pipeline.run import compute
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.schema.observations import FrameSeen, MotionSeen


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def small(workspace: Workspace, plain: Path, tmp_path: Path) -> Job:
    """A job over a video of a second, with a shelf whose detector is missing."""
    video = workspace.add(plain).video
    path = video.locations[0].path
    folder = tmp_path / "no detector"
    return Job(
        video.video_id,
        path,
        (path,),
        video.info,
        workspace.store,
        ModelShelf(
            ModelCache(workspace.settings.model_home),
            chosen={"objects": "yolo-onnx"},
            options={"objects": {"path": str(folder)}},
        ),
        workspace.settings,
        PROFILES["default"],
        report=lambda stage, fraction: None,
    )


def _state(job: Job, stage: str) -> str | None:
    row = job.store.stages.get(job.video_id, stage)
    return row.state if row else None


def test_stages_without_models_are_computed_and_marked_as_done(small: Job) -> None:
    assert compute(small, ["shots", "motion", "frames"]) == {}
    assert {_state(small, stage) for stage in ("shots", "motion", "frames")} == {"done"}
    (frame,) = small.store.observations.load(small.video_id, "frames", FrameSeen)
    assert frame.brightness == pytest.approx(0, abs=0.02)
    assert small.store.observations.load(small.video_id, "motion", MotionSeen)
    assert len(small.store.segments.load(small.video_id, "fine")) == 1


def test_a_stage_whose_model_is_missing_fails_and_the_others_go_on(small: Job) -> None:
    errors = compute(small, ["motion", "objects"])
    assert errors.keys() == {"objects"}
    assert _state(small, "motion") == "done"
    row = small.store.stages.get(small.video_id, "objects")
    assert row is not None
    assert row.state == "failed"
    assert row.error == str(errors["objects"])


def test_a_derived_stage_fails_where_what_it_is_made_from_is_not_finished(small: Job) -> None:
    errors = compute(small, ["captions"])
    assert "which is not finished" in str(errors["captions"])
    assert _state(small, "captions") == "failed"


def test_a_run_told_to_stop_ends_without_an_error_and_resumes(small: Job) -> None:
    small.stop.set()
    assert compute(small, ["motion"]) == {}
    assert _state(small, "motion") != "done"
    again = replace(small, stop=type(small.stop)())
    assert compute(again, ["motion"]) == {}
    assert _state(small, "motion") == "done"


def test_nothing_to_compute_is_no_error(small: Job) -> None:
    assert compute(small, []) == {}
