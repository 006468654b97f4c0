"""The picture track: shots, the joins between them, and lettering, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from samples.studio.camera import photograph
from samples.studio.film import Film, Join, Shot
from samples.studio.lettering import write
from samples.studio.pictures import Image, load

__all__ = ["draw", "joins_of"]


def draw(film: Film) -> Iterator[Image]:
    """Yield every frame of the film in order."""
    pictures = {shot.picture: load(shot.picture) for shot in film.shots}
    for number in range(film.frame_count):
        yield write(_join(film, pictures, number), film.captions, number)


def joins_of(film: Film, index: int) -> tuple[int, int]:
    """Return how many frames shot `index` shares with a dissolve before it and after it."""
    after = film.shots[index + 1].join if index + 1 < len(film.shots) else Join("cut")
    return _overlap(film.shots[index].join), _overlap(after)


def _overlap(join: Join) -> int:
    return join.half if join.type == "dissolve" else 0


def _join(film: Film, pictures: dict[str, Image], number: int) -> Image:
    index = next(i for i, shot in enumerate(film.shots) if number < shot.end)
    own = _take(film, pictures, index, number)
    for later in (index, index + 1):
        if not 0 < later < len(film.shots):
            continue
        join, boundary = film.shots[later].join, film.shots[later].start
        if not boundary - join.half <= number < boundary + join.half:
            continue
        if join.type == "fade":
            distance = abs(number + 0.5 - boundary) - 1.5  # a few frames in the middle are fully black
            light = max(0.0, distance / (join.half - 1.5))
            return np.asarray(own * light + 0.5, np.uint8)
        share = (number + 0.5 - boundary + join.half) / (2 * join.half)
        before, after = (_take(film, pictures, i, number) for i in (later - 1, later))
        return np.asarray(cv2.addWeighted(before, 1 - share, after, share, 0), np.uint8)
    return own


def _take(film: Film, pictures: dict[str, Image], index: int, number: int) -> Image:
    shot: Shot = film.shots[index]
    lead, tail = joins_of(film, index)
    return photograph(pictures[shot.picture], shot, number, lead=lead, tail=tail)
