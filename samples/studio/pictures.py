"""The photographs of the film, their credits, and the three pictures drawn around them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import skimage.data
from numpy.typing import NDArray

from samples.studio.film import FPS, HEIGHT, WIDTH

__all__ = ["CREDITS", "HORSE_SHOT_S", "Credit", "Image", "horse_box", "load", "with_horse"]

Image = NDArray[np.uint8]  # (H, W, 3) RGB

HORSE_SHOT_S = 5.4
_HORSE_WIDTH, _HORSE_HEIGHT, _HORSE_TOP = 250, 205, 225
_HORSE_FROM, _HORSE_TO = 10.0, 700.0  # its left edge at the first and last frame
_HORIZON = 330


@dataclass(frozen=True)
class Credit:
    """Who made a photograph and under which terms scikit-image passes it on."""

    picture: str
    file: str
    subject: str
    author: str
    licence: str


CREDITS = (
    Credit("chelsea", "chelsea.png", "Chelsea the cat", "Stéfan van der Walt", "CC0"),
    Credit("coffee", "coffee.png", "Cup of coffee, Pikolo Espresso Bar", "Rachel Michetti", "CC0"),
    Credit("rocket", "rocket.jpg", "Falcon 9 before the DSCOVR launch", "SpaceX", "public domain"),
    Credit("astronaut", "astronaut.png", "Eileen Collins", "NASA", "public domain"),
    Credit("hubble", "hubble_deep_field.jpg", "Hubble eXtreme Deep Field", "NASA", "public domain"),
    Credit("camera", "camera.png", "Photographer with a camera", "Lav Varshney", "CC0"),
    Credit(
        "coins", "coins.png", "Greek coins from Pompeii", "Brooklyn Museum", "no known copyright restrictions"
    ),
    Credit("horse", "horse.png", "Silhouette of a horse", "Andreas Preuss (marauder)", "CC0"),
    Credit("grass", "grass.png", "Grass texture", "linolafett (DeviantArt)", "CC0"),
)


def load(picture: str) -> Image:
    """Return the picture of that name: a photograph, or one drawn for the film."""
    match picture:
        case "hubble":
            return _photograph("hubble_deep_field")
        case "coins":
            return _framed(_photograph("coins")[:, :378])
        case "meadow":
            return _meadow()
        case "card":
            return _gradient((14, 20, 44), (30, 44, 92), HEIGHT)
        case _:
            return _photograph(picture)


def with_horse(meadow: Image, shot_frame: int) -> Image:
    """Return the meadow with the horse where it is at frame `shot_frame` of its shot."""
    x, y, _, _ = horse_box(shot_frame)
    # Sub-pixel placement keeps a slow walk from stuttering by whole pixels.
    place = np.array([[1, 0, x], [0, 1, y]], np.float32)
    alpha = cv2.warpAffine(_horse_mask(), place, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)[..., None] / 255
    coat = np.array((18, 14, 16), np.float32)
    return np.asarray(meadow * (1 - alpha) + coat * alpha, np.uint8)


def horse_box(shot_frame: int) -> tuple[float, float, float, float]:
    """Return the horse's box `(x, y, w, h)` in pixels at frame `shot_frame` of its shot."""
    progress = shot_frame / (HORSE_SHOT_S * FPS)
    step = abs(np.sin(shot_frame / FPS * np.pi * 1.6)) * 7
    return (
        _HORSE_FROM + (_HORSE_TO - _HORSE_FROM) * progress,
        _HORSE_TOP - float(step),
        float(_HORSE_WIDTH),
        float(_HORSE_HEIGHT),
    )


def _photograph(name: str) -> Image:
    image: Image = getattr(skimage.data, name)()
    return np.repeat(image[..., None], 3, axis=2) if image.ndim == 2 else image[..., :3]


def _framed(photo: Image) -> Image:
    """Return the whole photograph at full height over a blurred copy of itself, as television does."""
    cover = cv2.resize(
        photo, (WIDTH, WIDTH * photo.shape[0] // photo.shape[1]), interpolation=cv2.INTER_CUBIC
    )
    top = (cover.shape[0] - HEIGHT) // 2
    canvas = cv2.GaussianBlur(cover[top : top + HEIGHT], (0, 0), 30) // 2
    width = HEIGHT * photo.shape[1] // photo.shape[0]
    left = (WIDTH - width) // 2
    canvas[:, left : left + width] = cv2.resize(photo, (width, HEIGHT), interpolation=cv2.INTER_CUBIC)
    return np.asarray(canvas, np.uint8)


def _meadow() -> Image:
    """Return a sunset over grass; the grass is a photograph laid into perspective and tinted green."""
    canvas = _gradient((58, 74, 130), (250, 176, 104), _HORIZON + 1)
    sky = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    sky[: canvas.shape[0]] = canvas
    cv2.circle(sky, (690, 262), 46, (255, 232, 170), -1, cv2.LINE_AA)
    sky = np.asarray(cv2.GaussianBlur(sky, (0, 0), 1.5), np.uint8)
    sky[_HORIZON:] = _lawn()[_HORIZON:]
    return sky


def _lawn() -> Image:
    texture = np.tile(_photograph("grass"), (2, 4, 1))
    height, width = texture.shape[:2]
    corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    ground = np.array([(0, _HORIZON), (WIDTH, _HORIZON), (WIDTH + 700, HEIGHT), (-700, HEIGHT)], np.float32)
    matrix = cv2.getPerspectiveTransform(corners, ground)
    lawn = cv2.warpPerspective(texture, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_AREA)
    tint = np.array((0.50, 0.66, 0.28), np.float32)
    return np.asarray(np.clip(cv2.GaussianBlur(lawn, (0, 0), 1.0) * tint, 0, 255), np.uint8)


def _gradient(top: tuple[int, int, int], bottom: tuple[int, int, int], height: int) -> Image:
    share = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    column = np.array(top, np.float32) * (1 - share) + np.array(bottom, np.float32) * share
    return np.asarray(np.broadcast_to(column, (height, WIDTH, 3)), np.uint8)


def _horse_mask() -> Image:
    """Return the horse at its size in the film, cropped to its outline, as opacity 0..255."""
    outline = _photograph("horse")[..., 0] == 0
    rows, columns = np.flatnonzero(outline.any(axis=1)), np.flatnonzero(outline.any(axis=0))
    cropped = outline[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    opacity = cropped.astype(np.uint8) * 255
    return np.asarray(
        cv2.resize(opacity, (_HORSE_WIDTH, _HORSE_HEIGHT), interpolation=cv2.INTER_AREA), np.uint8
    )
