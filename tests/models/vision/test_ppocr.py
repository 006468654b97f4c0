from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.protocols import OcrReader
from vidence.schema.perception import Rgb


@pytest.fixture(scope="module")
def reader(model_cache: ModelCache) -> OcrReader:
    found: OcrReader = open_model("ocr", model_cache)
    return found


def slide(*rows: tuple[str, int, int]) -> Rgb:
    image = np.full((480, 854, 3), 240, np.uint8)
    for text, x, y in rows:
        cv2.putText(image, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (20, 20, 60), 2, cv2.LINE_AA)
    return image


def test_lines_come_in_reading_order(reader: OcrReader) -> None:
    [lines] = reader.read([slide(("Second row", 60, 300), ("right", 560, 120), ("First", 60, 120))])
    assert [line.text for line in lines] == ["First", "right", "Second row"]
    assert all(line.confidence > 0.9 for line in lines)


def test_boxes_lie_on_the_text(reader: OcrReader) -> None:
    [[line]] = reader.read([slide(("Vidence 2026", 300, 240))])
    assert line.box.x == pytest.approx(300 / 854, abs=0.03)
    assert line.box.y < 240 / 480 < line.box.y + line.box.h + 0.02


def test_a_turned_line_is_still_read(reader: OcrReader) -> None:
    matrix = cv2.getRotationMatrix2D((427, 240), 12, 1)
    turned = cv2.warpAffine(
        slide(("tilted words", 260, 240)), matrix, (854, 480), borderValue=(240, 240, 240)
    )
    [[line]] = reader.read([np.asarray(turned, np.uint8)])
    assert line.text == "tilted words"


def test_a_picture_without_text_has_none(reader: OcrReader, cat: Rgb, noise: Rgb) -> None:
    assert reader.read([cat, noise, np.zeros((8, 8, 3), np.uint8)]) == [[], [], []]


def test_a_photograph_of_text_survives_compression(reader: OcrReader) -> None:
    image = slide(("Exit 24", 300, 200))
    _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 30])
    [[line]] = reader.read([np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)])
    assert line.text == "Exit 24"


def test_many_pictures_keep_their_places(reader: OcrReader) -> None:
    make: Callable[[str], Rgb] = lambda word: slide((word, 200, 200))  # noqa: E731
    found = reader.read([make("alpha"), make("beta"), make("gamma")])
    assert [lines[0].text for lines in found] == ["alpha", "beta", "gamma"]


def test_a_line_upside_down_or_running_up_is_read(reader: OcrReader) -> None:
    straight = slide(("Harbour Street", 200, 240))
    for turn in (cv2.ROTATE_180, cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_90_COUNTERCLOCKWISE):
        [[line]] = reader.read([np.asarray(cv2.rotate(straight, turn), np.uint8)])
        assert line.text == "Harbour Street"


def test_small_letters_far_apart_in_a_large_picture_are_read(reader: OcrReader) -> None:
    image = np.full((1080, 1920, 3), 90, np.uint8)
    for text, at in (("2022-02-01 18:26:51", (20, 40)), ("CAM 12", (1780, 1060))):
        cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6, (250, 250, 250), 1, cv2.LINE_AA)
    [lines] = reader.read([image])
    assert [line.text for line in lines] == ["2022-02-01 18:26:51", "CAM 12"]


def test_a_wide_gap_between_words_stays_one(reader: OcrReader) -> None:
    [lines] = reader.read([slide(("AT 7 PM", 80, 120), ("Row 12 Seat 4", 80, 300))])
    assert [line.text for line in lines] == ["AT 7 PM", "Row 12 Seat 4"]
