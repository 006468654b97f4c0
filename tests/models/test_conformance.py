"""What every implementation of a capability must do, the embedded and the tiny generated ones alike."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.models import tiny
from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.protocols import (
    Detector,
    ImageEmbedder,
    ImageTextEncoder,
    OpenVocabularyDetector,
    ShotModel,
    VisualAnswerer,
    WornReader,
)
from vidence.models.vision.clip_onnx import ClipOnnx
from vidence.models.vision.grounding_onnx import GroundingOnnx
from vidence.models.vision.transnet_onnx import TransNetOnnx
from vidence.models.vision.yolo_onnx import YoloOnnx
from vidence.schema.perception import BodyPose, Box, Detection, Keypoint, Rgb

Make = Callable[[ModelCache, Path], object]
ANCHORS = np.array([[[32, 30], [32, 30], [32, 90], [16, 16], [0.9, 0.5], [0.1, 0.7]]], np.float32)


def tiny_yolo(_: ModelCache, folder: Path) -> YoloOnnx:
    return YoloOnnx(tiny.yolo(folder / "y.onnx", anchors=ANCHORS, names="{0: 'cat', 1: 'dog'}"))


def tiny_grounding(_: ModelCache, folder: Path) -> GroundingOnnx:
    place = tiny.grounding(folder / "g")
    return GroundingOnnx(place / "model.onnx", place / "tokenizer.json")


@pytest.fixture
def pictures(noise: Rgb) -> list[Rgb]:
    tall = np.zeros((97, 31, 3), np.uint8)
    tall[20:80, 8:24] = (200, 30, 30)
    return [noise, tall]


def check_detections(found: list[list[Detection]], pictures: list[Rgb]) -> None:
    assert len(found) == len(pictures)
    for rows in found:
        assert [d.confidence for d in rows] == sorted((d.confidence for d in rows), reverse=True)
        for one in rows:
            assert 0 <= one.confidence <= 1
            assert one.box.x >= 0
            assert one.box.y >= 0
            assert one.box.x + one.box.w <= 1.000001
            assert one.box.y + one.box.h <= 1.000001


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda cache, _: open_model("objects", cache), id="ssd"),
        pytest.param(lambda cache, _: open_model("objects", cache, options={"tiles": "2"}), id="ssd-tiled"),
        pytest.param(tiny_yolo, id="tiny-yolo"),
    ],
)
def test_detector(make: Make, model_cache: ModelCache, tmp_path: Path, pictures: list[Rgb]) -> None:
    detector = make(model_cache, tmp_path)
    assert isinstance(detector, Detector)
    assert detector.model_id
    assert detector.detect([]) == []
    before = [picture.copy() for picture in pictures]
    found = detector.detect(pictures)
    check_detections(found, pictures)
    assert {d.category for rows in found for d in rows} <= set(detector.categories)
    for picture, copy in zip(pictures, before, strict=True):
        np.testing.assert_array_equal(picture, copy)
    with ThreadPoolExecutor(4) as pool:
        assert all(again == found for again in pool.map(lambda _: detector.detect(pictures), range(4)))


@pytest.mark.parametrize("make", [tiny_yolo, tiny_grounding])
def test_open_vocabulary_detector(
    make: Make, model_cache: ModelCache, tmp_path: Path, pictures: list[Rgb]
) -> None:
    detector = make(model_cache, tmp_path)
    assert isinstance(detector, OpenVocabularyDetector)
    queries = ["cat", "red", "person"]
    found = detector.detect_query(pictures, queries)
    check_detections(found, pictures)
    assert any(found)
    assert {d.category for rows in found for d in rows} <= set(queries)
    assert detector.detect_query(pictures, []) == [[], []]


def check_units(rows: np.ndarray, count: int, dim: int) -> None:
    assert rows.shape == (count, dim)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)


def test_image_embedder(model_cache: ModelCache, pictures: list[Rgb]) -> None:
    embedder = open_model("image_vectors", model_cache)
    assert isinstance(embedder, ImageEmbedder)
    check_units(embedder.embed(pictures), 2, embedder.dim)
    assert embedder.embed([]).shape == (0, embedder.dim)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda cache, _: open_model("image_text", cache), id="lens"),
        pytest.param(lambda _, folder: ClipOnnx(tiny.clip(folder / "clip")), id="tiny-clip"),
        pytest.param(lambda _, folder: ClipOnnx(tiny.siglip(folder / "siglip")), id="tiny-siglip"),
        pytest.param(lambda _, folder: ClipOnnx(tiny.joined_clip(folder / "both")), id="tiny-joined-clip"),
    ],
)
def test_image_text_encoder(make: Make, model_cache: ModelCache, tmp_path: Path, pictures: list[Rgb]) -> None:
    encoder = make(model_cache, tmp_path)
    assert isinstance(encoder, ImageTextEncoder)
    assert encoder.model_id
    check_units(encoder.encode_images(pictures * 5), 10, encoder.dim)
    check_units(encoder.encode_texts(["red", "a very green dot " * 12]), 2, encoder.dim)
    assert encoder.encode_texts(["a very green dot " * 100]).shape == (1, encoder.dim)
    before = encoder.encode_texts(["a red dot"])
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(lambda _: encoder.encode_texts(["a red dot"]), range(4)))
    np.testing.assert_allclose(np.concatenate(again), np.repeat(before, 4, axis=0), atol=1e-6)
    assert encoder.encode_images([]).shape == encoder.encode_texts([]).shape == (0, encoder.dim)


def test_worn_reader(model_cache: ModelCache, pictures: list[Rgb]) -> None:
    model = open_model("worn", model_cache)
    assert isinstance(model, WornReader)
    assert model.model_id
    joints = tuple(
        Keypoint(name, x, y, 0.9)
        for name, x, y in (("nose", 0.5, 0.2), ("left_shoulder", 0.7, 0.4), ("right_shoulder", 0.3, 0.4))
    )
    for picture in pictures:
        before = picture.copy()
        found = model.read(picture, Box(0.1, 0.1, 0.8, 0.9), BodyPose(joints))
        assert all(name and value for name, value in found.items())
        assert model.read(picture, Box(0.1, 0.1, 0.8, 0.9), BodyPose(joints)) == found
        np.testing.assert_array_equal(picture, before)


def test_visual_answerer(model_cache: ModelCache, pictures: list[Rgb]) -> None:
    model = open_model("visual_answers", model_cache)
    assert isinstance(model, VisualAnswerer)
    assert model.model_id
    assert model.answer([], "Is it red?") == []
    before = [picture.copy() for picture in pictures]
    found = model.answer(pictures, "What color is this?")
    assert len(found) == len(pictures)
    for answers in found:
        chances = [one.probability for one in answers]
        assert chances == sorted(chances, reverse=True)
        assert 0 < chances[-1] <= chances[0] < 1
        assert all(one.text for one in answers)
    for picture, copy in zip(pictures, before, strict=True):
        np.testing.assert_array_equal(picture, copy)
    with ThreadPoolExecutor(4) as pool:
        asked = pool.map(lambda _: model.answer(pictures, "What color is this?"), range(4))
        assert [again == found for again in asked] == [True] * 4
    assert len(model.answer(pictures, "画面里有什么？" * 40)) == 2


@pytest.mark.parametrize("make", [tiny.transnet, tiny.planar_transnet])
def test_shot_model(make: Callable[[Path], Path], tmp_path: Path) -> None:
    model = TransNetOnnx(make(tmp_path / "t.onnx"))
    assert isinstance(model, ShotModel)
    width, height = model.frame_size
    scores = model.predict(np.zeros((70, height, width, 3), np.uint8))
    assert scores.shape == (70,)
    assert 0 <= scores.min() <= scores.max() <= 1
