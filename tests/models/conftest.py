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
from vidence.settings import load_settings


@pytest.fixture(scope="session")
def model_cache() -> ModelCache:
    """The real cache, where `vidence models fetch` put the models; none of these tests changes it."""
    return ModelCache(load_settings().model_home)


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
