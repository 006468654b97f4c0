"""A small library of films, each showing one word."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from vidence.app import Workspace, open_workspace
from vidence.app.models import list_models
from vidence.settings import load_settings

SIGNS = ("BAKERY", "STATION", "LIBRARY", "HARBOUR", "GARDEN")


def make_sign(path: Path, words: str, *, seconds: int = 2) -> Path:
    """Write a film that shows black words on white."""
    image = np.full((240, 426, 3), 255, np.uint8)
    cv2.putText(image, words, (20, 130), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (0, 0, 0), 4, cv2.LINE_AA)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=5)
        stream.width, stream.height, stream.pix_fmt = 426, 240, "yuv420p"
        for number in range(5 * seconds):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 5)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def need_models() -> None:
    """Skip the test where the chosen models are not here."""
    if any(row.chosen and row.status == "missing" for row in list_models(load_settings())):
        pytest.skip("models are not here; run `vidence models fetch`")


@pytest.fixture(scope="session")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """An indexed library of five films, one for each sign; tests only read it."""
    need_models()
    folder = tmp_path_factory.mktemp("town")
    with open_workspace(home=folder / "home") as workspace:
        for sign in SIGNS:
            workspace.index(make_sign(folder / f"{sign.lower()}.mp4", sign))
        yield workspace


@pytest.fixture
def street(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace of its own with one film that is indexed and one that is not."""
    need_models()
    with open_workspace(home=tmp_path / "home") as workspace:
        workspace.index(make_sign(tmp_path / "bakery.mp4", "BAKERY"))
        workspace.add(make_sign(tmp_path / "station.mp4", "STATION"))
        yield workspace
