"""A real store with one small video in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.videos import add, make_file
from vidence.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A new store."""
    with open_store(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def video_id(store: Store, tmp_path: Path) -> str:
    """A video of two seconds in the store."""
    return add(store, make_file(tmp_path / "clips" / "cat.mp4")).video.video_id
