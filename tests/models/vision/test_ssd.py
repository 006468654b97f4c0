from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.protocols import Detector, quick_detector
from vidence.models.vision.boxes import is_group, merge_detections
from vidence.models.vision.tiles import TiledDetector
from vidence.schema.perception import Box, Detection, Rgb


@pytest.fixture(scope="module")
def detector(model_cache: ModelCache) -> Detector:
    found: Detector = open_model("objects", model_cache)
    return found


def test_a_cat_is_a_cat(detector: Detector, cat: Rgb) -> None:
    [found] = detector.detect([cat])
    assert found[0].category == "cat"
    assert found[0].confidence > 0.8


def test_recall_on_the_labelled_photographs(
    detector: Detector, shared_media: Path, read_rgb: Callable[[Path], Rgb]
) -> None:
    rows = json.loads((shared_media / "gt" / "detection.json").read_text())["images"]
    wanted = hits = 0
    for row in rows:
        [found] = detector.detect([read_rgb(shared_media / "images" / row["file"])])
        for item in row["objects"]:
            x, y, w, h = item["bbox_xywh"]
            truth = Box(x / row["width"], y / row["height"], w / row["width"], h / row["height"])
            wanted += 1
            hits += any(d.category == item["label"] and d.box.iou(truth) >= 0.5 for d in found)
    assert hits / wanted >= 0.75


def test_results_do_not_depend_on_threads_or_company(
    detector: Detector, model_cache: ModelCache, cat: Rgb, noise: Rgb
) -> None:
    other = open_model("objects", model_cache, threads=2)
    alone, together = detector.detect([cat])[0], other.detect([noise, cat])[1]
    assert [d.category for d in alone] == [d.category for d in together]
    assert alone[0].box.iou(together[0].box) > 0.99


class SquareFinder:
    """Finds one bright square per picture, if it is at least a quarter of the picture wide."""

    model_id = "squares"
    categories: Sequence[str] = ("square",)

    def detect(self, images: Sequence[Rgb]) -> list[list[Detection]]:
        return [self._one(image) for image in images]

    def _one(self, image: Rgb) -> list[Detection]:
        ys, xs = np.nonzero(image[..., 0] > 128)
        height, width = image.shape[:2]
        if xs.size == 0 or np.ptp(xs) < width * 0.25:
            return []
        box = Box.from_corners(
            xs.min() / width, ys.min() / height, (xs.max() + 1) / width, (ys.max() + 1) / height
        )
        return [Detection("square", 0.9, box)]


def test_tiles_find_what_is_too_small_and_report_it_once() -> None:
    image = np.zeros((400, 400, 3), np.uint8)
    image[20:100, 20:100] = 255
    assert SquareFinder().detect([image]) == [[]]
    [[found]] = TiledDetector(SquareFinder(), grid=2).detect([image])
    assert found.box.iou(Box(0.05, 0.05, 0.2, 0.2)) > 0.95


def test_tiles_drop_what_they_cut_through() -> None:
    image = np.zeros((400, 400, 3), np.uint8)
    image[100:300, 100:300] = 255
    [found] = TiledDetector(SquareFinder(), grid=2).detect([image])
    assert len(found) == 1
    assert found[0].box.iou(Box(0.25, 0.25, 0.5, 0.5)) > 0.95


def test_merging_keeps_the_surest_and_lets_neighbours_be() -> None:
    a = Detection("cup", 0.9, Box(0.1, 0.1, 0.2, 0.2))
    same = Detection("cup", 0.5, Box(0.11, 0.1, 0.2, 0.2))
    renamed = Detection("bowl", 0.6, Box(0.1, 0.1, 0.2, 0.2))
    apart = Detection("cup", 0.4, Box(0.6, 0.1, 0.2, 0.2))
    assert merge_detections([apart, renamed, same, a]) == [a, apart]


def test_the_doubted_half_of_an_animal_is_no_second_animal() -> None:
    dog = Detection("dog", 0.9, Box(0.4, 0.5, 0.2, 0.2))
    head = Detection("dog", 0.45, Box(0.34, 0.5, 0.15, 0.18))
    assert merge_detections([head, dog]) == [dog]
    # As sure as that, or a person, it stands behind the first.
    other = Detection("dog", 0.8, head.box)
    assert merge_detections([other, dog]) == [dog, other]
    people = [Detection("person", one.confidence, one.box) for one in (dog, head)]
    assert merge_detections(people) == people


def test_a_box_around_a_group_is_not_one_of_it() -> None:
    left = Detection("clock", 0.9, Box(0.2, 0.3, 0.1, 0.3))
    right = Detection("clock", 0.8, Box(0.35, 0.3, 0.1, 0.3))
    group = Detection("clock", 0.7, Box(0.15, 0.25, 0.4, 0.4))
    assert merge_detections([group, right, left]) == [left, right]
    # Something sure that holds a lesser one is not a group.
    assert not is_group(left, [right])
    small = Detection("clock", 0.6, Box(0.3, 0.35, 0.08, 0.12))
    assert merge_detections([small, group]) == [group, small]


def test_a_box_around_people_who_hide_each_other_is_kept_for_those_who_follow_them() -> None:
    boxes = (Box(0.2, 0.3, 0.1, 0.3), Box(0.35, 0.3, 0.1, 0.3), Box(0.15, 0.25, 0.4, 0.4))
    people = [Detection("person", sure, box) for sure, box in zip((0.9, 0.8, 0.3), boxes, strict=True)]
    assert merge_detections(people) == people
    assert is_group(people[2], people[:2])


def test_the_quick_form_sees_the_same_with_nearly_the_same_scores(detector: Detector, cat: Rgb) -> None:
    quick = quick_detector(detector)
    assert quick is not detector
    [exact], [found] = detector.detect([cat]), quick.detect([cat])
    assert [one.category for one in found] == [one.category for one in exact]
    for one, other in zip(found, exact, strict=True):
        assert one.confidence == pytest.approx(other.confidence, abs=0.03)
        assert one.box.iou(other.box) > 0.9


def test_a_detector_without_a_quick_form_is_its_own(detector: Detector) -> None:
    tiled = TiledDetector(detector)
    assert quick_detector(tiled) is tiled


def test_grain_in_a_large_picture_is_averaged_away(detector: Detector, cat: Rgb) -> None:
    grain = np.random.default_rng(0).normal(0, 90, cat.shape)
    [found] = detector.detect([np.clip(cat + grain, 0, 255).astype(np.uint8)])
    assert found[0].category == "cat"
    assert found[0].confidence > 0.8
