"""Draw writing over real pictures: fonts, sizes, angles, perspective, curves, blur, outlines, panels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from training.text.wording import write

__all__ = ["CONDITIONS", "Placed", "Scene", "Style", "backgrounds", "scenes"]

Picture = NDArray[np.uint8]
_FONTS = Path("/usr/share/fonts")
_SAMPLE = 3
"""Writing is drawn this much larger and shrunk, as a camera sees it."""


@dataclass(frozen=True)
class Style:
    """How one condition looks."""

    kinds: tuple[str, ...] = ("en", "zh")
    height: tuple[int, int] = (24, 40)
    """Height of a capital or a Chinese character, in pixels of a 720p frame."""
    angle: tuple[int, ...] = (0,)
    paint: str = "any"
    fonts: str = "plain"
    stacked: bool = False
    perspective: float = 0.0
    curve: float = 0.0
    blur: int = 0
    noise: float = 0.0
    tall: int = 720
    lines: int = 1
    at: str = "anywhere"
    quality: int = 75


CONDITIONS: dict[str, Style] = {
    **{f"height {h}": Style(height=(h, h), paint="panel") for h in (8, 10, 12, 16, 24, 60)},
    **{f"1080p height {h}": Style(height=(h, h), paint="panel", tall=1080) for h in (12, 16, 24)},
    "angle 10-20": Style(angle=(10, 15, 20, -10, -15, -20)),
    "angle 25-45": Style(angle=(25, 35, 45, -25, -35, -45)),
    "angle 60-75": Style(angle=(60, 75, -60, -75)),
    "turned 90": Style(angle=(90, -90)),
    "upside down": Style(angle=(180, 170, -170)),
    "vertical Chinese": Style(kinds=("zh",), stacked=True),
    "seen from the side": Style(perspective=0.35, paint="panel", height=(30, 50)),
    "around a cup": Style(curve=0.5, paint="panel", height=(26, 40)),
    "low contrast": Style(paint="faint"),
    "light on dark": Style(paint="dark panel", height=(14, 24)),
    "motion blur": Style(blur=9),
    "noise": Style(noise=14.0, quality=45),
    "outlined subtitle": Style(paint="outline", at="bottom", height=(26, 36)),
    "two languages": Style(kinds=("zh+en",), paint="outline", at="bottom", height=(24, 34), lines=2),
    "both in a line": Style(kinds=("both",)),
    "CCTV clock": Style(kinds=("cctv",), paint="overlay", at="corner", height=(14, 26), fonts="mono"),
    "1080p CCTV clock": Style(kinds=("cctv",), paint="overlay", at="corner", height=(24, 36), tall=1080),
    "1080p overlay": Style(kinds=("en", "zh", "name"), paint="overlay", height=(20, 36), tall=1080),
    "plate": Style(kinds=("plate",), paint="plate", height=(14, 30), perspective=0.15, angle=(0, 5, -5)),
    "shirt number": Style(kinds=("number",), height=(40, 70), angle=(0, 10, -10), perspective=0.1),
    "scoreboard": Style(kinds=("score",), paint="dark panel", at="corner", height=(14, 22)),
    "price tag": Style(kinds=("price",), paint="panel", height=(14, 30), angle=(0, 8, -8)),
    "handwriting": Style(fonts="hand", paint="panel"),
    "name": Style(kinds=("name",), paint="dark panel", height=(20, 30)),
    "Japanese": Style(kinds=("japanese",)),
    "Greek": Style(kinds=("greek",)),
    "accents": Style(kinds=("accents",)),
    "Cyrillic": Style(kinds=("cyrillic",)),
    "Arabic": Style(kinds=("arabic",)),
    "Korean": Style(kinds=("korean",)),
    "Thai": Style(kinds=("thai",)),
    "Hindi": Style(kinds=("hindi",)),
}

_LATIN = {
    "fit": ("liberation/LiberationSans-Bold", "dejavu/DejaVuSans", "lato/Lato-Regular",
            "crosextra/Carlito-Bold", "freefont/FreeSerif", "vollkorn/Vollkorn-Bold"),
    "report": ("roboto/unhinted/RobotoTTF/Roboto-Medium", "open-sans/OpenSans-Bold",
               "liberation/LiberationSerif-Regular", "dejavu/DejaVuSansCondensed-Bold",
               "freefont/FreeSansBold", "ebgaramond/EBGaramond12-Bold"),
}  # fmt: skip
_MONO = {
    "fit": ("dejavu/DejaVuSansMono", "liberation/LiberationMono-Bold"),
    "report": ("freefont/FreeMonoBold", "ocr-a/OCRA", "liberation/LiberationMono-Regular"),
}
_HAND = {
    "fit": ("comic-neue/ComicNeue-Bold", "gkai00mp"),
    "report": ("humor-sans/Humor-Sans", "dancingscript/DancingScript-Bold", "ukai"),
}
_HAN = {
    "fit": ("NotoSansCJK-Regular", "wqy-zenhei", "NotoSerifCJK-Bold", "gkai00mp"),
    "report": ("NotoSansCJK-Bold", "wqy-microhei", "uming", "ukai", "NotoSerifCJK-Regular"),
}
_OTHER = {
    "arabic": ("NotoSansArabic-Bold", "NotoSansArabic-Regular"),
    "korean": ("baekmuk/dotum", "NotoSansCJK-Bold"),
    "thai": ("NotoSansThai-Regular", "NotoSansThai-Bold"),
    "hindi": ("NotoSansDevanagari-Regular", "NotoSansDevanagari-Bold"),
    "japanese": ("NotoSansCJK-Regular", "NotoSerifCJK-Bold"),
    "cyrillic": ("dejavu/DejaVuSans", "liberation/LiberationSans-Bold"),
    "greek": ("dejavu/DejaVuSans-Bold", "liberation/LiberationSerif-Regular"),
    "accents": ("dejavu/DejaVuSans", "liberation/LiberationSans-Bold"),
}


@dataclass(frozen=True)
class Placed:
    """One line of writing with its corners in the picture, clockwise from its own top left."""

    text: str
    corners: NDArray[np.float32]


@dataclass(frozen=True)
class Scene:
    """A picture and what is written on it."""

    condition: str
    picture: Picture
    placed: tuple[Placed, ...]


def _files() -> dict[str, Path]:
    return {
        str(path.relative_to(_FONTS)): path
        for path in _FONTS.rglob("*")
        if path.suffix in (".ttf", ".ttc", ".otf")
    }


_ALL: dict[str, Path] = {}


def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    if not _ALL:
        _ALL.update(_files())
    path = next(path for short, path in sorted(_ALL.items()) if f"{name}." in short)
    return ImageFont.truetype(str(path), size)


def _font_name(style: Style, kind: str, text: str, part: str, rng: Random) -> str:
    if kind in _OTHER:
        names = _OTHER[kind]
        return names[0] if part == "fit" else names[1]
    has_han = any("\u4e00" <= char <= "\u9fff" for char in text)
    if has_han:
        hand = [name for name in _HAND[part] if name in ("gkai00mp", "ukai")]
        return rng.choice(hand if style.fonts == "hand" else _HAN[part])
    latin = [name for name in _HAND[part] if "/" in name] if style.fonts == "hand" else _LATIN[part]
    return rng.choice(_MONO[part] if style.fonts == "mono" else latin)


def backgrounds(media: Path, part: str) -> list[Picture]:
    """Return frames without writing, of other clips for each part."""
    import av

    clips = {
        "fit": ("vtest.avi", "intel_bottle.mp4", "sam2_dog.mp4", "bikes.mp4"),
        "report": (
            "meeting_c3.webm",
            "sam2_coffee.mp4",
            "TUD-Campus.avi",
            "bbb_480p.mp4",
            "TUD-Stadtmitte.avi",
        ),
    }[part]
    found: list[Picture] = []
    for clip in clips:
        with av.open(str(media / "videos" / clip)) as file:
            frames = [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]
        found += [
            np.asarray(frames[round(at * (len(frames) - 1))], np.uint8) for at in (0.1, 0.35, 0.6, 0.85)
        ]
    photographs = sorted((media / "images").glob("*.jpg"))[0 if part == "fit" else 1 :: 2]
    return found + [_opened(path) for path in photographs]


def _opened(path: Path) -> Picture:
    return cv2.cvtColor(np.asarray(cv2.imread(str(path)), np.uint8), cv2.COLOR_BGR2RGB).astype(np.uint8)


def _ink(text: str, font_name: str, height: float, stacked: bool) -> tuple[Picture, int]:
    """Return the writing as a mask, drawn large, and the width of a stroke's outline."""
    big = round(height * _SAMPLE)
    probe = _font(font_name, 200)
    box = probe.getbbox("国" if any(ord(char) > 0x2E00 for char in text) else "H")
    if box[3] - box[1] < 60:
        box = probe.getbbox(text)  # A font without capitals.
    size = max(round(200 * big / max(box[3] - box[1], 1)), 6)
    font = _font(font_name, size)
    shown = "\n".join(text) if stacked else text
    canvas = Image.new("L", (10, 10))
    left, top, right, bottom = ImageDraw.Draw(canvas).multiline_textbbox(
        (0, 0), shown, font=font, spacing=size // 8
    )
    pad = big // 3
    canvas = Image.new("L", (round(right - left) + 2 * pad, round(bottom - top) + 2 * pad))
    ImageDraw.Draw(canvas).multiline_text(
        (pad - left, pad - top), shown, fill=255, font=font, spacing=size // 8
    )
    return np.asarray(canvas, np.uint8), pad


