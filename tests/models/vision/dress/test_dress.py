"""Dress: what two men in a real meeting wear, what is not in view, and weights that must be ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vidence.errors import BackendError
from vidence.media import open_video
from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.manifest import load_manifest
from vidence.models.vision.dress import DressReader
from vidence.models.vision.dress.features import SIZE, TORSO, person_features
from vidence.models.vision.dress.reader import pattern_chances, standardised, told
from vidence.models.vision.dress.regions import person_regions
from vidence.models.vision.dress.weights import SHA256, load_weights, parse_weights
from vidence.schema.perception import BodyPose, Box, Keypoint, Rgb

_LEFT, _RIGHT = Box(0.09, 0.31, 0.35, 0.54), Box(0.59, 0.37, 0.26, 0.52)
"""Where both men sit at 26.6 s."""


@pytest.fixture(scope="module")
def dress(model_cache: ModelCache) -> DressReader:
    found: DressReader = open_model("worn", model_cache)
    return found


@pytest.fixture(scope="module")
def meeting(shared_media: Path) -> Rgb:
    with open_video(shared_media / "videos" / "meeting_c3.webm") as reader:
        return next(reader.at([26.6])).rgb(max_side=1280)


def _read(dress: DressReader, cache: ModelCache, image: Rgb, box: Box) -> dict[str, str]:
    [pose] = open_model("pose", cache).estimate([image], [box])
    return dress.read(image, box, pose)


def test_a_checked_shirt_and_a_plain_hoodie(
    dress: DressReader, model_cache: ModelCache, meeting: Rgb
) -> None:
    left = _read(dress, model_cache, meeting, _LEFT)
    right = _read(dress, model_cache, meeting, _RIGHT)
    assert (left["pattern"], right["pattern"]) == ("checked", "plain")
    assert left["headwear"] == right["headwear"] == "none"
    assert left["sleeves"] == "long"


def test_what_is_not_in_view_is_not_told(dress: DressReader, meeting: Rgb) -> None:
    assert dress.read(meeting, _LEFT, None) == {}
    # The legs of both men are behind the table.
    assert "legwear" not in dress.read(meeting, _LEFT, _pose(shoulders=0.45, hips=0.8))


def test_regions_follow_the_joints() -> None:
    box = Box(0.2, 0.1, 0.4, 0.8)
    found = person_regions(box, _pose(shoulders=0.3, hips=0.6), aspect=1.5)
    assert found.has_head
    assert found.has_torso
    assert not found.has_legs
    assert (found.torso.y, found.torso.y + found.torso.h) == pytest.approx((0.3, 0.6))
    assert found.head.y + found.head.h < found.torso.y + 0.05
    guessed = person_regions(box, None, aspect=1.5)
    assert not guessed.has_head
    assert not guessed.has_torso
    assert box.y - 0.1 < guessed.head.y < guessed.torso.y


def test_a_part_too_small_to_see_reads_as_zeros(
    dress: DressReader, model_cache: ModelCache, noise: Rgb
) -> None:
    speck = person_regions(Box(0.5, 0.5, 0.01, 0.01), None, aspect=1.0)
    labeller = open_model("image_labels", model_cache)
    assert not person_features(labeller, noise, speck).any()


def test_scores_between_the_thresholds_tell_nothing() -> None:
    weights, regions = load_weights(), person_regions(Box(0, 0, 1, 1), _pose(0.3, 0.6), aspect=1.0)
    usual = standardised(weights, weights.mean)
    assert not usual.any()
    unsure = [replace(one, bias=(one.told_from + one.denied_to) / 2) for one in weights.traits]
    assert set(told(replace(weights, traits=tuple(unsure)), usual, regions)) <= {"pattern"}
    sure = [replace(one, bias=one.told_from + 1) for one in weights.traits]
    found = told(replace(weights, traits=tuple(sure)), usual, regions)
    assert found["headwear"] == "hat or helmet"
    assert found["tie"] == "tie"
    assert sum(pattern_chances(weights, usual).values()) == pytest.approx(1)


def test_the_weights_are_those_of_the_manifest() -> None:
    assert load_manifest("dress").file("weights").sha256 == SHA256
    weights = load_weights()
    assert weights.mean.shape == weights.scale.shape == (SIZE,)
    assert weights.pattern.shape == (TORSO.stop - TORSO.start, len(weights.pattern_from))
    assert np.all(weights.scale > 0)
    with pytest.raises(BackendError, match="Reinstall"):
        parse_weights(b"no weights")


def _pose(shoulders: float, hips: float) -> BodyPose:
    places = {
        "nose": (0.4, shoulders - 0.1), "left_shoulder": (0.5, shoulders), "right_shoulder": (0.3, shoulders),
        "left_hip": (0.47, hips), "right_hip": (0.33, hips),
    }  # fmt: skip
    return BodyPose(tuple(Keypoint(name, x, y, 0.9) for name, (x, y) in places.items()))
