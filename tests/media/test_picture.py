"""Pixels come out upright, square and in the right colours, whatever the coded format."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.media.clips import even_ticks, make_clip
from vidence.errors import UserError
from vidence.media import DecodedFrame, open_video

CORNERS = {"red": (200, 30, 30), "green": (30, 160, 30), "blue": (40, 40, 200), "white": (255, 255, 255)}


def cornered(width: int = 96, height: int = 64) -> NDArray[np.uint8]:
    """Red top left, green top right, blue bottom left, white bottom right."""
    image = np.zeros((height, width, 3), dtype=np.uint8)
    image[: height // 2, : width // 2] = CORNERS["red"]
    image[: height // 2, width // 2 :] = CORNERS["green"]
    image[height // 2 :, : width // 2] = CORNERS["blue"]
    image[height // 2 :, width // 2 :] = CORNERS["white"]
    return image


def corners_of(image: NDArray[np.uint8]) -> list[str]:
    """Name the colours of the corners: top left, top right, bottom left, bottom right."""
    height, width = image.shape[:2]
    spots = [
        image[y, x].astype(int) for y in (height // 4, 3 * height // 4) for x in (width // 4, 3 * width // 4)
    ]
    return [
        min(CORNERS, key=lambda name: int(np.abs(np.subtract(spot, CORNERS[name])).sum())) for spot in spots
    ]


def first_picture(path: Path) -> DecodedFrame:
    with open_video(path) as reader:
        return next(reader.frames())


def one_frame(path: Path, size: tuple[int, int] = (96, 64), **options: object) -> DecodedFrame:
    return first_picture(make_clip(path, ticks=[0, 3600], images=[cornered(*size)] * 2, size=size, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("degrees", "mirrored", "expected"),
    [
        (0, False, ["red", "green", "blue", "white"]),
        (-90, False, ["blue", "red", "white", "green"]),
        (180, False, ["white", "blue", "green", "red"]),
        (90, False, ["green", "white", "red", "blue"]),
        (0, True, ["green", "red", "white", "blue"]),
    ],
)
def test_rotation_is_applied(tmp_path: Path, degrees: float, mirrored: bool, expected: list[str]) -> None:
    picture = one_frame(tmp_path / "r.mp4", rotation=degrees, mirrored=mirrored)
    image = picture.rgb()
    assert corners_of(image) == expected
    assert image.shape == (*picture.size[::-1], 3)
    assert image.flags.c_contiguous
    small = picture.rgb(max_side=48)
    assert max(small.shape) == 48
    assert corners_of(small) == expected


@pytest.mark.parametrize(
    ("codec", "pixel_format", "size"),
    [
        ("libx264", "yuv420p", (96, 64)),
        ("libx264", "yuv420p10le", (96, 64)),
        ("libx264", "yuv444p", (97, 65)),
        ("ffv1", "yuv420p", (97, 65)),
        ("ffv1", "yuv422p10le", (95, 63)),
        ("ffv1", "bgr0", (96, 64)),
        ("ffv1", "yuv420p16le", (96, 64)),
        ("mjpeg", "yuvj420p", (97, 65)),
    ],
)
def test_colours_survive_every_format(
    tmp_path: Path, codec: str, pixel_format: str, size: tuple[int, int]
) -> None:
    picture = one_frame(tmp_path / "c.mkv", size, codec=codec, pixel_format=pixel_format, b_frames=0)
    image = picture.rgb()
    assert image.shape == (size[1], size[0], 3)
    assert corners_of(image) == ["red", "green", "blue", "white"]
    for name, (y, x) in zip(CORNERS, [(16, 24), (16, 72), (48, 24), (48, 72)], strict=True):
        assert np.abs(image[y, x].astype(int) - CORNERS[name]).max() <= 12, name


@pytest.mark.parametrize(
    ("codec", "pixel_format"), [("ffv1", "gray"), ("ffv1", "gray10le"), ("libx264", "yuv420p")]
)
def test_grey_spans_black_to_white(tmp_path: Path, codec: str, pixel_format: str) -> None:
    image = np.zeros((64, 96, 3), dtype=np.uint8)
    image[:, 48:] = 255
    path = make_clip(
        tmp_path / "g.mkv", ticks=[0, 3600], images=[image] * 2, codec=codec, pixel_format=pixel_format
    )
    picture = first_picture(path)
    gray, rgb = picture.gray(), picture.rgb()
    assert gray.shape == (64, 96)
    assert gray[32, 10] <= 3
    assert gray[32, 90] >= 252
    assert (rgb[32, 10] <= 3).all()
    assert (rgb[32, 90] >= 252).all()


def test_anamorphic_pixels_come_out_square(tmp_path: Path) -> None:
    picture = one_frame(tmp_path / "w.mp4", aspect=Fraction(4, 3))
    assert picture.size == (128, 64)
    assert picture.rgb().shape == (64, 128, 3)


def test_sizes_are_as_asked(tmp_path: Path) -> None:
    picture = one_frame(tmp_path / "a.mp4")
    assert picture.rgb(max_side=1000).shape == (64, 96, 3)
    assert picture.rgb(max_side=30).shape == (20, 30, 3)
    assert picture.rgb(size=(200, 100)).shape == (100, 200, 3)
    assert picture.gray(size=(7, 5)).shape == (5, 7)
    with pytest.raises(UserError, match="0x5"):
        picture.gray(size=(0, 5))


def test_one_picture_converts_in_many_threads_at_once(tmp_path: Path) -> None:
    picture = one_frame(tmp_path / "a.mp4")
    expected = picture.rgb()
    wrong: list[int] = []

    def convert() -> None:
        for _ in range(100):
            if not np.array_equal(picture.rgb(), expected):
                wrong.append(1)

    threads = [Thread(target=convert) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_frame_of_eight_k_is_read(tmp_path: Path) -> None:
    image = np.full((4320, 7680, 3), 90, dtype=np.uint8)
    path = make_clip(
        tmp_path / "8k.mp4",
        ticks=even_ticks(1),
        images=[image],
        size=(7680, 4320),
        codec="mjpeg",
        pixel_format="yuvj420p",
        b_frames=0,
    )
    assert first_picture(path).rgb(max_side=64).shape == (36, 64, 3)
