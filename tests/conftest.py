"""Fixtures every room's tests may use."""

from __future__ import annotations

import json
import os
import signal
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from tests.scripts import CAPTIONS
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import MemoryUnit

REPOSITORY = Path(__file__).parent.parent

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whoever runs these tests in the background has Ctrl-C switched off for all they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples on every run, however busy the machine: what passed once on a commit passes always.
# To look for new ones: pytest --hypothesis-profile=default.
settings.register_profile(
    "vidence", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("vidence")
# Hypothesis also draws the constants of all modules loaded by then, which depends on the tests run before.
providers._get_local_constants = Constants


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of real media with ground truth; tests that need it are skipped where it is not."""
    default = Path(__file__).parent.parent.parent / "shared"
    folder = Path(os.environ.get("VIDENCE_SHARED") or default)
    if not folder.is_dir():
        pytest.skip(f"no shared media at {folder}; set VIDENCE_SHARED to run this test")
    return folder


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A film of one plain colour and a second long, which takes little time to index."""
    path = tmp_path / "plain [1].mp4"
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=5)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(6):
            frame = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 5)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


@pytest.fixture(scope="session")
def sample() -> Path:
    """The project's own sample video."""
    return REPOSITORY / "samples" / "vidence_sample.mp4"


@pytest.fixture(scope="session")
def truth() -> dict[str, Any]:
    """What is in the sample video, and when."""
    loaded: dict[str, Any] = json.loads((REPOSITORY / "samples" / "vidence_sample.json").read_text("utf-8"))
    return loaded


@pytest.fixture
def captions() -> tuple[MemoryUnit, ...]:
    """Ten frames in words, two seconds apart."""
    return tuple(
        MemoryUnit(frame_id=number, caption=text, timestamp_s=number * 2.0)
        for number, text in enumerate(CAPTIONS, 1)
    )


@pytest.fixture
def world(captions: tuple[MemoryUnit, ...]) -> CaptionWorld:
    """A world of these captions."""
    return CaptionWorld(captions)
