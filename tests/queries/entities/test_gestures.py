"""Joints show an embrace and where a face is turned, or honestly nothing."""

from __future__ import annotations

from vidence.queries.entities.gestures import is_hugging, looks_at
from vidence.schema.perception import BodyPose, Box, Keypoint


def body(x: float, **hands: tuple[float, float]) -> BodyPose:
    """Return a standing person around x; `hands` places more joints."""
    joints = {
        "left_shoulder": (x + 0.05, 0.3),
        "right_shoulder": (x - 0.05, 0.3),
        "left_hip": (x + 0.04, 0.6),
        "right_hip": (x - 0.04, 0.6),
        **hands,
    }
    return BodyPose(tuple(Keypoint(name, *place, 0.9) for name, place in joints.items()))


def test_two_people_with_their_arms_around_each_other_hug() -> None:
    first = body(0.45, right_wrist=(0.53, 0.4), left_wrist=(0.5, 0.45))
    second = body(0.53, left_wrist=(0.44, 0.4))
    assert is_hugging(first, second, aspect=1.0) is True


def test_people_side_by_side_do_not_hug() -> None:
    hanging = {"left_wrist": (0.1, 0.65), "right_wrist": (0.05, 0.65)}
    assert is_hugging(body(0.3, **hanging), body(0.6, left_wrist=(0.66, 0.65)), aspect=1.0) is False


def test_an_embrace_without_visible_arms_cannot_be_told() -> None:
    assert is_hugging(body(0.45), body(0.5), aspect=1.0) is None
    assert is_hugging(BodyPose(()), body(0.5), aspect=1.0) is None


def test_a_face_in_profile_looks_at_what_is_before_it() -> None:
    profile = body(0.3, nose=(0.33, 0.2), left_ear=(0.28, 0.2))
    assert looks_at(profile, Box(0.6, 0.2, 0.2, 0.5), aspect=1.0) is True
    assert looks_at(profile, Box(0.0, 0.2, 0.1, 0.5), aspect=1.0) is False
    assert looks_at(profile, Box(0.34, 0.8, 0.05, 0.1), aspect=1.0) is False


def test_a_turned_head_with_both_ears_looks_to_its_side() -> None:
    turned = body(0.3, nose=(0.32, 0.2), left_ear=(0.33, 0.2), right_ear=(0.27, 0.2))
    assert looks_at(turned, Box(0.6, 0.2, 0.2, 0.5), aspect=1.0) is True


def test_where_a_face_to_the_camera_or_the_back_of_a_head_looks_cannot_be_told() -> None:
    frontal = body(0.3, nose=(0.3, 0.2), left_ear=(0.33, 0.2), right_ear=(0.27, 0.2))
    assert looks_at(frontal, Box(0.6, 0.2, 0.2, 0.5), aspect=1.0) is None
    assert looks_at(body(0.3), Box(0.6, 0.2, 0.2, 0.5), aspect=1.0) is None
