"""Facts about one entity: what it holds, what is near, where it faces."""

from __future__ import annotations

import pytest

from vidence.queries.entities.facts import EntityFacts, OtherObject, has_pose, held, neighbours
from vidence.schema.perception import BodyPose, Box, Keypoint

BODY = Box(0.3, 0.1, 0.2, 0.8)


def _pose(**joints: tuple[float, float]) -> BodyPose:
    return BodyPose(tuple(Keypoint(name, x, y, 0.9) for name, (x, y) in joints.items()))


def _facts(
    *others: OtherObject, pose: BodyPose | None = None, category: str = "person", aspect: float = 1.0
) -> EntityFacts:
    return EntityFacts(category, BODY, 0.9, True, {}, pose, aspect, tuple(others))


def _cup(
    x: float, y: float, *, category: str = "cup", confidence: float = 0.8, size: float = 0.05
) -> OtherObject:
    return OtherObject(category, confidence, Box(x, y, 0.05, 0.05), 0.0)


@pytest.mark.parametrize(
    ("joints", "facing"),
    [
        ({"nose": (0.4, 0.2), "left_ear": (0.42, 0.2), "right_ear": (0.38, 0.2)}, "camera"),
        ({"nose": (0.43, 0.2), "left_ear": (0.42, 0.2), "right_ear": (0.38, 0.2)}, "right"),
        ({"nose": (0.37, 0.2), "left_ear": (0.42, 0.2), "right_ear": (0.38, 0.2)}, "left"),
        ({"nose": (0.4, 0.2), "left_ear": (0.36, 0.2)}, "right"),
        ({"nose": (0.4, 0.2), "right_ear": (0.44, 0.2)}, "left"),
        ({"nose": (0.4, 0.2)}, None),
        ({"left_ear": (0.42, 0.2), "right_ear": (0.38, 0.2)}, None),
    ],
)
def test_the_nose_between_the_ears_tells_where_a_face_is_turned(
    joints: dict[str, tuple[float, float]], facing: str | None
) -> None:
    assert _facts(pose=_pose(**joints)).facing == facing


def test_without_joints_there_is_neither_face_nor_posture() -> None:
    assert _facts().facing is None
    assert _facts().posture is None


def test_a_joint_seen_too_poorly_does_not_count() -> None:
    faint = BodyPose((Keypoint("nose", 0.4, 0.2, 0.1), Keypoint("left_ear", 0.36, 0.2, 0.9)))
    assert _facts(pose=faint).facing is None


def test_the_posture_follows_from_the_joints() -> None:
    joints = {"left_shoulder": (0.4, 0.2), "left_hip": (0.4, 0.5), "left_knee": (0.4, 0.75)}
    assert _facts(pose=_pose(**joints)).posture == "standing"
    assert _facts(pose=_pose(**{**joints, "left_knee": (0.5, 0.55)})).posture == "sitting"


def test_an_object_within_reach_of_a_wrist_is_held() -> None:
    pose = _pose(left_wrist=(0.5, 0.5))
    near, far = _cup(0.55, 0.5), _cup(0.8, 0.5)
    assert held(_facts(near, far, pose=pose)) == [near]


def test_reach_is_measured_in_the_shape_of_the_picture() -> None:
    pose, beside = _pose(right_wrist=(0.5, 0.5)), _cup(0.6, 0.5)
    assert held(_facts(beside, pose=pose, aspect=1.0)) == [beside]
    assert held(_facts(beside, pose=pose, aspect=2.0)) == []


def test_without_wrists_only_what_lies_on_the_body_is_held() -> None:
    inside, beside = _cup(0.4, 0.5), _cup(0.48, 0.5)
    assert held(_facts(inside, beside)) == [inside]


def test_the_surest_held_object_comes_first() -> None:
    cup, phone = _cup(0.4, 0.5, confidence=0.5), _cup(0.35, 0.4, category="cell phone", confidence=0.9)
    assert held(_facts(cup, phone)) == [phone, cup]


def test_nobody_holds_furniture_people_or_things_as_large_as_themselves() -> None:
    chair, child = _cup(0.4, 0.5, category="chair"), _cup(0.4, 0.5, category="person")
    large = OtherObject("umbrella", 0.9, Box(0.3, 0.2, 0.2, 0.5), 0.0)
    assert held(_facts(chair, child, large)) == []


def test_only_people_hold_things() -> None:
    assert held(_facts(_cup(0.4, 0.5), category="dog")) == []


def test_neighbours_are_the_nearest_three() -> None:
    near = [OtherObject("chair", 0.9, Box(0.6, 0.1, 0.1, 0.1), d) for d in (0.2, 0.05, 0.25, 0.1)]
    far = OtherObject("car", 0.9, Box(0.9, 0.1, 0.05, 0.1), 0.26)
    assert [one.distance for one in neighbours(_facts(*near, far))] == [0.05, 0.1, 0.2]


def test_overlapping_boxes_on_the_same_ground_are_neighbours() -> None:
    beside = OtherObject("dog", 0.9, Box(0.45, 0.6, 0.2, 0.3), 0.9)
    behind = OtherObject("car", 0.9, Box(0.45, 0.1, 0.2, 0.3), 0.9)
    assert neighbours(_facts(beside, behind)) == [beside]


@pytest.mark.parametrize(
    ("category", "height", "expected"),
    [("person", 0.5, True), ("person", 0.12, True), ("person", 0.1, False), ("dog", 0.5, False)],
)
def test_joints_are_looked_for_on_people_large_enough(category: str, height: float, expected: bool) -> None:
    assert has_pose(category, Box(0, 0, 0.1, height)) is expected
