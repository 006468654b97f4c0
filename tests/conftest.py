"""Fixtures every room's tests may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of real media with ground truth; tests that need it are skipped where it is not."""
    default = Path(__file__).parent.parent.parent / "shared"
    folder = Path(os.environ.get("VIDENCE_SHARED") or default)
    if not folder.is_dir():
        pytest.skip(f"no shared media at {folder}; set VIDENCE_SHARED to run this test")
    return folder
