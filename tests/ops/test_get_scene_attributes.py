"""get_scene_attributes on the sample film, whose camera moves are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from vidence.app import Workspace
from vidence.errors import OpRetry
from vidence.ops.docs import operation_page
from vidence.ops.get_scene_attributes import ATTRIBUTES, OPERATION

TOLD = {"zoom in": "zoom", "zoom out": "zoom", "pan left": "pan", "pan right": "pan", "tilt up": "tilt"}


@pytest.fixture
def tell(film: Workspace, film_id: str, needs_models: Callable[..., None]) -> Callable[..., dict[str, Any]]:
    needs_models("objects", "image_labels", "pose")

    def call(timestamp: float, *attributes: str) -> dict[str, Any]:
        asked = {"attributes": list(attributes)} if attributes else {}
        arguments = {"video_id": film_id, "timestamp": timestamp, **asked}
        dumped: dict[str, Any] = film.run("get_scene_attributes", arguments).result.model_dump(mode="json")
        return dumped

    return call


def test_all_six_come_when_none_is_named(tell: Callable[..., dict[str, Any]]) -> None:
    assert set(tell(39.7)) == set(ATTRIBUTES)


def test_only_what_is_asked_comes_and_is_served_so_again(tell: Callable[..., dict[str, Any]]) -> None:
    first = tell(39.7, "camera_motion", "weather")
    assert set(first) == {"camera_motion", "weather"}
    assert tell(39.7, "camera_motion", "weather") == first


def test_camera_moves_are_told(tell: Callable[..., dict[str, Any]], truth: dict[str, Any]) -> None:
    wrong = []
    for shot in truth["shots"]:
        expected = TOLD.get(shot["camera_motion"], shot["camera_motion"])
        got = tell((shot["start"] + shot["end"]) / 2, "camera_motion")["camera_motion"]
        if got != expected:
            wrong.append((shot["id"], expected, got))
    assert len(wrong) <= 1, wrong


def test_a_meadow_is_outdoors_by_day(tell: Callable[..., dict[str, Any]]) -> None:
    told = tell(39.7)
    assert told["location"].startswith("outdoor")
    assert told["time_of_day"] == "daytime"
    assert told["lighting"] == "natural_bright"


def test_what_cannot_be_known_is_null(tell: Callable[..., dict[str, Any]]) -> None:
    told = tell(45.4)
    assert told["weather"] is None
    assert told["time_of_day"] is None


def test_the_docs_page_lists_the_fields() -> None:
    page = operation_page(OPERATION)
    for name in ATTRIBUTES:
        assert f"`{name}`" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"timestamp": 99}, ["timestamp is 99", "54.6"]),
        ({"timestamp": 1, "attributes": ["lightning"]}, ["'lightning'", "did you mean 'lighting'"]),
        ({"timestamp": 1, "attributes": ["zzz"]}, ["Known: location, lighting"]),
        ({"timestamp": 1, "attributes": []}, ["attributes"]),
        ({"timestamp": 1, "attributes": "weather"}, ["attributes is 'weather'", "valid list"]),
    ],
)
def test_a_mistake_is_explained(
    film: Workspace, film_id: str, arguments: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(OpRetry) as caught:
        film.run("get_scene_attributes", {"video_id": film_id, **arguments})
    for word in words:
        assert word in str(caught.value)
