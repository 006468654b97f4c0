"""Lens: our own small image–text model, on the labeller's features and the sentence encoder's pieces."""

from vidence.models.vision.lens.adapter import LensImageText, build
from vidence.models.vision.lens.encoder import LensEncoder, PieceSource
from vidence.models.vision.lens.pieces import PieceTable

__all__ = ["LensEncoder", "LensImageText", "PieceSource", "PieceTable", "build"]
