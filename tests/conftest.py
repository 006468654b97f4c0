"""Fixtures every room's tests may use."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parent.parent

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whoever runs these tests in the background has Ctrl-C switched off for all they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of real media with ground truth; tests that need it are skipped where it is not."""
    default = Path(__file__).parent.parent.parent / "shared"
    folder = Path(os.environ.get("VIDENCE_SHARED") or default)
    if not folder.is_dir():
        pytest.skip(f"no shared media at {folder}; set VIDENCE_SHARED to run this test")
    return folder


@pytest.fixture(scope="session")
def sample() -> Path:
    """The project's own sample video."""
    return REPOSITORY / "samples" / "vidence_sample.mp4"


@pytest.fixture(scope="session")
def truth() -> dict[str, Any]:
    """What is in the sample video, and when."""
    loaded: dict[str, Any] = json.loads((REPOSITORY / "samples" / "vidence_sample.json").read_text("utf-8"))
    return loaded
