"""Decoded pictures made from arrays."""

from __future__ import annotations

from fractions import Fraction

import av
import cv2
import numpy as np

from vidence.media import DecodedFrame
from vidence.schema.perception import Rgb

__all__ = ["decoded", "textured"]


def decoded(image: Rgb, time_s: float = 0.0, *, index: int = 0) -> DecodedFrame:
    """Return a picture as the decoder gives it."""
    frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), format="rgb24")
    return DecodedFrame(frame, index=index, time=Fraction(time_s).limit_denominator(1000))


def textured(left: int = 0, top: int = 0, *, seed: int = 4) -> Rgb:
    """Return a picture of 384x216 cut from a larger one full of corners; `left` and `top` move the camera."""
    blocks = np.random.default_rng(seed).integers(0, 255, (32, 60, 3)).astype(np.uint8)
    large = np.asarray(cv2.resize(blocks, (480, 256), interpolation=cv2.INTER_CUBIC), np.uint8)
    return large[top : top + 216, left : left + 384]
