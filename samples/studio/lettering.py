"""Lettering: titles and lower thirds, in a face that has both Latin and Chinese."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from samples.studio.film import FPS, HEIGHT, WIDTH, Caption
from samples.studio.pictures import Image

__all__ = ["write"]

_FONTS = Path("/usr/share/fonts")  # Debian: fonts-noto-cjk
_FACE = "NotoSansCJK-Bold.ttc"
_SIMPLIFIED_CHINESE = 2  # index of the SC face in the collection
_SIZES = {"title": 76, "subtitle": 40, "lower third": 36}
_RAMP_FRAMES = 6

Layer = NDArray[np.float32]  # (H, W, 4): RGB premultiplied by opacity 0..1, and the opacity


def write(frame: Image, captions: tuple[Caption, ...], number: int) -> Image:
    """Return film frame `number` with the captions that are up."""
    canvas = frame.astype(np.float32)
    for caption in captions:
        strength = _strength(caption, number)
        if strength > 0:
            layer = _layer(caption)
            canvas = canvas * (1 - layer[..., 3:] * strength) + layer[..., :3] * strength
    return np.asarray(np.clip(canvas + 0.5, 0, 255), np.uint8)


def _strength(caption: Caption, number: int) -> float:
    since, left = number - round(caption.start * FPS), round(caption.end * FPS) - number
    if since < 0 or left <= 0:
        return 0.0
    return min(1.0, (since + 1) / _RAMP_FRAMES, left / _RAMP_FRAMES)


@functools.cache
def _layer(caption: Caption) -> Layer:
    picture = Pillow.new("RGBA", (WIDTH, HEIGHT))
    pen = ImageDraw.Draw(picture)
    font = ImageFont.truetype(_font_path(), _SIZES[caption.place], index=_SIMPLIFIED_CHINESE)
    if caption.place == "lower third":
        width = pen.textlength(caption.text, font=font)
        pen.rectangle((0, 438, 80 + width, 502), fill=(10, 16, 40, 215))
        pen.rectangle((0, 438, 12, 502), fill=(255, 170, 40, 255))
        pen.text((44, 470), caption.text, font=font, fill="white", anchor="lm")
    else:
        line = 245 if caption.place == "title" else 330
        pen.text((WIDTH / 2 + 2, line + 2), caption.text, font=font, fill=(0, 0, 0, 200), anchor="mm")
        pen.text((WIDTH / 2, line), caption.text, font=font, fill="white", anchor="mm")
    layer = np.asarray(picture, np.float32)
    opacity = layer[..., 3:] / 255
    return np.concatenate([layer[..., :3] * opacity, opacity], axis=2)


@functools.cache
def _font_path() -> str:
    found = sorted(_FONTS.rglob(_FACE))
    if not found:
        raise SystemExit(f"{_FACE} is not installed. Install the package fonts-noto-cjk and try again.")
    return str(found[0])
