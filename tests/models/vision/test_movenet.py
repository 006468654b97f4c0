from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.protocols import Detector, PoseEstimator
from vidence.schema.perception import Box, Rgb


@pytest.fixture(scope="module")
def pose(model_cache: ModelCache) -> PoseEstimator:
    found: PoseEstimator = open_model("pose", model_cache)
    return found


@pytest.fixture(scope="module")
def skier(shared_media: Path, read_rgb: Callable[[Path], Rgb]) -> Rgb:
    return read_rgb(shared_media / "images" / "000000000785.jpg")


def test_joints_lie_where_a_standing_skier_has_them(
    pose: PoseEstimator, skier: Rgb, model_cache: ModelCache
) -> None:
    detector: Detector = open_model("objects", model_cache)
    person = next(d for d in detector.detect([skier])[0] if d.category == "person")
    [body] = pose.estimate([skier], [person.box])
    nose, hip, ankle = body.find("nose"), body.find("left_hip"), body.find("left_ankle", min_score=0.2)
    assert nose is not None
    assert hip is not None
    assert ankle is not None
    assert nose.y < hip.y < ankle.y
    x, _ = person.box.centre
    assert abs(hip.x - x) < person.box.w / 2


def test_nobody_scores_low(pose: PoseEstimator) -> None:
    [body] = pose.estimate([np.full((300, 200, 3), 127, np.uint8)], [None])
    assert body.score < 0.3
    assert body.find("nose") is None


def test_a_box_over_the_edge_is_padded(pose: PoseEstimator, skier: Rgb) -> None:
    [body] = pose.estimate([skier], [Box(0.9, 0.0, 0.1, 1.0)])
    assert len(body.keypoints) == 17
