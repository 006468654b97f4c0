"""Boxes: geometry in fractions of the picture."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.schema.perception import BodyPose, Box, Keypoint


def test_corners_outside_the_picture_are_cut_off() -> None:
    assert Box.from_corners(-0.2, 0.1, 1.4, 0.6) == Box(0.0, 0.1, 1.0, 0.5)
    assert Box.from_corners(0.5, 0.5, 0.2, 0.2).area == 0, "a box is never turned inside out"


def test_overlap_and_iou() -> None:
    one, other = Box(0, 0, 0.4, 0.4), Box(0.2, 0.2, 0.4, 0.4)
    assert one.overlap(other) == pytest.approx(0.04)
    assert one.iou(other) == pytest.approx(0.04 / 0.28)
    assert one.iou(one) == 1
    assert one.iou(Box(0.5, 0.5, 0.1, 0.1)) == 0
    assert Box(0, 0, 0, 0).iou(Box(0, 0, 0, 0)) == 0


@pytest.mark.parametrize("box", [Box(0, 0, 0, 0), Box(1, 1, 0, 0), Box(0.999, 0.999, 0.001, 0.001)])
def test_a_crop_is_never_empty(box: Box) -> None:
    assert min(box.crop(np.zeros((9, 16, 3), np.uint8)).shape) >= 1


def test_rows_hold_four_decimals() -> None:
    assert Box(1 / 3, 2 / 3, 0.00004, 0.00006).rounded() == (0.3333, 0.6667, 0.0, 0.0001)


def test_a_joint_counts_when_it_is_seen_clearly() -> None:
    pose = BodyPose((Keypoint("nose", 0.5, 0.1, 0.9), Keypoint("left_ear", 0.5, 0.1, 0.1)))
    assert pose.find("nose") is not None
    assert pose.find("left_ear") is None
    assert pose.find("left_ear", min_score=0.05) is not None
    assert pose.score == pytest.approx(0.5)
    assert BodyPose(()).score == 0
