"""Answer short questions about pictures, in English and Chinese, with calibrated probabilities."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from threading import Lock

import numpy as np

from vidence.errors import BackendError, UserError
from vidence.language.question import read_question
from vidence.language.tables import read_table
from vidence.models.context import ModelContext
from vidence.models.manifest import load_manifest
from vidence.models.protocols import TextEmbedder
from vidence.models.runtime import single_threaded_blas
from vidence.models.text import use
from vidence.models.vision import efficientnet, ssd
from vidence.models.vision.eyes.features import (
    LOWEST_SCORE,
    REGIONS,
    box_means,
    box_rows,
    colour_grid,
    named_categories,
    region_means,
    whiten,
    whole,
)
from vidence.models.vision.eyes.network import AskedText, SeenPictures, answer_logits
from vidence.models.vision.eyes.prior import prior_logits
from vidence.models.vision.eyes.weights import EyesWeights, answer_chances, load_weights
from vidence.models.vision.lens import LensEncoder, PieceSource
from vidence.schema.perception import FloatArray, Rgb, VisualAnswer

__all__ = ["EyesAnswerer", "build", "joint_logits"]

_TOP = 12
_LONGEST = 24
"""Pieces of a question that count: as many as in training."""
_BATCH = 32
_LEANING = 0.15
"""Weight of what the question alone says in open answers, beside its share in training."""
_KEPT = 256
"""Pictures whose features are kept, about 120 kB each: the next question often asks about the same frames."""


class EyesAnswerer:
    """Scores about a thousand short answers to a question on each picture."""

    def __init__(
        self,
        labeller: efficientnet.EfficientNetLabeller,
        detector: ssd.SsdDetector,
        pieces: PieceSource,
        sentences: TextEmbedder,
        weights: EyesWeights | None = None,
    ) -> None:
        self._labeller, self._detector, self._pieces, self._sentences = labeller, detector, pieces, sentences
        self._lens = LensEncoder(pieces)
        self._weights = weights or load_weights()
        self._places = {answer: place for place, answer in enumerate(self._weights.answers)}
        for english, chinese, *_ in read_table("visual_answers.tsv"):
            if english in self._places:
                self._places.setdefault(chinese, self._places[english])
        self._numbers = {name: number for number, name in enumerate(detector.categories)}
        self._seen: OrderedDict[tuple[tuple[int, ...], bytes], SeenPictures] = OrderedDict()
        self._lock = Lock()
        self.model_id = f"eyes-{self._weights.version}"

    @property
    def answers(self) -> Sequence[str]:
        """Every answer the model can give."""
        return self._weights.answers

    def answer(self, images: Sequence[Rgb], question: str) -> list[list[VisualAnswer]]:
        """Return the likeliest short answers to the question of each picture, best first."""
        asked, offered = self.read_question(question), self._offered(question)
        found: list[list[VisualAnswer]] = []
        for start in range(0, len(images), _BATCH):
            rows = self.probabilities(asked, self.see(images[start : start + _BATCH]))
            found += [_among(offered, row) if offered else self._ranked(row) for row in rows]
        return found

    def _offered(self, question: str) -> dict[str, int]:
        """Return the choices that the question itself offers, where all are known answers; else none."""
        choices = read_question(question).form.alternatives
        numbers = [self._places.get(choice.strip().lower()) for choice in choices]
        found = {one: number for one, number in zip(choices, numbers, strict=True) if number is not None}
        return found if len(found) == len(choices) else {}

    def read_question(self, question: str) -> AskedText:
        """Return the question as the encoders see it."""
        text = " ".join(question.split())
        if not text:
            raise UserError("The question is empty. Ask something about the picture.")
        pieces = self._pieces.pieces([text], limit=_LONGEST)[0]
        return AskedText(
            pieces,
            self._sentences.embed([text])[0],
            self._lens.encode_texts([text])[0],
            named_categories(text),
        )

    def see(self, images: Sequence[Rgb]) -> SeenPictures:
        """Return what the labeller and the detector see of each picture; the latest are kept."""
        return SeenPictures.join([self._see(image) for image in images])

    def _see(self, image: Rgb) -> SeenPictures:
        key = (image.shape, hashlib.blake2b(np.ascontiguousarray(image).data, digest_size=16).digest())
        with self._lock:
            known = self._seen.pop(key, None)
        seen = known or self._look(image)
        with self._lock:
            self._seen[key] = seen
            if len(self._seen) > _KEPT:
                self._seen.popitem(last=False)
        return seen

    def _look(self, image: Rgb) -> SeenPictures:
        labelled, detected = self._labeller.tensors(image), self._detector.tensors(image)
        boxes = box_rows(detected.found, self._numbers)[None]
        basis = self._weights.basis
        with single_threaded_blas():
            cells = whiten(
                basis,
                labelled.deep[None],
                labelled.fine[None],
                detected.features[None],
                colour_grid(image)[None],
            )
            regions = self._regions(labelled.head[None], boxes)
            return SeenPictures(
                cells,
                boxes,
                box_means(cells, boxes),
                regions,
                whole(basis, labelled.feature[None], detected.peaks[None]),
                self._lens.encode_images(labelled.feature[None]),
            )

    def _regions(self, head: FloatArray, boxes: FloatArray) -> FloatArray:
        """Return (1, R + B, D): windows and boxes in the space of lens, zeros where there is no box."""
        basis = self._weights.basis
        there = np.concatenate([np.ones(REGIONS, bool), boxes[0, :, 0] >= 0])
        found = np.zeros((1, len(there), basis["region"].shape[1]), np.float32)
        vectors = self._lens.encode_images(region_means(head, boxes)[0, there])
        found[0, there] = (vectors - basis["region_mean"]) @ basis["region"]
        return found

    def probabilities(self, asked: AskedText, seen: SeenPictures) -> FloatArray:
        """Return (N, answers): the calibrated chance of each answer on each picture."""
        with single_threaded_blas():
            return answer_chances(self._weights, joint_logits(self._weights, asked, seen))

    def _ranked(self, row: FloatArray) -> list[VisualAnswer]:
        best = np.argsort(-row, kind="stable")[:_TOP]
        return [VisualAnswer(self._weights.answers[k], float(row[k])) for k in best]


def _among(offered: Mapping[str, int], row: FloatArray) -> list[VisualAnswer]:
    """Return the offered choices as the question words them, the likeliest first; one of them is right."""
    chances = {choice: float(row[place]) for choice, place in offered.items()}
    total = sum(chances.values()) or 1.0
    ranked = sorted(chances.items(), key=lambda item: -item[1])
    return [VisualAnswer(choice, chance / total) for choice, chance in ranked]


def joint_logits(weights: EyesWeights, asked: AskedText, seen: SeenPictures) -> FloatArray:
    """Return (N, answers): the mean of what the networks say, open answers leaning to what fits the question.

    What stands in a picture outweighs what is asked for: "What kind of shoes?" was answered "fruit".
    """
    prior = prior_logits(weights.prior, asked)
    found = [answer_logits(network, asked, seen, prior) for network in weights.networks]
    return np.asarray(np.mean(found, axis=0) + _LEANING * weights.kinds[:, 2] * prior, np.float32)


def build(context: ModelContext) -> EyesAnswerer:
    """Open eyes on the embedded labeller, detector and sentence encoder."""
    weights = load_weights()
    if load_manifest(efficientnet.MODEL).file("model").sha256 != weights.labeller_sha256:
        raise BackendError(f"eyes was trained on another version of {efficientnet.MODEL}. Train it again.")
    graph = context.converted(ssd.MODEL, "graph", "quick-v4.onnx", "ssd:convert_quick")
    return EyesAnswerer(
        efficientnet.build(context),
        ssd.SsdDetector(graph, threads=context.threads, min_score=LOWEST_SCORE),
        use.open_pieces(context),
        use.build(context),
        weights,
    )
