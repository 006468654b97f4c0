"""How well phrases fit pictures, by image–text models that say nothing of their scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vidence.queries.search.meaning import _probability
from vidence.schema.perception import FloatArray, Rgb

DIM = 64


class Words:
    """An encoder whose phrases all lie at `usual` from a picture, give or take, but for one that fits."""

    def __init__(self, usual: float) -> None:
        self.model_id, self.dim = f"words:{usual}", DIM
        self._usual = usual

    def encode_images(self, images: Sequence[Rgb]) -> FloatArray:
        return np.tile(np.eye(1, DIM, dtype=np.float32), (len(images), 1))

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        random = np.random.default_rng(5)
        along = [self._usual + (0.12 if text == "fits" else random.normal(0, 0.03)) for text in texts]
        rows = np.zeros((len(texts), DIM), np.float32)
        rows[:, 0] = along
        rows[:, 1] = np.sqrt(1 - np.square(along))
        return rows


@pytest.mark.parametrize("usual", [0.2, 0.0, -0.1])
@pytest.mark.parametrize("is_chinese", [False, True])
def test_what_fits_is_told_from_the_usual_wherever_that_lies(usual: float, is_chinese: bool) -> None:
    encoder = Words(usual)
    pictures = encoder.encode_images([np.zeros((4, 4, 3), np.uint8)] * 3)

    def probability(phrase: str) -> float:
        return float(
            _probability(encoder, encoder.encode_texts([phrase]), pictures, is_chinese=is_chinese)[0]
        )

    assert probability("fits") > 0.6
    assert probability("does not") < 0.3
