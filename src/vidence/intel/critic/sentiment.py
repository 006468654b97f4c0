"""Sentiment of sentences, towards a target where one is named: linear models over grams and meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vidence.intel.critic.features import char_grams, hashed, target_grams
from vidence.intel.critic.weights import load_weights, softmax
from vidence.intel.digest import Embed
from vidence.language.identify import has_han

__all__ = [
    "POLARITIES",
    "Polarity",
    "chinese_sentiment",
    "english_sentiment",
    "sentiment_of",
    "sentiments",
]

Polarity = Literal["negative", "neutral", "positive"]
POLARITIES: tuple[Polarity, ...] = ("negative", "neutral", "positive")
REVIEW_BUCKETS = 1 << 18
_PLAIN, _STEEP = 1.2, 2.5
"""The score, on either side, up to which a Chinese text is rather neutral, and how sharply that ends."""
Floats = NDArray[np.float32]


def sentiments(texts: Sequence[str], embed: Embed, *, target: str | None = None) -> Floats:
    """Return for each text the probabilities of negative, neutral and positive."""
    found = np.zeros((len(texts), len(POLARITIES)), np.float32)
    english = [place for place, text in enumerate(texts) if not has_han(text)]
    chinese = [place for place, text in enumerate(texts) if has_han(text)]
    if chinese:
        found[chinese] = chinese_sentiment([texts[place] for place in chinese], embed)
    if english:
        spans = [_span(texts[place], target) for place in english]
        found[english] = english_sentiment([texts[place] for place in english], spans, embed)
    return found


def sentiment_of(probabilities: Floats) -> Polarity:
    """Return the most probable polarity."""
    return POLARITIES[int(np.argmax(probabilities))]


def english_sentiment(texts: Sequence[str], spans: Sequence[tuple[int, int] | None], embed: Embed) -> Floats:
    """Return the probabilities of each text towards the target at its span; None for the text as a whole."""
    weights = load_weights()
    vectors = np.asarray(embed(list(texts)), np.float32)
    rows = [
        hashed(target_grams(text, *(span or (None, None)))) for text, span in zip(texts, spans, strict=True)
    ]
    grams = np.stack([weights["news_grams"][:, row].sum(axis=1) / np.sqrt(max(len(row), 1)) for row in rows])
    return softmax((grams + vectors @ weights["news_meaning"].T + weights["news_bias"]).astype(np.float32))


def chinese_sentiment(texts: Sequence[str], embed: Embed) -> Floats:
    """Return the probabilities of each text as a whole.

    The model knows praise and blame. A text whose words are found in both alike, or in none, is neutral.
    """
    weights = load_weights()
    vectors = np.asarray(embed(list(texts)), np.float32)
    rows = [hashed(char_grams(text.lower()), REVIEW_BUCKETS) for text in texts]
    grams = np.array([weights["reviews"][row].sum() / np.sqrt(max(len(row), 1)) for row in rows])
    scores = grams + vectors @ weights["reviews_meaning"] + weights["reviews_bias"][0]
    positive = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    neither = 1 / (1 + np.exp(_STEEP * (np.abs(scores) - _PLAIN)))
    sides = ((1 - positive) * (1 - neither), neither, positive * (1 - neither))
    return np.stack(sides, axis=1).astype(np.float32)


def _span(text: str, target: str | None) -> tuple[int, int] | None:
    place = text.lower().find(target.lower()) if target else -1
    return (place, place + len(target or "")) if place >= 0 else None
