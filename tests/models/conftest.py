"""What the model tests share: one cache for the session, the shared media when present, a drawn picture."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vidence.models.cache import ModelCache
from vidence.schema.perception import Rgb


@pytest.fixture(scope="session")
def model_cache(tmp_path_factory: pytest.TempPathFactory) -> ModelCache:
    """A fresh cache that borrows what `vidence models fetch` put into the real one."""
    home = tmp_path_factory.mktemp("home")
    fetched = Path(os.environ.get("VIDENCE_HOME") or "~/.vidence").expanduser() / "models" / "packages"
    if fetched.is_dir():
        (home / "models").mkdir()
        (home / "models" / "packages").symlink_to(fetched)
    return ModelCache(home)


@pytest.fixture(scope="session")
def shared_media() -> Path:
    beside = Path(__file__).parents[3] / "shared"
    folder = Path(os.environ.get("VIDENCE_SHARED") or beside) / "media"
    if not folder.is_dir():
        pytest.skip("the shared media are not here; set VIDENCE_SHARED")
    return folder


@pytest.fixture(scope="session")
def cat(shared_media: Path) -> Rgb:
    return _read_rgb(shared_media / "images" / "cat-300572_1280.jpg")


@pytest.fixture
def noise() -> Rgb:
    return np.random.default_rng(7).integers(0, 256, (240, 320, 3), dtype=np.uint8)


@pytest.fixture(scope="session")
def read_rgb() -> Callable[[Path], Rgb]:
    return _read_rgb


def _read_rgb(path: Path) -> Rgb:
    image = cv2.imread(str(path), cv2.IMREAD_COLOR_RGB)
    assert image is not None
    return np.asarray(image, np.uint8)
