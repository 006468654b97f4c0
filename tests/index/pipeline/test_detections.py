"""Two lanes that look at one frame ask the detector once."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np

from vidence.index.pipeline.detections import DetectionCache
from vidence.schema.perception import Box, Detection, Rgb


class CountingDetector:
    """Sees a person in the middle of everything, or in other places, and counts how often it was asked."""

    model_id = "counting"
    categories: Sequence[str] = ("person",)

    def __init__(self, boxes: Sequence[Box] = (Box(0.4, 0.4, 0.2, 0.2),)) -> None:
        self.asked, self._boxes = 0, boxes

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        self.asked += len(images)
        return [[Detection("person", 0.9, box) for box in self._boxes] for _ in images]


IMAGE = np.zeros((72, 128, 3), np.uint8)


def test_lanes_that_look_at_one_frame_at_once_ask_once() -> None:
    detector, start = CountingDetector(), Barrier(8)
    cache = DetectionCache(lambda: detector)

    def look(_: int) -> list[Detection]:
        start.wait()
        return cache.detect(7, IMAGE)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(look, range(8)))
    assert detector.asked == 1
    assert all(answer == answers[0] for answer in answers)


def test_a_closer_look_adds_squares_to_what_is_known() -> None:
    detector = CountingDetector()
    cache = DetectionCache(lambda: detector)
    whole = cache.detect(3, IMAGE)
    close = cache.detect_closely(3, IMAGE)
    assert detector.asked == 3, "the whole picture once, and two squares"
    assert len(close) > len(whole)


def test_a_frame_with_several_small_things_is_looked_at_closely() -> None:
    detector = CountingDetector([Box(0.2 * place, 0.4, 0.05, 0.2) for place in (1, 2, 3)])
    cache = DetectionCache(lambda: detector)
    found = cache.detect_as_needed(3, IMAGE)
    assert detector.asked == 3, "the whole picture once, and two squares"
    assert len(found) > 3
    # What the other lanes see does not depend on which of them came first.
    assert len(cache.detect(3, IMAGE)) == 3
    assert cache.detect_closely(3, IMAGE) == found
    assert detector.asked == 3


def test_two_small_things_call_for_no_closer_look() -> None:
    detector = CountingDetector([Box(0.2 * place, 0.4, 0.05, 0.2) for place in (1, 2)])
    cache = DetectionCache(lambda: detector)
    assert cache.detect_as_needed(3, IMAGE) == cache.detect(3, IMAGE)
    assert detector.asked == 1


def test_with_small_objects_every_look_is_close() -> None:
    detector = CountingDetector()
    cache = DetectionCache(lambda: detector, small_objects=True)
    assert cache.detect(3, IMAGE) == cache.detect_closely(3, IMAGE)
    assert detector.asked == 3


def test_frames_are_told_apart_and_old_ones_forgotten() -> None:
    detector = CountingDetector()
    cache = DetectionCache(lambda: detector)
    for index in range(600):
        cache.detect(index, IMAGE)
    assert detector.asked == 600
    cache.detect(599, IMAGE)
    assert detector.asked == 600
    cache.detect(0, IMAGE)
    assert detector.asked == 601
