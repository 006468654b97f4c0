"""What a part is about, where it is, and how the camera moves."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, prove, thing
from tests.embedded.recipes.told import Told
from vidence.ops.get_scene_attributes import GetSceneAttributesResult
from vidence.schema.agent import OperationCall


def _camera(*motions: str) -> Told:
    """Return a world whose camera moves so, one motion after the other."""
    return _Moving(motions)


class _Moving(Told):
    def __init__(self, motions: tuple[str, ...]) -> None:
        super().__init__()
        self._motions = motions

    def __call__(self, call: OperationCall) -> BaseModel | None:
        if call.operation != "get_scene_attributes":
            return super().__call__(call)
        share = call.arguments["timestamp"] / 20
        motion = self._motions[int(share * len(self._motions))]
        return GetSceneAttributesResult(camera_motion=motion)


@pytest.mark.parametrize(
    ("question", "motions", "answer"),
    [
        ("How does the camera move?", ("zoom_in",), "Moving (zoom in)"),
        ("How does the camera move?", ("static",), "Static"),
        ("Is the camera moving?", ("zoom_in",), "Yes: moving (zoom in)"),
        ("Is the camera static?", ("zoom_in",), "No: moving (zoom in)"),
        ("Is the camera static?", ("static",), "Yes: static"),
        ("Does the camera zoom?", ("zoom_in",), "Yes: moving (zoom in)"),
        ("Does the camera pan?", ("zoom_in",), "No: moving (zoom in)"),
        ("镜头怎么运动？", ("pan_left",), "在动（向左摇）"),
        ("镜头在动吗？", ("zoom_in",), "是，在动（推近）"),
        ("镜头在动吗？", ("static",), "不是，静止的"),
    ],
)
def test_the_camera_moves_as_the_scenes_say(question: str, motions: tuple[str, ...], answer: str) -> None:
    assert prove(question, _camera(*motions)).answer == answer


def test_the_commonest_motion_wins_and_disagreement_costs_trust() -> None:
    mixed = prove("How does the camera move?", _camera("tilt_up", "tilt_up", "tilt_up", "static", "tilt_up"))
    assert mixed.answer == "Moving (tilt up)"
    assert mixed.probability < prove("How does the camera move?", _camera("tilt_up")).probability


def test_a_camera_mostly_still_is_static() -> None:
    still = _camera("static", "static", "static", "pan_left", "static")
    assert prove("How does the camera move?", still).answer == "Static"


def test_without_attributes_the_camera_cannot_be_told() -> None:
    assert ask("How does the camera move?", Told()).cannot_tell


@pytest.mark.parametrize(
    ("question", "place", "answer"),
    [
        ("Where does the video take place?", "indoor_kitchen", "In a kitchen."),
        ("Where is this filmed?", "outdoor_park", "In a park."),
        ("这是在什么地方？", "indoor_kitchen", "厨房里。"),
    ],
)
def test_the_place_is_named_in_words(question: str, place: str, answer: str) -> None:
    finding = prove(question, Told(scene={"location": place}))
    assert finding.answer == answer
    assert finding.claims[0].citations[0].quote == place


@pytest.mark.parametrize(
    ("x", "height", "answer"),
    [
        (0.1, 0.4, "On the left of the picture."),
        (0.5, 0.4, "In the middle of the picture."),
        (0.9, 0.4, "On the right of the picture."),
    ],
)
def test_a_thing_is_placed_in_the_picture(x: float, height: float, answer: str) -> None:
    dog = Told(objects=[thing("dog", x, height=height)])
    assert prove("Where is the dog in the picture?", dog).answer == answer


def test_a_corner_of_the_picture_has_its_own_words() -> None:
    dog = thing("dog", 0.1)
    high = dog.model_copy(update={"bbox": (0.05, 0.0, 0.1, 0.2)})
    assert prove("Where is the dog in the picture?", Told(objects=[high])).answer.startswith(
        "At the top left"
    )
    low = dog.model_copy(update={"bbox": (0.85, 0.8, 0.1, 0.2)})
    assert prove("Where is the dog in the picture?", Told(objects=[low])).answer.startswith(
        "At the bottom right"
    )


def test_a_thing_that_is_not_seen_is_nowhere() -> None:
    assert ask("Where is the dog in the picture?", Told(scene={"location": "outdoor_park"})).cannot_tell
    assert ask("Where is the cat in the picture?", Told()).cannot_tell
