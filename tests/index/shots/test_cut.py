"""Hard cuts: what is one, and what only looks like one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.shots.windows import FPS, window_of
from tests.index.timelines import flat, look
from vidence.index.shots.cut import find_cut
from vidence.index.thumbnails import Thumb


def _cuts(thumbs: list[Thumb]) -> list[int]:
    window = window_of(thumbs)
    return [index for index in range(len(thumbs)) if find_cut(window, index) is not None]


def test_a_new_picture_is_a_cut_at_its_first_frame() -> None:
    thumbs = [look(0)] * 20 + [look(1)] * 20
    assert _cuts(thumbs) == [20]
    found = find_cut(window_of(thumbs), 20)
    assert found is not None
    assert found.kind == "cut"
    assert (found.time, found.start, found.end) == pytest.approx((20 / FPS, 19 / FPS, 20 / FPS))
    assert found.strength > 0.3


def test_no_cut_lies_before_the_first_frame_or_in_a_still_picture() -> None:
    assert find_cut(window_of([look(0), look(1)]), 0) is None
    assert _cuts([look(0)] * 20) == []


def test_into_and_out_of_blank_is_left_to_the_fades() -> None:
    assert _cuts([look(0)] * 20 + [flat(0)] * 20 + [look(1)] * 20) == []


def test_one_blank_card_after_another_is_a_cut() -> None:
    assert _cuts([flat(30)] * 20 + [flat(160)] * 20) == [20]


@pytest.mark.parametrize("length", [1, 3, 8])
def test_a_picture_that_returns_within_half_a_second_was_only_hidden(length: int) -> None:
    assert _cuts([look(0)] * 20 + [look(1)] * length + [look(0)] * 20) == []


def test_a_picture_that_returns_later_was_cut_away_from() -> None:
    assert _cuts([look(0)] * 20 + [look(1)] * 20 + [look(0)] * 20) == [20, 40]


def test_a_change_of_light_is_no_cut() -> None:
    dim = (look(0) * 0.5).astype(np.uint8)
    assert _cuts([look(0)] * 20 + [dim] * 20) == []


def test_a_shake_is_no_cut() -> None:
    assert _cuts([np.roll(look(0), 3 * (step % 2), axis=1) for step in range(40)]) == []


def test_a_change_among_changes_as_large_does_not_stand_out() -> None:
    assert _cuts([look(step % 9) for step in range(40)]) == []


def test_two_cuts_close_together_are_both_found() -> None:
    assert _cuts([look(0)] * 20 + [look(1)] * 15 + [look(2)] * 20) == [20, 35]
