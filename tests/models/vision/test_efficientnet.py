from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from vidence.errors import BackendError
from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.protocols import ImageLabeller
from vidence.models.vision.efficientnet import EfficientNetLabeller
from vidence.schema.perception import Rgb


@pytest.fixture(scope="module")
def labeller(model_cache: ModelCache) -> ImageLabeller:
    found: ImageLabeller = open_model("image_labels", model_cache)
    return found


def test_a_cat_looks_like_a_cat(labeller: ImageLabeller, cat: Rgb) -> None:
    [found] = labeller.label([cat])
    assert "cat" in found.scores[0].label or "tabby" in found.scores[0].label
    assert [s.score for s in found.scores] == sorted((s.score for s in found.scores), reverse=True)


def test_the_feature_is_the_one_the_lens_was_computed_with(labeller: ImageLabeller, cat: Rgb) -> None:
    [found] = labeller.label([cat])
    assert found.feature.shape == (labeller.feature_dim,) == (1280,)
    steps = found.feature / np.float32(0.0235294)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-3)
    assert 0 <= found.feature.min() < found.feature.max() <= 255 * 0.0235295


def test_threads_share_a_labeller(labeller: ImageLabeller, cat: Rgb, noise: Rgb) -> None:
    alone = [labeller.label([image])[0].feature for image in (cat, noise)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: labeller.label([(cat, noise)[i % 2]])[0].feature, range(8)))
    for i, feature in enumerate(found):
        np.testing.assert_array_equal(feature, alone[i % 2])


def test_a_broken_file_is_named(tmp_path: Path, noise: Rgb) -> None:
    broken, labels = tmp_path / "m.tflite", tmp_path / "labels.txt"
    broken.write_bytes(b"nothing")
    labels.write_text("a")
    with pytest.raises(BackendError, match=r"m\.tflite cannot be opened"):
        EfficientNetLabeller(broken, labels).label([noise])
