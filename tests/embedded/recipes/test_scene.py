"""Where a part is, which way a thing goes, and how the camera moves."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, prove, seen, shots, thing
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


def crossing(call: OperationCall) -> BaseModel | None:
    """A horse crosses the picture to the right between 4 and 12 s."""
    if call.operation == "get_temporal_structure":
        return shots(0.0)
    if call.operation != "detect_objects":
        return hits(call.arguments["query"])
    at = call.arguments["timestamp"]
    return seen(call, [thing("horse", 0.2 + 0.06 * (at - 4))] if 4 <= at <= 12 else [])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("In which direction does the horse walk?", "To the right"),
        ("Which way does the horse go?", "To the right"),
        ("马往哪边走？", "向右"),
        ("马朝哪个方向走？", "向右"),
    ],
)
def test_the_way_is_told_from_the_places(question: str, answer: str) -> None:
    assert ask(question, crossing).answer.startswith(answer)


def test_what_is_not_seen_goes_nowhere() -> None:
    assert ask(
        "Which way does the cow go?",
        lambda call: seen(call, []) if call.operation == "detect_objects" else hits("cow"),
    ).cannot_tell


@pytest.mark.parametrize(
    ("places", "grows", "answer"),
    [
        ((0.8, 0.2), 1.0, "To the left"),
        ((0.5, 0.52), 1.0, "It hardly moves in the picture"),
        ((0.5, 0.5), 2.0, "Towards the camera"),
        ((0.5, 0.5), 0.4, "Away from the camera"),
    ],
)
def test_the_direction_follows_place_and_size(places: tuple[float, float], grows: float, answer: str) -> None:
    def moving(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return hits(call.arguments.get("query", ""))
        share = call.arguments["timestamp"] / 20
        x = places[0] + (places[1] - places[0]) * share
        return seen(call, [thing("horse", x, height=0.3 * (1 + (grows - 1) * share))])

    assert prove("Which way does the horse go?", moving).answer.startswith(answer)


def test_among_several_the_direction_is_less_sure() -> None:
    def herd(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return hits(call.arguments.get("query", ""))
        x = 0.1 + 0.03 * call.arguments["timestamp"]
        return seen(call, [thing("horse", x), thing("horse", x + 0.2)])

    assert (
        prove("Which way does the horse go?", herd).probability
        < prove("Which way does the horse go?", crossing).probability
    )
