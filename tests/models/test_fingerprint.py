"""What tells one model of the user's from another."""

from __future__ import annotations

import shutil
from pathlib import Path

from vidence.models.shelf import model_fingerprint


def test_a_model_without_options_is_its_name() -> None:
    assert model_fingerprint("whisper-base", {}) == "whisper-base"


def test_another_file_at_the_same_place_is_another_model(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"a" * 300_000)
    before = model_fingerprint("yolo-onnx", {"path": str(file)})
    file.write_bytes(b"a" * 299_999 + b"b")
    assert model_fingerprint("yolo-onnx", {"path": str(file)}) != before


def test_a_folder_is_its_weights_and_settings_wherever_it_lies(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    (folder / "onnx").mkdir(parents=True)
    (folder / "onnx" / "vision_model.onnx").write_bytes(b"weights")
    (folder / "config.json").write_text("{}")
    before = model_fingerprint("clip-onnx", {"path": str(folder)})
    (folder / "README.md").write_text("How nice.")
    shutil.copytree(folder, tmp_path / "two")
    assert model_fingerprint("clip-onnx", {"path": str(tmp_path / "two")}) == before
    (folder / "onnx" / "vision_model.onnx").write_bytes(b"others!")
    assert model_fingerprint("clip-onnx", {"path": str(folder)}) != before


def test_only_options_that_change_the_answers_count() -> None:
    asked = {"base_url": "http://127.0.0.1:1/v1", "model": "m"}
    before = model_fingerprint("vision-llm", asked)
    assert model_fingerprint("vision-llm", {**asked, "timeout_s": "5", "api_key_env": "KEY"}) == before
    assert model_fingerprint("vision-llm", {**asked, "model": "n"}) != before


def test_a_path_with_nothing_there_stands_for_itself(tmp_path: Path) -> None:
    assert model_fingerprint("yolo-onnx", {"path": str(tmp_path / "x")}).endswith(str(tmp_path / "x"))
