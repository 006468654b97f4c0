"""A change of model makes out of date what rests on it, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vidence.index.pipeline.profile import PROFILES
from vidence.index.pipeline.stages import STAGES, Stage
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


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES.keys())
def test_what_computes_a_stage_can_be_imported(stage: Stage) -> None:
    assert callable(stage.load())


def test_a_stage_comes_after_the_stages_it_needs() -> None:
    order = list(STAGES)
    for stage in STAGES.values():
        assert all(order.index(need) < order.index(stage.name) for need in stage.needs)


def test_knowing_the_stages_loads_no_decoder_and_no_lane() -> None:
    """`vidence status` reads the table only."""
    code = "import sys, vidence.index.pipeline.indexer; print(*(name for name in sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    heavy = ("vidence.index.pipeline.run", "vidence.index.pipeline.analysts", "vidence.index.tracking.lane")
    assert not set(heavy) & set(loaded.split())
