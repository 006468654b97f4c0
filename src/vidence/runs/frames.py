"""Frames of a video, plain or with boxes drawn: for vision models and for people who check evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from vidence.media import open_video
from vidence.schema.perception import Box, Rgb

__all__ = ["MAX_SIDE", "read_frame", "with_boxes"]

MAX_SIDE = 768
_COLOURS = ((255, 196, 0), (0, 200, 255), (255, 80, 120), (120, 230, 80), (190, 120, 255))


def read_frame(path: Path, time_s: float, *, max_side: int = MAX_SIDE, threads: int = 1) -> Rgb:
    """Return the frame shown at a time, at most `max_side` on its longer side."""
    with open_video(path, threads=threads) as reader:
        return next(iter(reader.at([time_s]))).rgb(max_side=max_side)


def with_boxes(image: Rgb, boxes: Sequence[tuple[Box, str]]) -> Rgb:
    """Return a copy with each box drawn and labelled."""
    drawn = np.ascontiguousarray(image)
    if drawn is image:
        drawn = image.copy()
    height, width = drawn.shape[:2]
    thick = max(2, round(max(height, width) / 400))
    for number, (box, label) in enumerate(boxes):
        colour = _COLOURS[number % len(_COLOURS)]
        left, top, right, bottom = box.pixels(width, height)
        cv2.rectangle(drawn, (left, top), (right, bottom), colour, thick)
        # OpenCV's fonts know Latin letters only.
        text = label if label.isascii() else ""
        place = (left + thick, max(top - 2 * thick, 16))
        cv2.putText(
            drawn, text, place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, max(1, thick // 2), cv2.LINE_AA
        )
    return drawn
