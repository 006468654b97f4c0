"""A job over a small video in a real store."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.store.videos import make_file, make_info
from vidence.index.pipeline.job import Job
from vidence.index.pipeline.profile import PROFILES
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.settings import load_settings
from vidence.store import Store


@pytest.fixture
def reports() -> list[tuple[str, float]]:
    """The progress that the job reports."""
    return []


@pytest.fixture
def job(store: Store, video_id: str, tmp_path: Path, reports: list[tuple[str, float]]) -> Job:
    """A job of the default profile over a video of two seconds."""
    path = make_file(tmp_path / "clips" / "film.mp4")
    settings = load_settings(home=tmp_path / "home")
    return Job(
        video_id,
        path,
        (path,),
        make_info(path),
        store,
        ModelShelf(ModelCache(settings.model_home)),
        settings,
        PROFILES["default"],
        report=lambda stage, fraction: reports.append((stage, fraction)),
    )
