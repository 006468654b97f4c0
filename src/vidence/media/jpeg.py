"""Pictures as JPEG: thumbnails, evidence, and what is sent to a vision model."""

from __future__ import annotations

import cv2
import numpy as np

from vidence.errors import BackendError
from vidence.schema.perception import Rgb

__all__ = ["encode_jpeg"]


def encode_jpeg(image: Rgb, *, max_side: int | None = None, quality: int = 85) -> bytes:
    """Return a picture as JPEG bytes, scaled down to at most `max_side` pixels on its longer side."""
    height, width = image.shape[:2]
    if max_side is not None and max(height, width) > max_side:
        scale = max_side / max(height, width)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    done, data = cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise BackendError(f"A picture of {width}x{height} pixels could not be encoded as JPEG.")
    return bytes(data.tobytes())
