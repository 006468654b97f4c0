"""Lens: words find pictures in both languages, and wrong input is refused in one plain sentence."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from vidence.errors import BackendError, UserError
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.context import ModelContext
from vidence.models.protocols import ImageTextEncoder
from vidence.models.vision.lens import LensEncoder, LensImageText, build
from vidence.models.vision.lens.encoder import LONGEST
from vidence.models.vision.lens.weights import FILE, VERSION, parse_weights
from vidence.schema.perception import FloatArray, Rgb

ALIKE = [
    ("a dog runs on the grass", "一只狗在草地上奔跑", "a plate of pasta"),
    ("a man riding a wave", "男人在冲浪", "a cat on a bed"),
    ("a red bus on the street", "街上的红色公交车", "a bowl of fruit"),
]


@pytest.fixture(scope="module")
def lens(model_cache: ModelCache) -> LensImageText:
    try:
        return build(ModelContext(model_cache))
    except MissingModel as exc:
        pytest.skip(str(exc))


@pytest.fixture(scope="module")
def encoder(lens: LensImageText) -> LensEncoder:
    return lens.encoder


@pytest.fixture
def features() -> FloatArray:
    return np.random.default_rng(3).gamma(0.5, 0.8, (5, 1280)).clip(0, 6).astype(np.float32)


def test_it_is_an_image_text_encoder(lens: LensImageText, noise: Rgb) -> None:
    assert isinstance(lens, ImageTextEncoder)
    assert lens.encode_images([noise]).shape == lens.encode_texts(["noise"]).shape == (1, lens.dim)
    assert lens.encode_images([]).shape == lens.encode_texts([]).shape == (0, lens.dim)


def test_vectors_are_unit_float32(encoder: LensEncoder, features: FloatArray) -> None:
    for found in (encoder.encode_images(features), encoder.encode_texts(["a cat", "猫", "Ein Hund 😀"])):
        assert found.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize(("english", "chinese", "other"), ALIKE)
def test_both_languages_say_the_same(encoder: LensEncoder, english: str, chinese: str, other: str) -> None:
    one, same, different = encoder.encode_texts([english, chinese, other])
    assert one @ same > one @ different + 0.2


@pytest.mark.parametrize(
    ("photo", "right", "wrong"),
    [
        ("cat-300572_1280.jpg", "a cat", "a city bus on the road"),
        ("cat-300572_1280.jpg", "一只猫", "马路上的公交车"),
    ],
)
def test_a_photograph_answers_to_its_words(
    lens: LensImageText,
    shared_media: Path,
    read_rgb: Callable[[Path], Rgb],
    photo: str,
    right: str,
    wrong: str,
) -> None:
    image = lens.encode_images([read_rgb(shared_media / "images" / photo)])[0]
    yes, no = lens.encoder.probability(lens.encode_texts([right, wrong]), image)[:, 0]
    assert yes > 0.5 > no


def test_a_text_means_the_same_alone_and_in_company(encoder: LensEncoder) -> None:
    texts = ["two people walk along a beach at sunset", "dog", "厨房里切菜的女人"]
    together = encoder.encode_texts(texts * 60)[:3]
    alone = np.concatenate([encoder.encode_texts([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=2e-5)


@pytest.mark.parametrize("text", ["", "   \n\t"])
def test_an_empty_query_is_refused(encoder: LensEncoder, text: str) -> None:
    with pytest.raises(UserError, match="empty"):
        encoder.encode_texts(["a dog", text])


@pytest.mark.parametrize("text", ["собака на траве", "犬が走る", "كلب", "🐶", "a\x00b", "a" * 5000])
def test_other_scripts_and_odd_texts_give_finite_vectors(encoder: LensEncoder, text: str) -> None:
    assert np.isfinite(encoder.encode_texts([text])).all()


def test_a_query_of_5000_words_counts_by_its_opening(encoder: LensEncoder) -> None:
    words = "a dog runs over the grass while people watch " * 556
    found, opening = encoder.encode_texts([words, " ".join(words.split()[:LONGEST])])
    np.testing.assert_allclose(found, opening, atol=1e-5)


def test_black_and_tiny_pictures_are_pictures(lens: LensImageText) -> None:
    found = lens.encode_images([np.zeros((240, 320, 3), np.uint8), np.full((1, 1, 3), 9, np.uint8)])
    assert np.isfinite(found).all()


@pytest.mark.parametrize("shape", [(1280,), (2, 1279), (2, 1280, 1)])
def test_features_of_another_shape_are_refused(encoder: LensEncoder, shape: tuple[int, ...]) -> None:
    with pytest.raises(UserError, match="Rebuild the index"):
        encoder.encode_images(np.zeros(shape, np.float32))


@pytest.mark.parametrize("value", [-0.5, 7.0, float("nan"), float("inf")])
def test_features_outside_the_labellers_range_are_refused(encoder: LensEncoder, value: float) -> None:
    with pytest.raises(UserError, match="Rebuild the index"):
        encoder.encode_images(np.full((1, 1280), value, np.float32))


def test_features_of_another_labeller_are_refused(encoder: LensEncoder, features: FloatArray) -> None:
    assert len(encoder.encode_images(features, labeller_sha256=encoder.labeller_sha256)) == 5
    with pytest.raises(UserError, match=r"another labeller.*Rebuild the index"):
        encoder.encode_images(features, labeller_sha256="0" * 64)


def test_probability_follows_the_prior(encoder: LensEncoder, features: FloatArray) -> None:
    texts, images = encoder.encode_texts(["a dog", "狗"]), encoder.encode_images(features)
    rare, even = (encoder.probability(texts, images, prior=prior) for prior in (0.01, 0.5))
    assert rare.shape == (2, 5)
    assert ((rare > 0) & (rare < even) & (even < 1)).all()
    with pytest.raises(UserError, match="prior"):
        encoder.probability(texts, images, prior=0.0)


def test_damaged_weights_are_refused() -> None:
    with pytest.raises(BackendError, match="Reinstall"):
        parse_weights(b"not an archive")


def test_the_heads_stay_small() -> None:
    assert (files("vidence.models") / "weights" / FILE).stat().st_size <= 12_000_000  # type: ignore[attr-defined]


def test_the_shipped_weights_are_of_the_version_the_index_names(encoder: LensEncoder) -> None:
    assert encoder.model_id == f"lens-{VERSION}"
