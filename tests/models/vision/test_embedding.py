from __future__ import annotations

import cv2
import numpy as np
import pytest

from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.vision.embedding import FeatureEmbedder, colour_layout, perceptual_hash
from vidence.schema.perception import Rgb


@pytest.fixture(scope="module")
def embedder(model_cache: ModelCache) -> FeatureEmbedder:
    found: FeatureEmbedder = open_model("image_vectors", model_cache)
    return found


def test_like_pictures_lie_close(embedder: FeatureEmbedder, cat: Rgb, noise: Rgb) -> None:
    vectors = embedder.embed([cat, np.ascontiguousarray(cat[:, ::-1]), noise])
    assert vectors.shape == (3, embedder.dim)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.85 > vectors[0] @ vectors[2]


def test_no_pictures_give_no_vectors(embedder: FeatureEmbedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dim)


def test_black_is_a_vector_too(embedder: FeatureEmbedder) -> None:
    assert np.isfinite(embedder.embed([np.zeros((40, 40, 3), np.uint8)])).all()


def test_the_hash_ignores_size_compression_and_light(cat: Rgb) -> None:
    original = perceptual_hash(cat)
    small = np.asarray(cv2.resize(cat, (320, 180), interpolation=cv2.INTER_AREA), np.uint8)
    _, packed = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, 40])
    for same in (small, np.asarray(cv2.imdecode(packed, 1), np.uint8), (cat * 0.8).astype(np.uint8)):
        assert (original ^ perceptual_hash(same)).bit_count() <= 4
    assert (original ^ perceptual_hash(np.ascontiguousarray(cat[::-1]))).bit_count() > 15


def test_colour_layout_tells_left_from_right() -> None:
    image = np.zeros((60, 80, 3), np.uint8)
    image[:, :40, 0] = 200
    grid = colour_layout(image).reshape(4, 4, 3)
    assert grid[0, 0, 1] > 0.3
    assert abs(grid[0, 3, 1]) < 0.05
