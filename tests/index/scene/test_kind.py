"""Whether a picture was filmed, or is a screen or a graphic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vidence.index.scene.kind import UNTOLD, KindScores, mean_scores, score_kind
from vidence.index.scene.pixels import PixelFacts
from vidence.index.scene.place import SceneEvidence, lighting, side
from vidence.index.scene.statistics import STATISTICS, picture_statistics
from vidence.schema.perception import Rgb

PLAIN = PixelFacts(0.5, 0.05, 0.2, 0.2, 0, 0, 0, 0, 0, 0, 0, 0)


def _page() -> Rgb:
    page = np.full((360, 640, 3), 245, np.uint8)
    page[:40] = (40, 90, 160)
    page[60:340:12, 30:400] = 40
    page[60:340, 430:610] = (200, 220, 240)
    return page


def _grain() -> Rgb:
    noise = np.random.default_rng(3).integers(0, 255, (90, 160, 3))
    return np.asarray(np.kron(noise, np.ones((4, 4, 1))), np.uint8)


def test_a_page_is_flatter_than_grain_and_its_lines_are_straight() -> None:
    page, grain = picture_statistics(_page()), picture_statistics(_grain())
    assert page.shape == grain.shape == (STATISTICS,)
    assert page[0] > 0.3 > grain[0]
    assert np.isfinite(page).all()


def test_the_size_of_a_picture_makes_little_difference() -> None:
    large = np.kron(_page(), np.ones((2, 2, 1), np.uint8))
    assert np.abs(picture_statistics(large) - picture_statistics(_page())).max() < 0.05


def test_without_a_vector_nothing_is_told() -> None:
    assert score_kind(_page(), None) == UNTOLD
    assert UNTOLD.kind is None
    assert not UNTOLD.is_doubted


def test_the_three_kinds_share_one_probability() -> None:
    found = score_kind(_page(), np.full(512, 512**-0.5, np.float32))
    assert 0 <= found.screen + found.graphic <= 1.0001


@pytest.mark.parametrize(
    ("scores", "kind", "doubted"),
    [
        (KindScores(0.9, 0.05), "screen", True),
        (KindScores(0.4, 0.55, 0.7), "graphic", True),
        (KindScores(0.0, 0.97, 0.3), None, True),
        (KindScores(0.3, 0.3), None, True),
        (KindScores(0.2, 0.2), None, False),
    ],
)
def test_a_kind_is_told_only_when_sure_but_no_place_from_a_doubt_on(
    scores: KindScores, kind: str | None, doubted: bool
) -> None:
    assert (scores.kind, scores.is_doubted) == (kind, doubted)


def test_one_frame_does_not_make_a_shot_a_screen() -> None:
    assert mean_scores([KindScores(0.99, 0), UNTOLD, UNTOLD]).kind is None
    assert mean_scores([KindScores(0.99, 0), KindScores(0.95, 0.01)]).kind == "screen"
    assert mean_scores([]) == UNTOLD


def test_a_screen_shows_no_place_and_no_light() -> None:
    filmed = SceneEvidence.gather([], {}, PLAIN, place_scores={"seems_indoor": 1.0})
    assert side(filmed) == "indoor"
    screen = replace(filmed, drawn=KindScores(0.97, 0.01))
    assert side(screen) is None
    assert lighting(screen, None) is None
    assert replace(screen, pixels=replace(PLAIN, sky=0.5)).sky == 0
