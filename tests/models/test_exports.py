"""Models the user brings, in the forms they are published in: names, types, lengths and layouts differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.models import tiny
from vidence.errors import BackendError, SettingsError
from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.speech.whisper import Whisper
from vidence.models.vision.clip_onnx import ClipOnnx
from vidence.models.vision.grounding_onnx import GroundingOnnx
from vidence.models.vision.transnet_onnx import TransNetOnnx
from vidence.models.vision.yolo_onnx import YoloOnnx
from vidence.schema.perception import Box, Rgb


def plain(red: int, green: int, blue: int) -> Rgb:
    return np.full((40, 60, 3), (red, green, blue), np.uint8)


@pytest.mark.parametrize("make", [tiny.clip, tiny.siglip, tiny.joined_clip])
def test_words_lie_beside_their_pictures_in_every_export(
    tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    model = ClipOnnx(make(tmp_path / "model"))
    pictures = model.encode_images([plain(200, 10, 10), plain(10, 10, 200)] * 5)
    words = model.encode_texts(["red", "A BLUE dot" if make is tiny.siglip else "a blue dot", "green " * 60])
    np.testing.assert_allclose(np.linalg.norm(words, axis=1), 1, atol=1e-5)
    assert (pictures @ words.T).argmax(axis=1).tolist() == [0, 1] * 5


def test_siglip_pads_with_its_own_token_to_its_own_length(tmp_path: Path) -> None:
    folder = tiny.siglip(tmp_path / "siglip")
    assert ClipOnnx(folder).encode_texts(["red"]).tolist() == [[1, 0, 0]]
    # Another padding moves every vector of a network whose last token answers.
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "dot"}))
    assert ClipOnnx(folder).encode_texts(["red"]).tolist() == [[0, 0, 0]]


def test_padding_that_the_tokenizer_itself_fixes_counts(tmp_path: Path) -> None:
    folder = tiny.siglip(tmp_path / "siglip")
    (folder / "tokenizer_config.json").unlink()
    (folder / "config.json").unlink()
    written = json.loads((folder / "tokenizer.json").read_text())
    written["padding"] = {
        "strategy": {"Fixed": 64},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 1,
        "pad_type_id": 0,
        "pad_token": ".",
    }
    (folder / "tokenizer.json").write_text(json.dumps(written))
    assert ClipOnnx(folder).encode_texts(["red", "a green dot"]).tolist() == [[1, 0, 0], [0, 1, 0]]


def test_halves_of_two_models_are_refused(tmp_path: Path) -> None:
    folder = tiny.clip(tmp_path / "clip")
    tiny.save(
        folder / "vision_model.onnx",
        [
            helper.make_node("ReduceMean", ["pixel_values"], ["columns"], axes=[3], keepdims=0),
            helper.make_node("Reshape", ["columns", "flat"], ["pooler_output"]),
        ],
        [("pixel_values", TensorProto.FLOAT, ["n", 3, 8, 8])],
        [("pooler_output", ["n", 24])],
        {"flat": np.array([0, -1], np.int64)},
    )
    with pytest.raises(BackendError, match="not two halves of one model"):
        ClipOnnx(folder).encode_images([plain(1, 2, 3)])


def test_a_folder_without_its_tokenizer_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    folder = tiny.clip(tmp_path / "clip")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(SettingsError, match=r"has no tokenizer\.json"):
        ClipOnnx(folder)


def test_networks_of_another_kind_say_what_they_take(tmp_path: Path) -> None:
    folder = tiny.clip(tmp_path / "clip")
    tiny.transnet(folder / "text_model.onnx")
    with pytest.raises(SettingsError, match="a text network takes input_ids"):
        ClipOnnx(folder).encode_texts(["red"])
    with pytest.raises(BackendError, match="not a YOLO detector"):
        YoloOnnx(folder / "text_model.onnx", names=["a"]).detect([plain(1, 1, 1)])
    with pytest.raises(BackendError, match="TransNetV2 takes"):
        TransNetOnnx(folder / "vision_model.onnx").predict(np.zeros((3, 27, 48, 3), np.uint8))
    with pytest.raises(BackendError, match="takes no pixel_values"):
        GroundingOnnx(folder / "text_model.onnx", folder / "tokenizer.json").detect_query(
            [plain(1, 1, 1)], ["red"]
        )
    with pytest.raises(BackendError, match="Grounding-DINO gives"):
        GroundingOnnx(folder / "vision_model.onnx", folder / "tokenizer.json").detect_query(
            [plain(1, 1, 1)], ["red"]
        )


BOX = np.array([[160, 240, 480, 400]], np.float32)
"""The middle of the 640 × 640 input, as corners; for a picture twice as wide as high a quarter of it."""


@pytest.mark.parametrize(
    "outputs",
    [
        pytest.param(
            {
                "num_dets": np.array([[1]], np.float32),
                "boxes": np.concatenate([BOX, np.zeros((2, 4), np.float32)])[None],
                "scores": np.array([[0.8, 0, 0]], np.float32),
                "labels": np.array([[1, -1, -1]], np.float32),
            },
            id="suppressed-outputs",
        ),
        pytest.param(
            {"scores": np.array([[[0.1, 0.8]]], np.float32), "boxes": BOX[None]}, id="scores-and-boxes"
        ),
        pytest.param(
            {"output0": np.array([[[320, 320, 320, 160, 0.9, 0.1, 0.9]] * 2], np.float32)}, id="objectness"
        ),
        pytest.param({"output0": np.array([[[*BOX[0], 0.8, 1]]], np.float32)}, id="suppressed-rows"),
    ],
)
@pytest.mark.parametrize("half", [False, True])
def test_yolo_exports_answer_in_several_forms(
    tmp_path: Path, outputs: dict[str, np.ndarray], half: bool
) -> None:
    model = YoloOnnx(tiny.answers(tmp_path / "y.onnx", outputs, half=half), names=["cat", "forklift"])
    [[found]] = model.detect([np.zeros((320, 640, 3), np.uint8)])
    assert found.category == "forklift"
    assert found.confidence == pytest.approx(0.8, abs=0.02)
    assert found.box.iou(Box(0.25, 0.25, 0.5, 0.5)) > 0.99


def test_yolo_names_a_class_nobody_named(tmp_path: Path) -> None:
    outputs = {"output0": np.array([[[*BOX[0], 0.8, 7]]], np.float32)}
    model = YoloOnnx(tiny.answers(tmp_path / "y.onnx", outputs), names=["cat", "dog"])
    with pytest.raises(BackendError, match=r"class 7 .* only 2 are named"):
        model.detect([plain(1, 1, 1)])


def test_grounding_keeps_the_shape_of_the_picture_where_it_may(tmp_path: Path) -> None:
    folder = tiny.grounding(tmp_path / "g", sides=("height", "width"))
    model = GroundingOnnx(folder / "model.onnx", folder / "tokenizer.json")
    encoded = model._tokenizer.encode("red .")
    for height, width, wanted in ((720, 1280, (750, 1333)), (400, 400, (800, 800))):
        feeds = model._feeds(np.zeros((height, width, 3), np.uint8), encoded)
        assert feeds["pixel_values"].shape == (1, 3, *wanted)


def test_transnet_reads_bytes_with_colours_first_and_the_head_of_single_frames(tmp_path: Path) -> None:
    frames = np.zeros((70, 27, 48, 3), np.uint8)
    frames[30] = 255
    model = TransNetOnnx(tiny.planar_transnet(tmp_path / "t.onnx"))
    assert np.flatnonzero(model.predict(frames) > 0.5).tolist() == [30]


def test_sizes_of_whisper_that_hear_more_bands_are_given_them(tmp_path: Path) -> None:
    folder = tiny.whisper(tmp_path / "large", mels=128)
    assert Whisper(folder, threads=1).encode(np.zeros(16_000, np.float32)).features.shape[0] == 128


@pytest.mark.parametrize("lacking", ["model.bin", "config.json", "tokenizer.json"])
def test_a_folder_that_is_no_whisper_is_refused_before_anything_is_downloaded(
    tmp_path: Path, model_cache: ModelCache, lacking: str
) -> None:
    folder = tmp_path / "whisper"
    folder.mkdir()
    for name in {"model.bin", "config.json", "tokenizer.json"} - {lacking}:
        (folder / name).write_text("{}")
    with pytest.raises(SettingsError, match=f"lacks {lacking}"):
        open_model("speech", model_cache, chosen={"speech": "whisper-folder"}, options={"path": str(folder)})
