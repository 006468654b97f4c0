"""The cases of the stress suite: one small function for each difficulty."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from vidence.bench.stress import HEIGHT, WIDTH, Case, ClipBuilder, Image, blend, drift, gain, view

__all__ = ["CASES"]

Effect = Callable[[ClipBuilder, int, Image], Image]
BLACK: Image = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
WHITE: Image = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)


def _cuts(
    *, shots: int = 6, seconds: float = 1.6, speed: float = 0.02, effect: Effect | None = None
) -> Callable[[ClipBuilder], None]:
    """Return a builder of hard cuts between moving shots, each frame passed through `effect`."""

    def build(stage: ClipBuilder) -> None:
        for number in range(shots):
            if number:
                stage.cut()
            _push(stage, drift(stage, seconds, speed=speed), effect)

    return build


def _one(
    seconds: float, *, speed: float = 0.02, effect: Effect | None = None
) -> Callable[[ClipBuilder], None]:
    """Return a builder of one shot passed through `effect`: nothing in it is a cut."""
    return _cuts(shots=1, seconds=seconds, speed=speed, effect=effect)


def _push(stage: ClipBuilder, frames: Sequence[Image], effect: Effect | None = None) -> None:
    for index, frame in enumerate(frames):
        stage.push(effect(stage, index, frame) if effect else frame)


def _similar(stage: ClipBuilder) -> None:
    """Cut between close views of one picture, as between two cameras in one room."""
    picture = stage.photo()
    spots = [(0.25, 0.3), (0.72, 0.66), (0.3, 0.7), (0.7, 0.28), (0.25, 0.3)]
    for number, (x, y) in enumerate(spots):
        if number:
            stage.cut()
        _push(stage, [view(picture, x=x + 0.0006 * i, y=y, zoom=1.35) for i in range(stage.count(1.6))])


def _grain(sigma: float) -> Effect:
    def effect(stage: ClipBuilder, index: int, frame: Image) -> Image:
        return np.clip(frame + stage.rng.normal(0, sigma, frame.shape), 0, 255).astype(np.uint8)

    return effect


def _dark(stage: ClipBuilder, index: int, frame: Image) -> Image:
    return _grain(1.5)(stage, index, gain(frame, 0.12, 6))


def _flash(stage: ClipBuilder, index: int, frame: Image) -> Image:
    """Photographers' flashes: one to three bright frames, now and then."""
    phase = index % stage.count(0.9) - stage.count(0.45)
    return gain(frame, 1.3, 190 - 60 * phase) if 0 <= phase < max(1, stage.count(0.08)) else frame


