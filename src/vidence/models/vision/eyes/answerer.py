"""Answer short questions about pictures, in English and Chinese, with calibrated probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vidence.errors import BackendError, UserError
from vidence.models.context import ModelContext
from vidence.models.manifest import load_manifest
from vidence.models.protocols import Detector, TextEmbedder
from vidence.models.runtime import single_threaded_blas
from vidence.models.text import use
from vidence.models.vision import efficientnet, ssd
from vidence.models.vision.eyes.features import (
    LOWEST_SCORE,
    box_means,
    box_rows,
    colour_grid,
    whiten,
)
from vidence.models.vision.eyes.network import AskedText, SeenPictures, answer_logits
from vidence.models.vision.eyes.prior import prior_logits
from vidence.models.vision.eyes.weights import EyesWeights, answer_chances, load_weights
from vidence.models.vision.lens import LensEncoder, PieceSource
from vidence.schema.perception import FloatArray, Rgb, VisualAnswer

__all__ = ["EyesAnswerer", "build", "joint_logits"]

_TOP = 5
_LONGEST = 24
"""Pieces of a question that count: as many as in training."""
_BATCH = 32


class EyesAnswerer:
    """Scores about a thousand short answers to a question on each picture."""

    def __init__(
        self,
        labeller: efficientnet.EfficientNetLabeller,
        detector: Detector,
        pieces: PieceSource,
        sentences: TextEmbedder,
        weights: EyesWeights | None = None,
    ) -> None:
        self._labeller, self._detector, self._pieces, self._sentences = labeller, detector, pieces, sentences
        self._lens = LensEncoder(pieces)
        self._weights = weights or load_weights()
        self._numbers = {name: number for number, name in enumerate(detector.categories)}
        self.model_id = f"eyes-{self._weights.version}"

    @property
    def answers(self) -> Sequence[str]:
        """Every answer the model can give."""
        return self._weights.answers

    def answer(self, images: Sequence[Rgb], question: str) -> list[list[VisualAnswer]]:
        """Return the likeliest short answers to the question of each picture, best first."""
        asked = self.read_question(question)
        found: list[list[VisualAnswer]] = []
        for start in range(0, len(images), _BATCH):
            rows = self.probabilities(asked, self.see(images[start : start + _BATCH]))
            found += [self._ranked(row) for row in rows]
        return found

    def read_question(self, question: str) -> AskedText:
        """Return the question as the encoders see it."""
        text = " ".join(question.split())
        if not text:
            raise UserError("The question is empty. Ask something about the picture.")
        pieces = self._pieces.pieces([text], limit=_LONGEST)[0]
        return AskedText(pieces, self._sentences.embed([text])[0], self._lens.encode_texts([text])[0])

    def see(self, images: Sequence[Rgb]) -> SeenPictures:
        """Return what the labeller and the detector see of each picture."""
        tensors = [self._labeller.tensors(image) for image in images]
        found = self._detector.detect(images)
        boxes = np.stack([box_rows(one, self._numbers) for one in found])
        with single_threaded_blas():
            cells = whiten(self._weights.basis, tensors, [colour_grid(image) for image in images])
        lens = self._lens.encode_images(np.stack([one.feature for one in tensors]))
        return SeenPictures(cells, boxes, box_means(cells, boxes), lens)

    def probabilities(self, asked: AskedText, seen: SeenPictures) -> FloatArray:
        """Return (N, answers): the calibrated chance of each answer on each picture."""
        with single_threaded_blas():
            return answer_chances(self._weights, joint_logits(self._weights, asked, seen))

    def _ranked(self, row: FloatArray) -> list[VisualAnswer]:
        best = np.argsort(-row, kind="stable")[:_TOP]
        return [VisualAnswer(self._weights.answers[k], float(row[k])) for k in best]


def joint_logits(weights: EyesWeights, asked: AskedText, seen: SeenPictures) -> FloatArray:
    """Return (N, answers): what the networks see, and what the question alone says."""
    found = [answer_logits(network, asked, seen) for network in weights.networks]
    prior = prior_logits(weights.prior, asked)
    return np.asarray(np.mean(found, axis=0) + np.float32(weights.prior_share) * prior, np.float32)


def build(context: ModelContext) -> EyesAnswerer:
    """Open eyes on the embedded labeller, detector and sentence encoder."""
    weights = load_weights()
    if load_manifest(efficientnet.MODEL).file("model").sha256 != weights.labeller_sha256:
        raise BackendError(f"eyes was trained on another version of {efficientnet.MODEL}. Train it again.")
    graph = context.converted(ssd.MODEL, "graph", "quick-v3.onnx", "ssd:convert_quick")
    return EyesAnswerer(
        efficientnet.build(context),
        ssd.SsdDetector(graph, threads=context.threads, min_score=LOWEST_SCORE),
        use.open_pieces(context),
        use.build(context),
        weights,
    )
