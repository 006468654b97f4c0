"""Fixtures of the tests of stories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vidence.store.sqlite import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(tmp_path / "home") as opened:
        yield opened
