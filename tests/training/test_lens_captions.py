"""Caption figures and the decoder's beam search, on cases small enough to check by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from training.lens.caption_decode import END, decode
from training.lens.caption_score import bleu4, cider

DOG = ["a", "dog", "runs", "on", "the", "green", "grass"]
CAT = ["two", "cats", "sleep", "on", "a", "red", "sofa"]


def test_a_perfect_caption_scores_the_most() -> None:
    assert bleu4([DOG, CAT], [[DOG], [CAT]]) == pytest.approx(1.0)
    assert cider([DOG, CAT], [[DOG], [CAT]]) == pytest.approx(10.0)


def test_a_caption_of_something_else_scores_nothing() -> None:
    assert bleu4([CAT], [[DOG]]) == 0.0
    assert cider([["x", "y", "z", "w"], CAT], [[DOG], [CAT]]) == pytest.approx(5.0)


def test_bleu_counts_clipped_grams_and_brevity() -> None:
    said = ["the", "cat", "sat", "on", "the"]
    wanted = ["the", "cat", "sat", "on", "the", "mat"]
    # All 5, 4, 3 and 2 grams are right; five words for six cost exp(1 - 6/5).
    assert bleu4([said], [[wanted]]) == pytest.approx(math.exp(1 - 6 / 5))
    assert bleu4([["the", "the", "the", "the", "the"]], [[wanted]]) == 0.0


def test_the_nearest_reference_sets_the_length() -> None:
    assert bleu4([DOG], [[DOG, [*DOG, "while", "people", "watch", "it"]]]) == pytest.approx(1.0)


def test_cider_is_the_mean_over_references_and_fades_with_length() -> None:
    assert cider([DOG, CAT], [[DOG, ["p", "q", "r", "s", "t", "u", "v"]], [CAT]]) == pytest.approx(7.5)
    longer = [*DOG, "today"]
    score = cider([longer, CAT], [[DOG], [CAT]])
    assert 5.0 < score < 10.0


def test_words_in_every_picture_weigh_nothing() -> None:
    # "a" stands in both pictures' references, so naming it alone is worth nothing.
    assert cider([["a"], CAT], [[["a", "dog"]], [["a", *CAT]]]) < cider(
        [["dog"], CAT], [[["a", "dog"]], [["a", *CAT]]]
    )


def test_beam_search_is_greedy_with_one_beam_and_never_less_likely_with_more() -> None:
    weights = _weights(np.random.default_rng(4))
    features = np.random.default_rng(5).gamma(0.5, 0.8, (6, 1280)).astype(np.float32)
    together = decode(weights, features, beams=1)
    alone = [decode(weights, features[i : i + 1], beams=1)[0] for i in range(6)]
    assert together == alone
    for caption in decode(weights, features, beams=3):
        assert END not in caption
        assert all(word > 3 for word in caption)


def _weights(rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    width, words = 16, 20

    def some(*shape: int) -> NDArray[np.float32]:
        return rng.normal(0, 0.3, shape).astype(np.float32)

    found = {
        "mean": np.zeros(1280, np.float32),
        "std": np.ones(1280, np.float32),
        "pre.weight": some(4 * width, 1280),
        "pre.bias": some(4 * width),
        "pos": some(28, width),
        "emb.weight": some(words, width),
        "b": some(words),
        "n.weight": np.ones(width, np.float32),
        "n.bias": some(width),
    }
    for layer in range(4):
        for name, shape in (
            ("qkv", (3 * width, width)),
            ("o", (width, width)),
            ("f1", (4 * width, width)),
            ("f2", (width, 4 * width)),
        ):
            found[f"blocks.{layer}.{name}.weight"] = some(*shape)
            found[f"blocks.{layer}.{name}.bias"] = some(shape[0])
        for name in ("n1", "n2"):
            found[f"blocks.{layer}.{name}.weight"] = np.ones(width, np.float32)
            found[f"blocks.{layer}.{name}.bias"] = some(width)
    return found
