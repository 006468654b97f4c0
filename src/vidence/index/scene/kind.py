"""The kind of a picture: filmed, a screen or slide, or a drawing or graphic, by a small model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

import numpy as np

from vidence.errors import BackendError
from vidence.index.scene.statistics import ONE_FLAT_COLOUR, picture_statistics
from vidence.models.packed import read_packed, shipped_bytes
from vidence.schema.perception import FloatArray, Rgb

__all__ = ["FILE", "KIND_ID", "UNTOLD", "KindScores", "MadeKind", "mean_scores", "score_kind"]

MadeKind = Literal["screen", "graphic"]
"""What was made, not filmed: a screen recording or slide, or a drawing, title or diagram."""

KIND_ID: Final = "picture-kind@2"
FILE: Final = "picture_kind-1.npz"
SHA256: Final = "a5eddb595a8a4045c601fbc43494a74b26991f46b9b383370b54c9de95e9e360"
_SURE, _DOUBT = 0.9, 0.5
"""The least probability that a picture was made: to say so, and to tell no place of it."""
_PLAIN = 0.5
"""The least share of one flat colour in what is called a graphic: a close-up of a plain surface is smooth,
but its light is not the same everywhere."""
_FURTHEST: Final = 5.0
"""Standardised statistics are cut off here; a picture unlike all others must not be surest of all."""


@dataclass(frozen=True)
class KindScores:
    """How probably a picture is a screen or a graphic; otherwise it was filmed, or looks as if it was."""

    screen: float = 0.0
    graphic: float = 0.0
    plain: float = 0.0
    """Share of the picture that is flat and has its commonest colour."""

    @property
    def is_doubted(self) -> bool:
        """Whether the picture was likelier made than filmed, so that no place may be told of it."""
        return self.screen + self.graphic >= _DOUBT

    @property
    def kind(self) -> MadeKind | None:
        """The kind of a picture that was surely made; None for any other."""
        if self.screen + self.graphic < _SURE:
            return None
        if self.screen >= self.graphic:
            return "screen"
        return "graphic" if self.plain >= _PLAIN else None


def score_kind(image: Rgb, vector: FloatArray | None) -> KindScores:
    """Tell how probably a picture is a screen or a graphic, from its pixels and what it looks like.

    Args:
        vector: the (512,) vector of lens; without it nothing is told.
    """
    if vector is None:
        return UNTOLD
    model = _model()
    statistics = picture_statistics(image)
    standard = (np.concatenate([statistics, vector]) - model.mean) / model.spread
    odds = np.clip(standard, -_FURTHEST, _FURTHEST) @ model.weight + model.bias
    share = np.exp(odds - odds.max())
    _, screen, graphic = (share / share.sum()).tolist()
    return KindScores(round(screen, 4), round(graphic, 4), round(float(statistics[ONE_FLAT_COLOUR]), 4))


def mean_scores(scores: Sequence[KindScores]) -> KindScores:
    """Return the scores of a shot from those of some of its frames."""
    count = max(len(scores), 1)
    return KindScores(
        sum(one.screen for one in scores) / count,
        sum(one.graphic for one in scores) / count,
        sum(one.plain for one in scores) / count,
    )


UNTOLD: Final = KindScores()
"""Of a picture that was not looked at; it counts as filmed."""


@dataclass(frozen=True)
class _Model:
    """A softmax over filmed, screen and graphic."""

    mean: FloatArray
    spread: FloatArray
    weight: FloatArray
    bias: FloatArray


@cache
def _model() -> _Model:
    try:
        return _Model(**read_packed(shipped_bytes(FILE, SHA256))[1])
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise BackendError(f"The weights {FILE} cannot be read: {exc}. Reinstall vidence.") from exc
