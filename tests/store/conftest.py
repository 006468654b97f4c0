"""A fresh store for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.videos import add, make_file
from vidence.schema.catalogue import VideoRecord
from vidence.store.sqlite import SqliteStore


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def store(home: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(home) as opened:
        yield opened


@pytest.fixture
def video(store: SqliteStore, tmp_path: Path) -> VideoRecord:
    return add(store, make_file(tmp_path / "clips" / "cat.mp4")).video
