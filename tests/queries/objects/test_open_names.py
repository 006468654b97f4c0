"""Looking for things by name: lists of names, and drawn pictures of plain things."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.app import open_workspace
from vidence.models.shelf import ModelShelf
from vidence.queries.objects.open_names import find_names, listed_names
from vidence.schema.perception import Box, Detection, Rgb


def test_lists_are_split_in_either_language() -> None:
    assert listed_names("a kettle, jug or bottle") == ["kettle", "jug", "bottle"]
    assert listed_names("水壶、杯子或瓶子") == ["水壶", "杯子", "瓶子"]
    assert listed_names("the tripod") == ["tripod"]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> ModelShelf:
    with open_workspace(home=tmp_path_factory.mktemp("names")) as workspace:
        return workspace.indexer.shelf


@pytest.fixture(scope="module")
def picture() -> Rgb:
    noise = np.random.default_rng(7).integers(90, 120, (120, 160, 3))
    return np.asarray(noise, np.uint8)


@pytest.mark.slow
def test_every_name_is_weighed_and_none_is_sure_in_an_empty_picture(shelf: ModelShelf, picture: Rgb) -> None:
    found = find_names(picture, ["kettle", "tripod", "deer"], shelf)
    assert {one.category for one in found} == {"kettle", "tripod", "deer"}
    assert [one.confidence for one in found] == sorted((one.confidence for one in found), reverse=True)
    assert all(0 <= one.confidence < 0.6 for one in found)


@pytest.mark.slow
def test_what_the_detector_saw_lends_its_box(shelf: ModelShelf, picture: Rgb) -> None:
    box = Box(0.2, 0.2, 0.4, 0.5)
    with_box = find_names(picture, ["dog", "deer"], shelf, detected=[Detection("dog", 0.9, box)])
    without = find_names(picture, ["dog", "deer"], shelf)
    dog = next(one for one in with_box if one.category == "dog")
    assert dog.box == box
    assert dog.confidence > next(one for one in without if one.category == "dog").confidence
