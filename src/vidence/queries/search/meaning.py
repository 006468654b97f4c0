"""Evidence by embedding similarity: the query against frames, captions, speech and text on screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from vidence.index.pipeline.derived import split_label
from vidence.language.question import SearchQuery
from vidence.language.tables import read_table
from vidence.models.protocols import ImageTextEncoder
from vidence.models.shelf import ModelShelf
from vidence.models.vision.lens import LensImageText
from vidence.queries.objects.reading import VOCABULARY, is_noise
from vidence.queries.search.material import Hit, Material, Source
from vidence.schema.perception import FloatArray

__all__ = ["Phrases", "match_probability", "pictures_like", "texts_like"]

_PRIOR = 0.1
_LEAST_SPREAD = 0.01
_MAD = 1.4826
"""Factor from median absolute deviation to standard deviation."""
_UNRELATED, _SAME = 0.3, 0.8
"""Cosine similarity of unrelated sentences, and of sentences with the same meaning."""
_SOURCES: dict[str, Source] = {
    "caption": "captions",
    "seen": "captions",
    "speech": "spoken",
    "text": "screen",
}
_MIN_SCORE = 0.05
_KNOWN: dict[tuple[str, bool], tuple[ImageTextEncoder, FloatArray]] = {}
_LOCK = Lock()


class Phrases:
    """The embeddings of a query's phrase, each computed on first use."""

    def __init__(self, query: SearchQuery, shelf: ModelShelf, *, pictures: bool = True) -> None:
        self._phrase, self._shelf, self._pictures = query.phrase, shelf, pictures
        self._known: dict[str, FloatArray] = {}

    @property
    def encoder(self) -> ImageTextEncoder | None:
        """The image–text model, if one is configured and wanted."""
        return self._shelf.image_text if self._pictures and self._shelf.has("image_text") else None

    @cached_property
    def is_known(self) -> bool:
        """Whether any word of the phrase means something to the models; noise is like everything."""
        words = [word for word in re.findall(r"[^\W\d_]+", self._phrase.lower()) if len(word) > 1]
        vocabulary = self._shelf.file(*VOCABULARY)
        return self.is_chinese or not words or not all(is_noise(word, vocabulary) for word in words)

    @property
    def is_chinese(self) -> bool:
        """Whether the phrase is written in Chinese."""
        return any("\u4e00" <= letter <= "\u9fff" for letter in self._phrase)

    def for_pictures(self, encoder: ImageTextEncoder) -> FloatArray:
        """Return the (1, dim) vector that pictures are compared with."""
        if "pictures" not in self._known:
            self._known["pictures"] = encoder.encode_texts([self._phrase])
        return self._known["pictures"]

    def for_texts(self) -> FloatArray:
        """Return the (1, dim) vector that sentences are compared with."""
        if "texts" not in self._known:
            self._known["texts"] = self._shelf.text.embed([self._phrase])
        return self._known["texts"]


def pictures_like(phrases: Phrases, material: Material) -> Iterator[Hit]:
    """Compare the phrase with every frame."""
    encoder, placed = phrases.encoder, material.vectors("lens_vectors")
    if encoder is None or not placed.spans or not phrases.is_known:
        return
    scores = match_probability(
        encoder, phrases.for_pictures(encoder), placed.matrix, is_chinese=phrases.is_chinese
    )
    for span, score in zip(placed.spans, scores, strict=True):
        if score >= _MIN_SCORE:
            yield Hit(span.start_s, span.end_s, float(score), "lens")


def texts_like(phrases: Phrases, material: Material) -> Iterator[Hit]:
    """Compare the phrase with all speech, text on screen and captions."""
    placed = material.vectors("text_vectors")
    if not placed.spans or not phrases.is_known:
        return
    scores = np.clip((placed.matrix @ phrases.for_texts()[0] - _UNRELATED) / (_SAME - _UNRELATED), 0, 1)
    for span, label, score in zip(placed.spans, placed.labels, scores, strict=True):
        source = _SOURCES.get(split_label(label)[0])
        if source is not None and score >= _MIN_SCORE:
            yield Hit(span.start_s, span.end_s, float(score), source)


def match_probability(
    encoder: ImageTextEncoder, text: FloatArray, images: FloatArray, *, is_chinese: bool
) -> NDArray[np.float64]:
    """Return the probability that a text, as a (1, dim) vector, is true of each of the (N, dim) pictures."""
    if isinstance(encoder, LensImageText):
        return np.asarray(encoder.encoder.probability(text, images, prior=_PRIOR)[0])
    # The cosine of unrelated pairs differs between models (near .2 for CLIP, near 0 for SigLIP).
    others: FloatArray = images @ _everyday(encoder, is_chinese=is_chinese).T
    usual = np.median(others, axis=1)
    spread = max(_MAD * float(np.median(np.abs(others - usual[:, None]))), _LEAST_SPREAD)
    distance = (images @ text[0] - usual) / spread
    return np.asarray(_PRIOR / (_PRIOR + (1 - _PRIOR) * np.exp(-np.clip(distance, -30, 30))))


def _everyday(encoder: ImageTextEncoder, *, is_chinese: bool) -> FloatArray:
    """Return embeddings of everyday phrases, which are unrelated to most pictures."""
    key = (encoder.model_id, is_chinese)
    with _LOCK:
        if _KNOWN.get(key, (None,))[0] is not encoder:
            phrases = [row[1 if is_chinese else 0] for row in read_table("everyday.tsv")]
            _KNOWN[key] = (encoder, encoder.encode_texts(phrases))
        return _KNOWN[key][1]
