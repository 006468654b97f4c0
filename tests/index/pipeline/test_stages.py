"""A change of model makes out of date what rests on it, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.index.pipeline.profile import PROFILES
from vidence.index.pipeline.stages import STAGES
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf


def fingerprints(folder: Path, chosen: dict[str, str], options: dict[str, dict[str, str]]) -> dict[str, str]:
    shelf = ModelShelf(ModelCache(folder), chosen=chosen, options=options)
    found = {name: spec.fingerprint(PROFILES["default"], shelf) for name, spec in STAGES.items()}
    return {name: value for name, value in found.items() if value is not None}


@pytest.mark.parametrize(
    ("capability", "model", "stages"),
    [
        ("image_text", "clip-onnx", {"lens_vectors", "captions", "text_vectors"}),
        ("objects", "yolo-onnx", {"objects", "pose", "tracks", "captions", "text_vectors"}),
        ("open_objects", "grounding-dino-onnx", set()),
        ("shots", "transnet-onnx", {"shots", "captions", "text_vectors"}),
        ("speech", "whisper-folder", {"transcript", "text_vectors"}),
    ],
)
def test_another_model_and_another_file_rerun_what_rests_on_them(
    tmp_path: Path, capability: str, model: str, stages: set[str]
) -> None:
    file, chosen = tmp_path / "model.onnx", {capability: model}
    file.write_bytes(b"one")
    embedded = fingerprints(tmp_path, {}, {})
    first = fingerprints(tmp_path, chosen, {capability: {"path": str(file)}})
    file.write_bytes(b"two")
    second = fingerprints(tmp_path, chosen, {capability: {"path": str(file)}})
    assert {name for name in embedded if embedded[name] != first[name]} == stages
    assert {name for name in embedded if first[name] != second[name]} == stages
    assert second == fingerprints(tmp_path, chosen, {capability: {"path": str(file)}})


def test_an_option_of_an_embedded_model_counts_too(tmp_path: Path) -> None:
    before, after = fingerprints(tmp_path, {}, {}), fingerprints(tmp_path, {}, {"ocr": {"glance": "640"}})
    assert {name for name in before if before[name] != after[name]} == {"ocr", "captions", "text_vectors"}
