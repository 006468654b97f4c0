"""Fixtures for the tests of queries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.queries.made import Films
from vidence.store import open_store


@pytest.fixture
def films(tmp_path: Path) -> Iterator[Films]:
    """A real store in a new folder, to which a test adds videos."""
    with open_store(tmp_path / "home") as store:
        yield Films(store, tmp_path / "films")