def _colours(
    paint: str, under: float, rng: Random
) -> tuple[NDArray[np.float32], NDArray[np.float32] | None, bool]:
    """Return the colour of the ink, of a panel or None, and whether the ink has an outline."""

    def shade(low: int, high: int) -> NDArray[np.float32]:
        base = rng.randint(low, high)
        tint = [base + rng.randint(-25, 25) for _ in range(3)]
        return np.asarray(np.clip(tint, 0, 255), np.float32)

    if paint == "panel":
        return (
            (shade(0, 70), shade(185, 250), False)
            if rng.random() < 0.6
            else (shade(215, 255), shade(20, 120), False)
        )
    if paint == "dark panel":
        return shade(200, 255), shade(0, 60), False
    if paint == "plate":
        choice = rng.choice(((255, (20, 50, 160)), (20, (240, 240, 235)), (10, (235, 190, 30))))
        return np.full(3, choice[0], np.float32), np.array(choice[1], np.float32), False
    if paint == "outline":
        return np.array(rng.choice(((255, 255, 255), (255, 240, 60))), np.float32), None, True
    if paint == "overlay":
        return np.full(3, 255, np.float32), None, rng.random() < 0.5
    if paint == "faint":
        step = rng.choice((-1, 1)) * rng.randint(28, 45)
        return np.full(3, np.clip(120 + step, 0, 255), np.float32), np.full(3, 120, np.float32), False
    return (shade(0, 40) if under > 120 else shade(215, 255)), None, rng.random() < 0.3


