"""The camera: moves a 16:9 view over a still picture."""

from __future__ import annotations

import cv2
import numpy as np

from samples.studio.film import HEIGHT, WIDTH, Shot, Thing, View
from samples.studio.pictures import Image, horse_box, with_horse

__all__ = ["Box", "photograph", "things_at", "view_at"]

Box = tuple[float, float, float, float]  # x, y, w, h, each 0..1 of the frame


def view_at(shot: Shot, frame: int, *, lead: int = 0, tail: int = 0) -> View:
    """Return the view at film frame `frame`; the move also covers `lead` and `tail` frames of the joins."""
    span = shot.end - shot.start + lead + tail - 1
    share = min(1.0, max(0.0, (frame - shot.start + lead) / span))
    eased = share * share * (3 - 2 * share) * 0.5 + share * 0.5  # soft start and stop, never standing still
    first, last = shot.first, shot.last
    return View(
        first.x + (last.x - first.x) * eased,
        first.y + (last.y - first.y) * eased,
        # Equal factors per frame look like an even zoom; equal pixels do not.
        first.width * (last.width / first.width) ** eased,
    )


def photograph(picture: Image, shot: Shot, frame: int, *, lead: int, tail: int) -> Image:
    """Return what the camera sees at film frame `frame`."""
    if shot.picture == "meadow":
        return with_horse(picture, frame - shot.start)
    view = view_at(shot, frame, lead=lead, tail=tail)
    scale = WIDTH / view.width
    left, top = _corner(view)
    matrix = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]], np.float32)
    seen = cv2.warpAffine(
        picture, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT
    )
    return np.asarray(seen, np.uint8)


def things_at(shot: Shot, frame: int, *, lead: int = 0, tail: int = 0) -> list[tuple[Thing, Box]]:
    """Return the things in view at film frame `frame`, with the visible part of each one's box."""
    if shot.picture == "meadow":
        x, y, w, h = horse_box(frame - shot.start)
        horse = Thing("horse", (x, y, w, h), ("black",))
        return [(horse, _clip(x / WIDTH, y / HEIGHT, w / WIDTH, h / HEIGHT))]
    view = view_at(shot, frame, lead=lead, tail=tail)
    left, top = _corner(view)
    height = view.width * HEIGHT / WIDTH
    found = []
    for thing in shot.things:
        x, y, w, h = thing.box
        found.append((thing, _clip((x - left) / view.width, (y - top) / height, w / view.width, h / height)))
    return found


def _corner(view: View) -> tuple[float, float]:
    return view.x - view.width / 2, view.y - view.width * HEIGHT / WIDTH / 2


def _clip(x: float, y: float, w: float, h: float) -> Box:
    left, top = max(0.0, x), max(0.0, y)
    right, bottom = min(1.0, x + w), min(1.0, y + h)
    return (round(left, 4), round(top, 4), round(right - left, 4), round(bottom - top, 4))
