"""Seeded synthetic videos with exact ground truth: what a shot detector must cut and what it must not.

Each case is a short timeline of camera moves over still pictures with one kind of difficulty: similar shots,
flashes, whip pans, shake, fades, dissolves, darkness, noise, odd frame rates, captions, insets, letterbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

__all__ = ["Case", "Clip", "StressTruth", "make_clip", "photographs", "write_clip"]

WIDTH, HEIGHT = 320, 180
TIME_BASE = Fraction(1, 90_000)

Image = NDArray[np.uint8]  # (H, W, 3) RGB
Timeline = Iterator[tuple[float, Image]]


@dataclass(frozen=True)
class StressTruth:
    """Where the shots change, and how wide each transition is (0 for a hard cut)."""

    boundaries: tuple[float, ...]
    widths: tuple[float, ...]


@dataclass(frozen=True)
class Clip:
    """One rendered case: frames with their times, and the truth about them."""

    name: str
    times: tuple[float, ...]
    frames: tuple[Image, ...]
    truth: StressTruth
    duration_s: float


@dataclass(frozen=True)
class Case:
    """A recipe: a name, a frame rate and a renderer."""

    name: str
    build: Callable[[ClipBuilder], None]
    fps: float = 25.0


@dataclass
class ClipBuilder:
    """Collects frames shot by shot and records every boundary."""

    fps: float
    rng: np.random.Generator
    photos: list[Image]
    times: list[float] = field(default_factory=list)
    frames: list[Image] = field(default_factory=list)
    boundaries: list[float] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    steps: Callable[[int], float] | None = None
    now: float = 0.0

    def photo(self) -> Image:
        """Return the next picture, in rotation."""
        image = self.photos.pop(0)
        self.photos.append(image)
        return image

    def push(self, frame: Image) -> None:
        self.times.append(self.now)
        self.frames.append(frame)
        self.now += self.steps(len(self.times)) if self.steps else 1.0 / self.fps

    def cut(self) -> None:
        """Record that the next frame starts a new shot."""
        self.boundaries.append(self.now)
        self.widths.append(0.0)

    def count(self, seconds: float) -> int:
        return max(1, round(seconds * self.fps))

    def mark_gradual(self, first: int) -> None:
        """Record a gradual transition over the frames from `first` to the latest one."""
        start, end = self.times[first], self.now
        self.boundaries.append((start + end) / 2)
        self.widths.append(end - start)


def make_clip(case: Case, *, seed: int = 7, photos: list[Image] | None = None) -> Clip:
    """Render `case`; the same seed gives the same frames."""
    rng = np.random.default_rng([seed, *case.name.encode()])
    pictures = list(photos if photos is not None else photographs())
    order = rng.permutation(len(pictures))
    stage = ClipBuilder(case.fps, rng, [pictures[i] for i in order])
    case.build(stage)
    truth = StressTruth(tuple(stage.boundaries), tuple(stage.widths))
    return Clip(case.name, tuple(stage.times), tuple(stage.frames), truth, stage.now)


def write_clip(clip: Clip, path: Path) -> None:
    """Encode `clip` as H.264 with its exact timestamps."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"crf": "23", "preset": "veryfast"})
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        stream.time_base = stream.codec_context.time_base = TIME_BASE
        ends = [*clip.times[1:], clip.duration_s]
        for start, end, image in zip(clip.times, ends, clip.frames, strict=True):
            frame = av.VideoFrame.from_ndarray(image, format="rgb24")
            frame.pts, frame.time_base = round(start / TIME_BASE), TIME_BASE
            frame.duration = round((end - start) / TIME_BASE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def photographs() -> list[Image]:
    """Return the openly licensed photographs of scikit-image, or drawn pictures where it is not installed."""
    try:
        from skimage import data
    except ImportError:
        return [draw_picture(seed) for seed in range(12)]
    names = ("astronaut", "camera", "cat", "coffee", "coins", "hubble_deep_field", "rocket", "retina")
    return [as_rgb(np.asarray(getattr(data, name)())) for name in names]


def as_rgb(picture: NDArray[np.uint8]) -> Image:
    """Return `picture` as colour, at a size the camera can move over."""
    colour = cv2.cvtColor(picture, cv2.COLOR_GRAY2RGB) if picture.ndim == 2 else picture[..., :3]
    return np.asarray(cv2.resize(colour, (960, 640), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def draw_picture(seed: int) -> Image:
    """Draw a cluttered scene: soft background, shapes of many sizes, grain."""
    rng = np.random.default_rng([11, seed])
    coarse = rng.integers(20, 235, (5, 7, 3), dtype=np.uint8)
    canvas = np.asarray(cv2.resize(coarse, (960, 640), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
    for _ in range(60):
        centre = (int(rng.integers(0, 960)), int(rng.integers(0, 640)))
        colour = tuple(int(c) for c in rng.integers(0, 255, 3))
        axes = (int(rng.integers(8, 120)), int(rng.integers(8, 120)))
        cv2.ellipse(canvas, centre, axes, float(rng.integers(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)
    grain = rng.normal(0, 6, canvas.shape)
    return np.clip(canvas + grain, 0, 255).astype(np.uint8)


def view(picture: Image, *, x: float = 0.5, y: float = 0.5, zoom: float = 1.0) -> Image:
    """Return what a camera sees of `picture`: centre (x, y) as fractions, zoom 1 shows half its width."""
    height, width = picture.shape[:2]
    scale = zoom * WIDTH / (width * 0.5)
    matrix = np.array(
        [[scale, 0, WIDTH / 2 - scale * x * width], [0, scale, HEIGHT / 2 - scale * y * height]],
        dtype=np.float64,
    )
    flags = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(
        cv2.warpAffine(picture, matrix, (WIDTH, HEIGHT), flags=flags, borderMode=cv2.BORDER_REFLECT_101),
        dtype=np.uint8,
    )


def blend(a: Image, b: Image, share: float) -> Image:
    """Return `a` with `share` of `b` mixed in."""
    return np.asarray(cv2.addWeighted(a, 1 - share, b, share, 0), dtype=np.uint8)


def gain(image: Image, factor: float, offset: float = 0.0) -> Image:
    """Return `image` brightened or darkened."""
    return np.asarray(np.clip(image.astype(np.float32) * factor + offset, 0, 255), dtype=np.uint8)


def drift(
    stage: ClipBuilder, seconds: float, *, speed: float = 0.02, photo: Image | None = None
) -> list[Image]:
    """Return the frames of a slow camera move over a picture."""
    picture = photo if photo is not None else stage.photo()
    n = stage.count(seconds)
    x0, y0 = stage.rng.uniform(0.35, 0.65, 2)
    angle = stage.rng.uniform(0, 2 * np.pi)
    t = np.arange(n) / stage.fps
    return [view(picture, x=x0 + speed * s * np.cos(angle), y=y0 + speed * s * np.sin(angle)) for s in t]
