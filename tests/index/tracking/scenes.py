"""Made-up scenes: boxes that move, hide and come back, as a detector would report them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from vidence.index.tracking.follow import Followed, Follower
from vidence.index.tracking.motion import CameraStep
from vidence.index.tracking.tracker import TimedBox
from vidence.schema.perception import Box, FloatArray

FPS = 10.0


@dataclass(frozen=True)
class Actor:
    """Someone with a path: a box at a time, or None where nobody could see them."""

    path: Callable[[float], Box | None]
    look: FloatArray | None = None
    category: str = "person"


def look_of(seed: int) -> FloatArray:
    """Return colours unlike those of other seeds."""
    raw = np.random.default_rng(seed).uniform(0, 1, 36).astype(np.float32) ** 4
    return np.asarray(raw / np.linalg.norm(raw), np.float32)


def walk(
    x: float, speed: float, *, y: float = 0.3, hidden: tuple[float, float] | None = None
) -> Callable[[float], Box | None]:
    """Walk along the picture, unseen between two times."""

    def at(time_s: float) -> Box | None:
        if hidden and hidden[0] <= time_s < hidden[1]:
            return None
        left = x + speed * time_s
        return Box(left, y, 0.1, 0.4) if -0.05 < left < 0.95 else None

    return at


def follow(
    actors: Sequence[Actor],
    seconds: float,
    *,
    camera: Callable[[float], CameraStep] | None = None,
    noise: float = 0.0,
    seed: int = 1,
) -> list[Followed]:
    """Show a scene to a follower, in an order that changes from frame to frame, and return the tracks."""
    rng = np.random.default_rng(seed)
    follower = Follower(aspect=1.0)
    for frame in range(round(seconds * FPS)):
        time_s = frame / FPS
        shown = [(actor, box) for actor in actors if (box := actor.path(time_s)) is not None]
        rng.shuffle(shown)
        seen = [TimedBox(time_s, _shaken(box, noise, rng), 0.9, one.category, one.look) for one, box in shown]
        follower.update(time_s, seen, camera(time_s) if camera else None)
    return follower.take(seconds)


def _shaken(box: Box, noise: float, rng: np.random.Generator) -> Box:
    x, y, w, h = (value + float(rng.normal(0, noise)) for value in (box.x, box.y, box.w, box.h))
    return Box(x, y, w, h)
