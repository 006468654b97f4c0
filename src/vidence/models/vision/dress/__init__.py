"""Dress: our own small model of what a person wears, on what the labeller sees of parts of the person."""

from vidence.models.vision.dress.reader import DressReader, build

__all__ = ["DressReader", "build"]