def _bend(mask: Picture, amount: float) -> Picture:
    """Return the writing bent around an upright cylinder seen from a little above."""
    height, width = mask.shape
    sag = amount * height
    tall = np.zeros((height + round(sag) + 1, width), np.uint8)
    xs = np.arange(width)
    drop = sag * (1 - ((xs - width / 2) / (width / 2)) ** 2)
    ys = np.arange(tall.shape[0])[:, None] - drop[None]
    # Towards the sides of a cylinder everything narrows.
    turned = width / 2 + width / 2 * np.arcsin(
        np.clip((xs - width / 2) / (width / 2), -1, 1) * 0.92
    ) / np.arcsin(0.92)
    maps = np.broadcast_to(turned[None], ys.shape).astype(np.float32), ys.astype(np.float32)
    return np.asarray(cv2.remap(mask, *maps, cv2.INTER_LINEAR), np.uint8)


def _corners(
    style: Style, size: tuple[int, int], frame: tuple[int, int], rng: Random
) -> NDArray[np.float32] | None:
    """Return where the four corners of a piece of writing come to lie in the picture."""
    width, height = size
    angle = np.deg2rad(rng.choice(style.angle))
    half = np.array([[-width, -height], [width, -height], [width, height], [-width, height]], np.float32) / 2
    if style.perspective:
        side = rng.choice((0, 1))
        shrink = 1 - rng.uniform(0.4, 1.0) * style.perspective
        far = [0, 3] if side == 0 else [1, 2]
        half[far, 1] *= shrink
        half[:, 0] *= 1 - 0.6 * style.perspective * rng.random()
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]], np.float32)
    quad = half @ turn
    low, high = quad.min(axis=0), quad.max(axis=0)
    room = np.array(frame) - (high - low) - 8
    if (room < 0).any():
        return None
    spot = np.array([rng.random(), rng.random()]) * room + 4
    if style.at == "bottom":
        spot = np.array([room[0] / 2, room[1] * rng.uniform(0.88, 0.99)])
    elif style.at == "corner":
        spot = np.array([rng.choice((0.02, 0.98)), rng.choice((0.02, 0.98))]) * room + 4
    return np.asarray(quad - low + spot, np.float32)


