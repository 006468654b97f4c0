"""Lens: our own small image–text model, on the labeller's features and the sentence encoder's pieces."""

from vidence.models.vision.lens.encoder import LensEncoder, LensImageText, PieceSource, build

__all__ = ["LensEncoder", "LensImageText", "PieceSource", "build"]
