"""Answers about an entity: every aspect in both languages, with a confidence that follows the evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vidence.language.question import read_question
from vidence.queries.entities.answers import CANNOT_TELL, StateAnswer, answer_state, cannot_tell
from vidence.queries.entities.facts import EntityFacts, OtherObject
from vidence.schema.perception import BodyPose, Box, Keypoint

PERSON = EntityFacts(
    "person",
    Box(0.7, 0.05, 0.2, 0.2),
    0.8,
    True,
    {"clothing_color": "red and white", "size": "small"},
    None,
    1.0,
)
DRESSED = replace(
    PERSON, attributes={"clothing_color": "red", "pattern": "striped", "tie": "tie", "headwear": "none"}
)
DOG = replace(PERSON, category="dog", attributes={"color": "black", "size": "large"})


def _told(question: str, facts: EntityFacts = PERSON) -> StateAnswer:
    return answer_state(read_question(question).state, facts)


@pytest.mark.parametrize(
    ("question", "facts", "expected"),
    [
        ("What colour is the dog?", DOG, "The dog is black."),
        ("狗是什么颜色的？", DOG, "狗是黑色的。"),
        ("What is she wearing?", PERSON, "The person is wearing red and white on the upper body."),
        ("她穿什么颜色的衣服？", PERSON, "此人的衣服，上身是红色和白色。"),
        (
            "What is she wearing?",
            DRESSED,
            "The person is wearing red on the upper body, striped clothes and a tie.",
        ),
        ("What colour are her clothes?", DRESSED, "The person is wearing red on the upper body."),
        ("她穿着什么？", DRESSED, "此人的衣服，上身是红色，衣服有条纹，系着领带。"),
        ("Where is the dog?", DOG, "The dog is in the upper right of the picture."),
        ("狗在哪里？", DOG, "狗在画面的右侧上方。"),
        ("How big is the dog?", DOG, "The dog looks large in the picture: its box covers 4 % of it."),
        ("这只狗的大小是多少？", DOG, "狗在画面中显得较大，约占画面的 4%。"),
        ("What animal is it?", DOG, "It is a dog."),
        ("What is this?", replace(DOG, category="umbrella"), "It is an umbrella."),
        ("这是什么？", DOG, "这是狗。"),
        ("这是什么？", PERSON, "这是人。"),
    ],
)
def test_an_aspect_is_told_in_the_language_of_the_question(
    question: str, facts: EntityFacts, expected: str
) -> None:
    assert _told(question, facts).text == expected


@pytest.mark.parametrize(
    ("x", "y", "english", "chinese"),
    [
        (0.0, 0.0, "in the upper left", "左侧上方"),
        (0.4, 0.4, "in the center", "中间"),
        (0.8, 0.8, "in the lower right", "右侧下方"),
        (0.0, 0.4, "in the middle left", "左侧"),
        (0.4, 0.8, "in the lower center", "中间下方"),
    ],
)
def test_the_picture_has_nine_places(x: float, y: float, english: str, chinese: str) -> None:
    facts = replace(DOG, box=Box(x, y, 0.2, 0.2))
    assert _told("Where is the dog?", facts).text == f"The dog is {english} of the picture."
    assert _told("狗在哪里？", facts).text == f"狗在画面的{chinese}。"


@pytest.mark.parametrize(
    ("question", "lead"),
    [
        ("Is he wearing red?", "Yes. "),
        ("Is he wearing white?", "Yes. "),
        ("Is he wearing blue?", "No. "),
        ("他穿的是红色的衣服吗？", "是的，"),
        ("他穿的是蓝色的衣服吗？", "不是，"),
    ],
)
def test_a_colour_that_was_named_is_confirmed_or_denied(question: str, lead: str) -> None:
    assert _told(question).text.startswith(lead)


def _near(*names: str, confidence: float = 0.7) -> EntityFacts:
    others = tuple(
        OtherObject(name, confidence, Box(0.6, 0.1, 0.1, 0.1), 0.01 * n) for n, name in enumerate(names)
    )
    return replace(DOG, others=others)


def test_what_is_near_is_listed_once_each_the_nearest_first() -> None:
    facts = _near("umbrella", "chair", "umbrella")
    assert _told("What is near the dog?", facts).text == "The dog is near an umbrella and a chair."
    assert _told("狗旁边有什么？", facts).text == "狗旁边有雨伞、椅子。"


def test_nearness_is_as_sure_as_the_least_sure_neighbour() -> None:
    assert _told("What is near the dog?", _near("chair", confidence=0.4)).confidence == 0.4
    assert _told("What is near the dog?", _near("chair", confidence=0.99)).confidence == 0.85


def test_nothing_nearby_is_an_answer_of_little_confidence() -> None:
    told = _told("What is near the dog?", DOG)
    assert told == StateAnswer("No object was recognised near the dog.", 0.4)


def test_at_most_two_held_objects_are_named() -> None:
    others = tuple(
        OtherObject(name, sure, Box(0.75, 0.1, 0.05, 0.05), 0.0)
        for name, sure in (("cup", 0.5), ("book", 0.7), ("cell phone", 0.6))
    )
    told = _told("What is he holding?", replace(PERSON, others=others))
    assert told == StateAnswer("The person seems to be holding a book and a cell phone.", 0.63)


@pytest.mark.parametrize(
    ("acts", "english", "chinese"),
    [("walking", "walking", "走路"), ("raising_hand", "raising hand", "举手"), ("waving", "waving", "挥手")],
)
def test_an_action_is_named(acts: str, english: str, chinese: str) -> None:
    facts = replace(PERSON, acts=acts)
    assert _told("What is he doing?", facts).text == f"The person is {english}."
    assert _told("他在做什么？", facts).text == f"此人正在{chinese}。"


def test_what_a_thing_does_is_how_it_moves() -> None:
    facts = replace(DOG, moves="approaching camera")
    assert _told("What is the dog doing?", facts).text == "The dog is approaching camera."
    assert _told("What is he doing?", replace(PERSON, moves="approaching camera")).confidence == CANNOT_TELL


def test_a_face_is_told_with_the_limits_of_what_it_means() -> None:
    pose = BodyPose((Keypoint("nose", 0.8, 0.1, 0.9), Keypoint("left_ear", 0.78, 0.1, 0.9)))
    told = _told("Where is she looking?", replace(PERSON, pose=pose))
    assert told.text == "The person's face is turned to the right; what they look at cannot be told."
    assert told.confidence == 0.5


def test_a_box_from_the_track_alone_makes_an_answer_less_sure() -> None:
    seen, tracked = (_told("Where is the dog?", replace(DOG, seen=seen)).confidence for seen in (True, False))
    assert (seen, tracked) == pytest.approx((0.81, 0.567))


def test_a_surer_detection_makes_a_surer_answer() -> None:
    low, high = (_told("Where is it?", replace(DOG, confidence=sure)).confidence for sure in (0.2, 1.0))
    assert low < high == 0.9


@pytest.mark.parametrize(
    ("question", "facts", "expected"),
    [
        ("What colour is it?", replace(DOG, attributes={}), "Cannot tell: no colour could be measured here."),
        ("它是什么颜色？", replace(DOG, attributes={}), "无法判断：这里测不出颜色。"),
        ("What is he holding?", PERSON, "Cannot tell: no object was recognised in the hands."),
        ("他手里拿着什么？", PERSON, "无法判断：手中没有识别出物体。"),
        ("What is he doing?", PERSON, "Cannot tell: no action was recognised at this time."),
        ("Where is he looking?", PERSON, "Cannot tell: the face is not visible enough."),
    ],
)
def test_what_was_not_measured_is_refused_with_its_reason(
    question: str, facts: EntityFacts, expected: str
) -> None:
    assert _told(question, facts) == StateAnswer(expected, CANNOT_TELL)


def test_an_aspect_without_its_own_refusal_gets_the_general_one() -> None:
    assert cannot_tell("en", "motion") == cannot_tell("en")
    assert cannot_tell("zh").text.startswith("无法判断")
    assert cannot_tell("en").confidence == CANNOT_TELL