def _paste(
    picture: Picture, style: Style, mask: Picture, corners: NDArray[np.float32], rng: Random
) -> Picture:
    height, width = picture.shape[:2]
    rows, columns = mask.shape
    source = np.array([[0, 0], [columns, 0], [columns, rows], [0, rows]], np.float32)
    # Shrinking by warping alone would alias.
    matrix = cv2.getPerspectiveTransform(source, corners * _SAMPLE)
    low = np.maximum(np.floor(corners.min(axis=0)) - 4, 0).astype(int)
    high = np.minimum(np.ceil(corners.max(axis=0)) + 4, [width, height]).astype(int)
    size = high - low
    move = np.array([[1, 0, -low[0] * _SAMPLE], [0, 1, -low[1] * _SAMPLE], [0, 0, 1]], np.float32)

    def warped(layer: Picture) -> NDArray[np.float32]:
        big = cv2.warpPerspective(
            layer, move @ matrix, tuple(int(x) for x in size * _SAMPLE), flags=cv2.INTER_LINEAR
        )
        small = cv2.resize(big, tuple(int(x) for x in size), interpolation=cv2.INTER_AREA)
        return np.asarray(small[..., None] / 255, np.float32)

    part = picture[low[1] : high[1], low[0] : high[0]].astype(np.float32)
    ink, panel, outlined = _colours(style.paint, float(part.mean()), rng)
    if panel is not None:
        plain = warped(np.full_like(mask, 255))
        part = part * (1 - plain) + panel * plain
    if outlined:
        reach = max(round(rows / 14), 2) | 1
        rim = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach)))
        edge = warped(np.asarray(rim, np.uint8))
        dark = np.zeros(3, np.float32) if ink.mean() > 120 else np.full(3, 255, np.float32)
        part = part * (1 - edge) + dark * edge
    alpha = warped(mask)
    result = picture.copy()
    result[low[1] : high[1], low[0] : high[0]] = np.clip(part * (1 - alpha) + ink * alpha, 0, 255).astype(
        np.uint8
    )
    return result


def _degrade(picture: Picture, style: Style, rng: Random) -> Picture:
    if style.blur:
        length = rng.randint(5, style.blur)
        kernel = np.zeros((length, length), np.float32)
        kernel[length // 2] = 1 / length
        turn = cv2.getRotationMatrix2D((length / 2 - 0.5, length / 2 - 0.5), rng.uniform(0, 180), 1)
        kernel = np.asarray(cv2.warpAffine(kernel, turn, (length, length)), np.float32)
        picture = np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()), np.uint8)
    if style.noise:
        grain = np.random.default_rng(rng.randint(0, 1 << 30)).normal(0, style.noise, picture.shape)
        picture = np.clip(picture + grain, 0, 255).astype(np.uint8)
    _, packed = cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, style.quality])
    back = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    return np.ascontiguousarray(back[..., ::-1])


def _framed(picture: Picture, tall: int) -> Picture:
    wide = tall * 16 // 9
    height, width = picture.shape[:2]
    scale = max(wide / width, tall / height)
    sized = cv2.resize(
        picture, (round(width * scale) + 1, round(height * scale) + 1), interpolation=cv2.INTER_CUBIC
    )
    return np.ascontiguousarray(sized[:tall, :wide])


def _scene(name: str, style: Style, part: str, behind: Picture, rng: Random) -> Scene:
    picture = _framed(behind, style.tall)
    kind = rng.choice(style.kinds)
    kinds = kind.split("+")
    placed: list[Placed] = []
    for one in kinds:
        for _ in range(40):
            text = write(one, rng)
            mask, _ = _ink(
                text, _font_name(style, one, text, part, rng), rng.randint(*style.height), style.stacked
            )
            mask = _bend(mask, style.curve) if style.curve else mask
            size = mask.shape[1] // _SAMPLE, mask.shape[0] // _SAMPLE
            corners = _corners(style, size, (picture.shape[1], picture.shape[0]), rng)
            if corners is None:
                continue
            if placed:
                # A second line stands below the first.
                room = placed[0].corners[:, 1].max() - corners[:, 1].min() - size[1] * 0.35
                corners[:, 1] += room
            elif len(kinds) > 1:
                corners[:, 1] -= size[1] * 1.1
            break
        else:
            raise ValueError(f"no room for {name}")
        picture = _paste(picture, style, mask, corners, rng)
        placed.append(Placed(text, corners))
    return Scene(name, _degrade(picture, style, rng), tuple(placed))


def scenes(name: str, part: str, behind: list[Picture], number: int) -> Iterator[Scene]:
    """Yield scenes of one condition; the same every time."""
    style = CONDITIONS[name]
    for index in range(number):
        rng = Random(f"{name}/{part}/{index}")
        kinds = (style.kinds[index % len(style.kinds)],)
        yield _scene(name, replace(style, kinds=kinds), part, behind[(index * 7) % len(behind)], rng)
