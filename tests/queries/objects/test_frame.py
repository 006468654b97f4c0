"""The objects of real frames: each told once, nothing made up of specks."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from vidence.app import open_workspace
from vidence.errors import BackendError
from vidence.media import open_video
from vidence.queries.objects.frame import FrameObjects


@pytest.fixture(scope="module")
def street(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> FrameObjects:
    with open_workspace(home=tmp_path_factory.mktemp("street")) as workspace:
        shelf = workspace.indexer.shelf
    try:
        shelf.get("objects")
    except BackendError as exc:
        pytest.skip(f"no model for objects: {exc}")
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
