"""Embed pictures and words in one space, from the features the labeller computes anyway."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError, UserError
from vidence.models.context import ModelContext
from vidence.models.manifest import load_manifest
from vidence.models.protocols import ImageLabeller
from vidence.models.runtime import single_threaded_blas
from vidence.models.text.use import batches, open_pieces
from vidence.models.vision import efficientnet
from vidence.models.vision.lens.towers import image_vectors, step_back, text_vectors
from vidence.models.vision.lens.weights import LensWeights, load_weights
from vidence.schema.perception import FloatArray, Rgb

__all__ = ["LensEncoder", "LensImageText", "PieceSource", "build", "log_odds", "match_features"]

DIMENSIONS = 512
FEATURES = 1280
LONGEST = 128
"""Pieces of a text that count, about 90 words: training captions had at most 40."""
_HIGHEST = 6.01  # The labeller's last activation is capped at 6.
_BATCH_FRAMES = 512


class PieceSource(Protocol):
    """Gives the sentence encoder's vector of every piece of a text."""

    def pieces(self, texts: Sequence[str], *, limit: int) -> list[FloatArray]:
        """Return (pieces, 512) per text, at most `limit` rows each."""
        ...


class LensEncoder:
    """Turns the labeller's features, and texts in English, Chinese and beyond, into comparable vectors."""

    dim = DIMENSIONS

    def __init__(self, source: PieceSource, weights: LensWeights | None = None) -> None:
        self._source = source
        self._weights = weights or load_weights()
        self.model_id = f"lens-{self._weights.version}"

    @property
    def labeller_sha256(self) -> str:
        """Digest of the labeller whose features this model reads."""
        return self._weights.labeller_sha256

    def encode_images(self, features: FloatArray, *, labeller_sha256: str | None = None) -> FloatArray:
        """Return (N, 512) unit vectors of (N, 1280) pooled labeller features.

        Args:
            labeller_sha256: digest of the labeller the features come from, refused when it is another.
        """
        self._check_labeller(labeller_sha256)
        checked = _check_features(features)
        with single_threaded_blas():
            rows = [
                step_back(
                    self._weights.crowd,
                    image_vectors(self._weights.image, checked[start : start + _BATCH_FRAMES]),
                )
                for start in range(0, len(checked), _BATCH_FRAMES)
            ]
        return np.concatenate(rows) if rows else np.zeros((0, DIMENSIONS), np.float32)

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return (N, 512) unit vectors; only the first `LONGEST` pieces of a text count."""
        for text in texts:
            if not text.strip():
                raise UserError("The text to search pictures by is empty. Say what they should show.")
        pieces = self._source.pieces([" ".join(text.split()) for text in texts], limit=LONGEST)
        with single_threaded_blas():
            rows = [text_vectors(self._weights.text, batch) for batch in batches(pieces, len)]
        return np.concatenate(rows) if rows else np.zeros((0, DIMENSIONS), np.float32)

    def probability(
        self, texts: FloatArray, images: FloatArray, *, prior: float = 0.05
    ) -> NDArray[np.float64]:
        """Return the (T, N) probabilities that texts are true of pictures, given the vectors of both.

        Args:
            prior: share of pictures a text is true of before looking; 0.05 is a common object's.
        """
        if not 0 < prior < 1:
            raise UserError(f"The prior {prior} is no share of pictures; it must lie between 0 and 1.")
        odds = log_odds(self._weights, np.atleast_2d(texts), np.atleast_2d(images))
        return np.asarray(1 / (1 + np.exp(-np.clip(odds + np.log(prior / (1 - prior)), -50, 50))))

    def _check_labeller(self, digest: str | None) -> None:
        if digest is not None and digest != self._weights.labeller_sha256:
            raise UserError(
                f"These features come from another labeller ({digest[:12]}) than {self.model_id} reads "
                f"({self._weights.labeller_sha256[:12]}). Rebuild the index of this video."
            )


class LensImageText:
    """Compares pictures with words; where features are already known, use `encoder` instead."""

    def __init__(self, labeller: ImageLabeller, encoder: LensEncoder) -> None:
        self._labeller = labeller
        self.encoder = encoder
        self.model_id = encoder.model_id
        self.dim = encoder.dim

    def encode_images(self, images: Sequence[Rgb]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        if not images:
            return np.zeros((0, self.dim), np.float32)
        return self.encoder.encode_images(np.stack([found.feature for found in self._labeller.label(images)]))

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        """Return (n, dim) unit vectors."""
        return self.encoder.encode_texts(texts)


def build(context: ModelContext) -> LensImageText:
    """Open lens on the embedded labeller and the embedded sentence encoder's pieces."""
    encoder = LensEncoder(open_pieces(context))
    installed = load_manifest(efficientnet.MODEL).file("model").sha256
    if installed != encoder.labeller_sha256:
        raise BackendError(
            f"{encoder.model_id} was trained on another version of {efficientnet.MODEL}. Train it again."
        )
    return LensImageText(efficientnet.build(context), encoder)


def _check_features(features: FloatArray) -> FloatArray:
    rows = np.asarray(features, np.float32)
    if rows.ndim != 2 or rows.shape[1] != FEATURES:
        raise UserError(
            f"Features of shape {rows.shape} are not the labeller's (N, {FEATURES}). "
            "Rebuild the index of this video."
        )
    # A comparison with NaN is false, so `not all inside` refuses it too.
    if not bool(np.all((rows >= 0) & (rows <= _HIGHEST))):
        raise UserError(
            "Features outside 0…6 are not the labeller's pooled activations. Rebuild the index of this video."
        )
    return rows


def match_features(weights: LensWeights, texts: FloatArray, images: FloatArray) -> NDArray[np.float64]:
    """Return (T, N, 4): similarity, its distance from the text's usual one, that one's spread, and 1.

    A single word is less similar to its pictures than a sentence, but stands out as far.
    """
    similarity = (texts @ images.T).astype(np.float64)
    usual = texts @ weights.background["mean"]
    spread = np.linalg.norm(texts @ weights.background["spread"], axis=1)
    distance = (similarity - usual[:, None]) / spread[:, None]
    return np.stack(
        [similarity, distance, np.broadcast_to(spread[:, None], similarity.shape), np.ones_like(similarity)],
        axis=-1,
    )


def log_odds(weights: LensWeights, texts: FloatArray, images: FloatArray) -> NDArray[np.float64]:
    """Return the (T, N) log-odds that a text is true of a picture, at even odds beforehand."""
    return np.asarray(match_features(weights, texts, images) @ weights.odds.astype(np.float64))
