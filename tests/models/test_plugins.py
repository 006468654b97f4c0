"""Models the user brings: each adapter against a tiny generated network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.models import tiny
from vidence.errors import BackendError, SettingsError, UnknownName
from vidence.models.cache import ModelCache
from vidence.models.catalogue import DEFAULTS, MODELS, PLUGINS, choose, list_models, open_model
from vidence.models.vision.clip_onnx import ClipOnnx
from vidence.models.vision.grounding_onnx import GroundingOnnx
from vidence.models.vision.transnet_onnx import TransNetOnnx
from vidence.models.vision.yolo_onnx import YoloOnnx
from vidence.schema.perception import Box, Rgb


def plain(red: int, green: int, blue: int) -> Rgb:
    return np.full((40, 60, 3), (red, green, blue), np.uint8)


def test_clip_puts_words_beside_their_pictures(tmp_path: Path) -> None:
    model = ClipOnnx(tiny.clip(tmp_path / "clip"))
    pictures = model.encode_images([plain(200, 10, 10), plain(10, 10, 200)])
    words = model.encode_texts(["red", "a blue dot"])
    assert (pictures @ words.T).argmax(axis=1).tolist() == [0, 1]
    assert model.dim == 3
    assert model.model_id == "clip-onnx:clip"


def test_clip_says_what_its_folder_lacks(tmp_path: Path, model_cache: ModelCache) -> None:
    with pytest.raises(SettingsError, match="not a folder"):
        open_model(
            "image_text",
            model_cache,
            chosen={"image_text": "clip-onnx"},
            options={"path": str(tmp_path / "x")},
        )
    with pytest.raises(SettingsError, match="has no vision_model"):
        ClipOnnx(tmp_path)
    folder = tiny.clip(tmp_path / "clip")
    (folder / "preprocessor_config.json").write_text("{}")
    with pytest.raises(SettingsError, match="does not say the size"):
        ClipOnnx(folder)


def test_clip_names_a_broken_tokenizer(tmp_path: Path) -> None:
    folder = tiny.clip(tmp_path / "clip")
    (folder / "tokenizer.json").write_text("[")
    with pytest.raises(BackendError, match="not a readable tokenizer"):
        ClipOnnx(folder).encode_texts(["red"])


ANCHORS = np.array([[[32], [32], [32], [16], [0.9], [0.1]]], np.float32)
"""One box in the middle of the padded 64 × 64 input: class 0, 32 wide, 16 high."""


def test_yolo_maps_the_padded_input_back_to_the_picture(tmp_path: Path) -> None:
    model = YoloOnnx(tiny.yolo(tmp_path / "y.onnx", anchors=ANCHORS, names="{0: 'cat', 1: 'dog'}"))
    [[found]] = model.detect([np.zeros((50, 100, 3), np.uint8)])
    assert found.category == "cat"
    assert found.box.iou(Box(0.25, 0.25, 0.5, 0.5)) > 0.99


def test_yolo_reads_exports_with_their_own_suppression(tmp_path: Path) -> None:
    rows = np.array([[[16, 16, 48, 48, 0.8, 1], [0, 0, 10, 10, 0.1, 0]]], np.float32)
    model = YoloOnnx(tiny.yolo(tmp_path / "y.onnx", anchors=rows, names=None), names=["cat", "dog"])
    [[found]] = model.detect([np.zeros((64, 64, 3), np.uint8)])
    assert (found.category, round(found.confidence, 2)) == ("dog", 0.8)


def test_yolo_without_names_asks_for_them(tmp_path: Path) -> None:
    path = tiny.yolo(tmp_path / "y.onnx", anchors=ANCHORS, names=None)
    with pytest.raises(SettingsError, match="labels"):
        YoloOnnx(path).detect([plain(0, 0, 0)])
    with pytest.raises(BackendError, match="but 3 are named"):
        YoloOnnx(path, names=["a", "b", "c"]).detect([plain(0, 0, 0)])


def test_yolo_names_are_data_not_code(tmp_path: Path) -> None:
    path = tiny.yolo(tmp_path / "y.onnx", anchors=ANCHORS, names="__import__('os').getcwd()")
    with pytest.raises(BackendError, match="unreadable class names"):
        YoloOnnx(path).detect([plain(0, 0, 0)])


def test_yolo_world_answers_the_words_it_knows(tmp_path: Path, model_cache: ModelCache) -> None:
    path = tiny.yolo(tmp_path / "y.onnx", anchors=ANCHORS, names=None)
    model = open_model(
        "open_objects",
        model_cache,
        chosen={"open_objects": "yolo-world-onnx"},
        options={"path": str(path), "labels": "red dot, person"},
    )
    assert [len(found) for found in model.detect_query([plain(1, 1, 1)], ["Red dot"])] == [1]
    assert model.detect_query([plain(1, 1, 1)], ["unicorn"]) == [[]]


def test_grounding_gives_each_query_its_own_boxes(tmp_path: Path) -> None:
    folder = tiny.grounding(tmp_path / "g")
    model = GroundingOnnx(folder / "model.onnx", folder / "tokenizer.json")
    [found] = model.detect_query([plain(5, 5, 5)], ["red", "person"])
    assert [one.category for one in found] == ["red", "person"]
    assert found[0].box.iou(Box(0.0, 0.0, 0.5, 0.5)) > 0.99
    assert found[1].box.iou(Box(0.55, 0.55, 0.4, 0.4)) > 0.99
    assert model.detect_query([plain(5, 5, 5)], [" . "]) == [[]]


def test_transnet_slides_over_any_length(tmp_path: Path) -> None:
    model = TransNetOnnx(tiny.transnet(tmp_path / "t.onnx"))
    for count in (1, 49, 50, 51, 130):
        frames = np.zeros((count, 27, 48, 3), np.uint8)
        frames[count // 2] = 255
        scores = model.predict(frames)
        assert scores.shape == (count,)
        assert np.flatnonzero(scores > 0.5).tolist() == [count // 2]
    assert model.predict(np.zeros((0, 27, 48, 3), np.uint8)).shape == (0,)
    with pytest.raises(BackendError, match="27, 48"):
        model.predict(np.zeros((3, 48, 27, 3), np.uint8))


def test_transnet_takes_exports_with_their_sigmoid(tmp_path: Path, model_cache: ModelCache) -> None:
    options = {"path": str(tiny.transnet(tmp_path / "t.onnx")), "output": "probabilities"}
    model = open_model("shots", model_cache, chosen={"shots": "transnet-onnx"}, options=options)
    assert model.predict(np.full((3, 27, 48, 3), 101, np.uint8)).tolist() == [1, 1, 1]
    with pytest.raises(SettingsError, match="'output'"):
        open_model(
            "shots", model_cache, chosen={"shots": "transnet-onnx"}, options={**options, "output": "x"}
        )


def test_a_missing_option_is_named(model_cache: ModelCache) -> None:
    with pytest.raises(SettingsError, match="'path'"):
        open_model("shots", model_cache, chosen={"shots": "transnet-onnx"})
    with pytest.raises(SettingsError, match="must be a number"):
        open_model("objects", model_cache, options={"tiles": "many"})


def test_choices_fall_back_to_the_default_and_suggest() -> None:
    assert choose("objects", {}) == DEFAULTS["objects"]
    assert choose("objects", {"objects": "yolo-onnx"}) == "yolo-onnx"
    with pytest.raises(SettingsError, match="No model is configured for 'captions'"):
        choose("captions", {})
    with pytest.raises(UnknownName, match="Did you mean 'objects'"):
        choose("object", {})


def test_the_list_is_honest_about_every_row(model_cache: ModelCache) -> None:
    options = {"captions": {"base_url": "http://127.0.0.1:9/v1", "model": "m"}}
    rows = list_models(model_cache, chosen={"captions": "vision-llm"}, options=options)
    by_name = {f"{row.capability}/{row.model}": row for row in rows}
    assert set(PLUGINS) <= set(by_name)
    assert by_name["captions/vision-llm"].status == "configured"
    assert by_name["shots/transnet-onnx"].status == "needs configuration"
    assert all(row.can and row.cannot and row.licence for row in rows)
    assert all(name in MODELS for name in PLUGINS)
