"""Lens: our own small image–text model, on the labeller's features and the sentence encoder's pieces."""

from vidence.models.lens.adapter import LensImageText, build
from vidence.models.lens.encoder import LensEncoder, PieceSource
from vidence.models.lens.pieces import PieceTable

__all__ = ["LensEncoder", "LensImageText", "PieceSource", "PieceTable", "build"]
