"""The objects of real frames: each told once, nothing made up of specks."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest

from vidence.app import open_workspace
from vidence.errors import BackendError
from vidence.media import open_video
from vidence.models.shelf import ModelShelf
from vidence.queries.objects.frame import FrameObjects
from vidence.schema.perception import Rgb


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> ModelShelf:
    with open_workspace(home=tmp_path_factory.mktemp("street")) as workspace:
        found = workspace.indexer.shelf
    try:
        found.get("objects")
    except BackendError as exc:
        pytest.skip(f"no model for objects: {exc}")
    return found


@pytest.fixture(scope="module")
def street(shared_dir: Path, shelf: ModelShelf) -> FrameObjects:
    with open_video(shared_dir / "media" / "videos" / "vtest.avi") as reader:
        [picture] = reader.at([7.9])
    return FrameObjects(picture.time_s, picture.rgb(), shelf)


def test_a_van_is_a_car_or_a_truck_not_both(street: FrameObjects) -> None:
    found = street.find()
    assert all(one.box.iou(other.box) < 0.75 for one, other in combinations(found, 2))
    vehicles = [one for one in found if one.category in ("car", "truck", "bus") and one.confidence >= 0.4]
    # A white van and, behind it at the edge, a blue car.
    assert len(vehicles) == 2
    # Asked for by its other name, the van is still found.
    [truck] = street.find(frozenset({"truck"}))
    assert max(truck.box.iou(one.box) for one in vehicles) > 0.75


def test_specks_on_the_grass_are_no_balls(street: FrameObjects) -> None:
    assert not [one for one in street.find() if one.category == "sports ball" and one.confidence >= 0.4]
    assert len([one for one in street.find() if one.category == "person" and one.confidence >= 0.5]) >= 6


def test_small_things_beside_a_large_one_are_found(shared_dir: Path, shelf: ModelShelf) -> None:
    def read(name: str, size: tuple[int, int]) -> Rgb:
        stored = cv2.imread(str(shared_dir / "media" / "images" / f"{name}_1280.jpg"))
        assert stored is not None
        small = cv2.resize(stored, size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2RGB), np.uint8)

    canvas = np.full((1200, 1600, 3), 120, np.uint8)
    canvas[100:700, 50:850] = read("cat-300572", (800, 600))
    names = ("dog-2785074", "horse-197199", "cow-234835", "car-604019", "puppy-1903313", "apple-256261")
    for place, name in enumerate(names):
        top, left = (20 + 290 * (place // 2), 900 + 340 * (place % 2))
        canvas[top : top + 255, left : left + 330] = read(name, (330, 255))
    found = FrameObjects(0.0, canvas, shelf).find()
    assert {"cat", "dog", "car", "cow"} <= {one.category for one in found if one.confidence >= 0.9}