def _strobe(stage: ClipBuilder, index: int, frame: Image) -> Image:
    return frame if (index // max(1, round(stage.fps / 20))) % 2 else gain(frame, 0.15)


def _explosion(stage: ClipBuilder, index: int, frame: Image) -> Image:
    """A sudden glare that whites the picture out and dies away over a second."""
    age = (index - stage.count(1.5)) / stage.fps
    glare = 0.0 if age < 0 else 400 * np.exp(-age / 0.3)
    return gain(frame, 1.0, glare)


def _lamp(stage: ClipBuilder, index: int, frame: Image) -> Image:
    """The light goes out and comes back on: the same shot, darker."""
    return gain(frame, 0.35, 2) if stage.count(1.5) <= index < stage.count(3) else frame


def _exposure(stage: ClipBuilder, index: int, frame: Image) -> Image:
    return gain(frame, 0.55 + 0.45 * np.cos(index / stage.fps * 2.2))


def _caption(stage: ClipBuilder, index: int, frame: Image) -> Image:
    """Subtitles that change every second, on a box in the lower third."""
    if index // stage.count(1.0) % 2 == 0:
        return frame
    shown = frame.copy()
    cv2.rectangle(shown, (20, 130), (300, 172), (10, 10, 10), -1)
    cv2.putText(shown, f"line {index // stage.count(1.0)} of it all", (30, 158), 0, 0.8, (250, 250, 250), 2)
    return shown


def _inset(stage: ClipBuilder, index: int, frame: Image) -> Image:
    """A picture-in-picture whose own content cuts."""
    picture = stage.photos[3 + index // stage.count(1.2) % 3]
    shown = frame.copy()
    shown[12:66, 212:308] = cv2.resize(view(picture), (96, 54), interpolation=cv2.INTER_AREA)
    return shown


def _letterbox(stage: ClipBuilder, index: int, frame: Image) -> Image:
    shown = frame.copy()
    shown[:26], shown[-26:] = 0, 0
    return shown


def _passer(stage: ClipBuilder, index: int, frame: Image) -> Image:
    """Somebody walks close by the lens, covering most of the picture for a moment."""
    shown = frame.copy()
    centre = -260 + 1100 * ((index / stage.fps) % 2.0) / 1.2
    body = cv2.resize(stage.photos[2], (260, HEIGHT), interpolation=cv2.INTER_AREA)
    left, right = round(centre) - 130, round(centre) + 130
    a, b = max(0, left), min(WIDTH, right)
    if a < b:
        shown[:, a:b] = body[:, a - left : b - left]
    return shown


def _whip(stage: ClipBuilder) -> None:
    """Whip pans across one wide picture, blurred as a real shutter would."""
    wide = np.concatenate([stage.photo(), stage.photo(), stage.photo()], axis=1)
    wide = np.asarray(cv2.GaussianBlur(wide, (0, 0), 2.0), dtype=np.uint8)
    place, places = 0.15, []
    for target in (0.5, 0.85, 0.4, 0.15):
        places += [place] * stage.count(0.8)
        n = stage.count(0.45)
        places += [place + (target - place) * (1 - np.cos(np.pi * k / n)) / 2 for k in range(n)]
        place = target
    for here, before in zip(places, [places[0], *places], strict=False):
        shutter = np.linspace(here - (here - before) * 0.5, here, 5)
        looks = [view(wide, x=x, zoom=3.0).astype(np.float32) for x in shutter]
        stage.push(np.mean(looks, axis=0).astype(np.uint8))


def _shake(stage: ClipBuilder) -> None:
    picture, x, y = stage.photo(), 0.5, 0.5
    for _ in range(stage.count(5)):
        x, y = np.clip([x + stage.rng.normal(0, 0.02), y + stage.rng.normal(0, 0.03)], 0.35, 0.65)
        stage.push(view(picture, x=float(x), y=float(y)))


def _zoom(stage: ClipBuilder) -> None:
    picture = stage.photo()
    for index in range(stage.count(4)):
        stage.push(view(picture, zoom=float(0.7 * 3.2 ** (0.5 - 0.5 * np.cos(index / stage.fps * 2.6)))))


def _gradual(
    *, through: Image | None, widths: Sequence[float], seconds: float = 2.0, speed: float = 0.02
) -> Callable[[ClipBuilder], None]:
    """Return a builder of dissolves, or of fades through a colour, of the given widths."""

    def build(stage: ClipBuilder) -> None:
        old = drift(stage, seconds + widths[0], speed=speed)
        _push(stage, old[: stage.count(seconds)])
        for number, width in enumerate(widths):
            after = widths[number + 1] if number + 1 < len(widths) else 0.0
            n, first = stage.count(width), len(stage.frames)
            new = drift(stage, width + seconds + after + 2 / stage.fps, speed=speed)
            _push(stage, [_mix(old[-n:][k], new[k], (k + 1) / (n + 1), through) for k in range(n)])
            stage.mark_gradual(first)
            old = new[: n + stage.count(seconds) + stage.count(after)]
            _push(stage, old[n : n + stage.count(seconds)])

    return build


def _mix(a: Image, b: Image, share: float, through: Image | None) -> Image:
    if through is None:
        return blend(a, b, share)
    return blend(a, through, share * 2) if share <= 0.5 else blend(through, b, share * 2 - 1)


def _black_between(stage: ClipBuilder) -> None:
    """Cut to black, hold it, cut to the next shot: two hard changes each time."""
    for number in range(3):
        if number:
            stage.cut()
            _push(stage, [BLACK] * stage.count(1.0))
            stage.cut()
        _push(stage, drift(stage, 2.0))


def _variable(stage: ClipBuilder) -> None:
    """Cuts in a stream whose frame spacing wanders between 15 and 60 frames a second."""
    steps = stage.rng.uniform(1 / 60, 1 / 15, 4000)
    stage.steps = lambda index: float(steps[index])
    _cuts(shots=6, seconds=1.6)(stage)


CASES: tuple[Case, ...] = (
    Case("cuts", _cuts()),
    Case("cuts between like views", _similar),
    Case("cuts between fast pans", _cuts(speed=0.35, seconds=1.2)),
    Case("cuts in the dark", _cuts(effect=_dark)),
    Case("cuts under heavy grain", _cuts(effect=_grain(22))),
    Case("cuts in letterbox", _cuts(effect=_letterbox)),
    Case("cuts with flashes", _cuts(effect=_flash, seconds=2.0)),
    Case("quick cuts", _cuts(shots=12, seconds=0.6)),
    Case("cuts at 5 fps", _cuts(seconds=2.4), fps=5),
    Case("cuts at 10 fps", _cuts(seconds=2.0), fps=10),
    Case("cuts at 15 fps", _cuts(), fps=15),
    Case("cuts at 60 fps", _cuts(shots=4), fps=60),
    Case("cuts, variable frame rate", _variable),
    Case("dissolves 0.3 s", _gradual(through=None, widths=(0.3, 0.3, 0.3))),
    Case("dissolves 0.6 to 1 s", _gradual(through=None, widths=(0.6, 0.8, 1.0))),
    Case("dissolves 2 s", _gradual(through=None, widths=(2.0, 2.0))),
    Case("dissolves at 10 fps", _gradual(through=None, widths=(0.8, 1.0)), fps=10),
    Case("dissolves between pans", _gradual(through=None, widths=(0.5, 0.8, 1.2), speed=0.08)),
    Case("cuts to black and back", _black_between),
    Case("fades through black", _gradual(through=BLACK, widths=(0.6, 1.0, 2.0))),
    Case("fades through white", _gradual(through=WHITE, widths=(0.6, 1.0, 2.0))),
    Case("flashes", _one(5, effect=_flash)),
    Case("flashes at 60 fps", _one(4, effect=_flash), fps=60),
    Case("strobe", _one(4, effect=_strobe)),
    Case("explosion of light", _one(5, effect=_explosion)),
    Case("lamp off and on", _one(5, effect=_lamp)),
    Case("drifting exposure", _one(6, effect=_exposure)),
    Case("whip pans", _whip),
    Case("whip pans at 15 fps", _whip, fps=15),
    Case("fast pan", _one(4, speed=0.5)),
    Case("shake", _shake),
    Case("shake at 10 fps", _shake, fps=10),
    Case("zooms", _zoom),
    Case("captions", _one(6, effect=_caption)),
    Case("inset picture", _one(6, effect=_inset)),
    Case("passer-by", _one(5, effect=_passer)),
    Case("still under grain", _one(4, speed=0.0, effect=_grain(30))),
)
