"""Models are opened when first used, once, however many ask."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
import pytest

from tests.models import tiny
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf

ANCHORS = np.array([[[32], [32], [32], [16], [0.9], [0.1]]], np.float32)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that onnxruntime was told to open."""
    paths: list[str] = []
    real = onnxruntime.InferenceSession

    def counting(path: str, *arguments: Any, **options: Any) -> Any:
        paths.append(path)
        return real(path, *arguments, **options)

    monkeypatch.setattr(onnxruntime, "InferenceSession", counting)
    return paths


def test_sixteen_threads_open_a_model_once(tmp_path: Path, opened: list[str]) -> None:
    path = tiny.yolo(tmp_path / "y.onnx", anchors=ANCHORS, names="{0: 'cat', 1: 'dog'}")
    shelf = ModelShelf(
        ModelCache(tmp_path), chosen={"objects": "yolo-onnx"}, options={"objects": {"path": str(path)}}
    )
    picture, start = np.zeros((64, 64, 3), np.uint8), Barrier(16)

    def ask(_: int) -> tuple[int, int]:
        start.wait()
        detector = shelf.detector
        return id(detector), len(detector.detect([picture])[0])

    assert shelf.detector.model_id
    assert opened == []
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, range(16)))
    assert set(answers) == {(id(shelf.detector), 1)}
    assert opened == [str(path)]


def test_a_choice_changes_with_the_options(tmp_path: Path) -> None:
    def choice(**options: str) -> str:
        return ModelShelf(ModelCache(tmp_path), options={"ocr": options}).fingerprint("ocr")

    assert choice() == "pp-ocr-v6-small"
    assert choice(glance="640") != choice()
    assert ModelShelf(ModelCache(tmp_path)).fingerprint("captions") == ""
