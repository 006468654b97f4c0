"""Lens behind the image–text Protocol: whole pictures in, through the embedded labeller."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vidence.errors import BackendError
from vidence.models.context import ModelContext
from vidence.models.manifest import load_manifest
from vidence.models.protocols import ImageLabeller
from vidence.models.vision import efficientnet
from vidence.models.vision.lens.encoder import LensEncoder
from vidence.models.vision.lens.pieces import PieceTable
from vidence.schema.perception import FloatArray, Rgb

__all__ = ["LensImageText", "build"]

_TEXT_MODEL = "use-multilingual-3"


class LensImageText:
    """Compares pictures with words; where features are already known, use `encoder` and pay nothing twice."""

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
    cache = context.cache
    encoder = LensEncoder(
        PieceTable(cache.path(_TEXT_MODEL, "weights"), cache.path(_TEXT_MODEL, "vocabulary"))
    )
    installed = load_manifest(efficientnet.MODEL).file("model").sha256
    if installed != encoder.labeller_sha256:
        raise BackendError(
            f"{encoder.model_id} was trained on another version of {efficientnet.MODEL}. Train it anew."
        )
    return LensImageText(efficientnet.build(context), encoder)
