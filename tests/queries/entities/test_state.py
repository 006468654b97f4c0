"""Questions are understood and answered from facts alone, in their own language."""

from __future__ import annotations

import pytest

from vidence.language.question import read_question
from vidence.queries.entities.answers import CANNOT_TELL, answer_state
from vidence.queries.entities.facts import EntityFacts, OtherObject
from vidence.schema.perception import BodyPose, Box, Keypoint


def _person(**changes: object) -> EntityFacts:
    known = {
        "category": "person",
        "box": Box(0.1, 0.2, 0.2, 0.6),
        "confidence": 0.9,
        "seen": True,
        "attributes": {"clothing_color": "red", "lower_clothing_color": "blue", "size": "medium"},
        "pose": None,
        "aspect": 1.0,
    }
    return EntityFacts(**{**known, **changes})  # type: ignore[arg-type]


def _standing() -> BodyPose:
    places = {"shoulder": 0.3, "hip": 0.5, "knee": 0.65}
    return BodyPose(
        tuple(
            Keypoint(f"{side}_{part}", 0.2, y, 0.9)
            for part, y in places.items()
            for side in ("left", "right")
        )
    )


def test_colours_are_told_in_the_language_of_the_question() -> None:
    told = answer_state(read_question("What colour are her clothes?").state, _person())
    assert told.text == "The person is wearing red on the upper body and blue below the waist."
    assert "红" in answer_state(read_question("她穿什么颜色的衣服？").state, _person()).text


def test_a_yes_or_no_question_gets_one() -> None:
    assert answer_state(read_question("Is she wearing red?").state, _person()).text.startswith("Yes.")
    assert answer_state(read_question("Is she wearing green?").state, _person()).text.startswith("No.")
    standing = _person(pose=_standing())
    assert (
        answer_state(read_question("Is he standing?").state, standing).text == "Yes. The person is standing."
    )
    assert answer_state(read_question("他坐着吗？").state, standing).text == "不是，此人站着。"


@pytest.mark.parametrize(
    "text", ["What expression does she have?", "Is she sitting?", "What is she holding?", "她是什么表情？"]
)
def test_what_was_not_measured_is_said_to_be_unknown(text: str) -> None:
    told = answer_state(read_question(text).state, _person())
    assert told.confidence == CANNOT_TELL < 0.2
    assert told.text.startswith(("Cannot tell", "无法判断"))


def test_a_cup_at_the_hand_is_held_and_a_far_one_is_not() -> None:
    pose = BodyPose((*_standing().keypoints, Keypoint("left_wrist", 0.3, 0.5, 0.9)))
    near = OtherObject("cup", 0.8, Box(0.3, 0.48, 0.04, 0.05), 0.0)
    far = OtherObject("cup", 0.8, Box(0.8, 0.48, 0.04, 0.05), 0.6)
    assert (
        "a cup"
        in answer_state(read_question("What is he holding?").state, _person(pose=pose, others=(near,))).text
    )
    told = answer_state(read_question("What is he holding?").state, _person(pose=pose, others=(far,)))
    assert told.confidence == CANNOT_TELL


def test_a_thing_is_named_and_placed() -> None:
    dog = _person(category="dog", attributes={"color": "white and brown"}, moves="moving left to right")
    assert answer_state(read_question("What colour is it?").state, dog).text == "The dog is white and brown."
    assert answer_state(read_question("狗在做什么？").state, dog).text == "狗正从左向右移动。"
    assert (
        answer_state(read_question("Where is it?").state, dog).text
        == "The dog is in the middle left of the picture."
    )
