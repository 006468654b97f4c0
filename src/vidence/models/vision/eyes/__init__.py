"""Eyes: our own small visual question answering model, on what the labeller and the detector see."""

from vidence.models.vision.eyes.answerer import EyesAnswerer, build

__all__ = ["EyesAnswerer", "build"]
