"""Comparing two thumbnails: moved, relit and barred pictures match, other ones do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.timelines import flat, look
from vidence.index.thumbnails import Thumb, crop_bars, is_alike, mismatch, spread


def _changed(thumb: Thumb, how: str, amount: int) -> Thumb:
    """Return the picture moved, dimmed, under grain, barred, or made all but flat."""
    if how == "moved":
        return np.roll(thumb, (amount % 7, amount), axis=(0, 1))
    if how == "dimmed":
        return (thumb * (1 - amount / 12)).astype(np.uint8)
    if how == "grain":
        noise = np.random.default_rng(amount).normal(0, 3 * amount, thumb.shape)
        return np.clip(thumb + noise, 0, 255).astype(np.uint8)
    if how == "barred":
        barred = thumb.copy()
        barred[: amount + 1] = barred[-amount - 1 :] = 0
        return barred
    return (100 + thumb.astype(np.int16) * amount // 128).astype(np.uint8)


def test_the_same_picture_moved_and_relit_matches_and_another_does_not() -> None:
    assert mismatch(look(0), look(0)) == pytest.approx(0, abs=1e-6)
    assert mismatch(look(0), _changed(look(0), "moved", 4)) < 0.2
    assert mismatch(look(0), _changed(look(0), "dimmed", 6)) < 0.2
    assert mismatch(look(0), look(1)) > 0.3


def test_blank_pictures_differ_by_their_level() -> None:
    assert mismatch(flat(40), flat(40)) == 0
    assert mismatch(flat(40), flat(60)) == pytest.approx(0.4, abs=0.05)
    assert mismatch(look(0), flat(0)) == 1


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 8),
    st.integers(0, 8),
    st.sampled_from(["moved", "dimmed", "grain", "barred", "faint"]),
    st.integers(0, 12),
    st.floats(0.01, 1.1),
)
def test_being_alike_is_a_mismatch_below_the_limit(
    one: int, other: int, how: str, amount: int, limit: float
) -> None:
    older = look(one)
    for newer in (_changed(older, how, amount), _changed(look(other), how, amount)):
        exact = mismatch(older, newer)
        assert is_alike(older, newer, limit) == (exact < limit)
        assert not is_alike(older, newer, exact)
        assert is_alike(older, newer, math.nextafter(exact, 2.0))


def test_pictures_lit_to_the_edges_are_not_cropped() -> None:
    older, newer = look(0), look(1)
    older[0, 5] = older[-1, 5] = older[5, 0] = older[5, -1] = 200
    assert crop_bars(older, newer)[0] is older


def test_shared_bars_are_cropped_from_both() -> None:
    older, newer = (_changed(look(seed), "barred", 5) for seed in (0, 1))
    for cropped, barred in zip(crop_bars(older, newer), (older, newer), strict=True):
        assert cropped.shape == barred.shape
        assert min(cropped[0].max(), cropped[-1].max()) > 28


def test_a_blank_picture_has_no_spread_and_a_checked_one_has_all() -> None:
    checked = flat(0)
    checked[:, ::2] = 255
    assert spread(flat(90)) == pytest.approx(0, abs=1e-9)
    assert spread(checked) == pytest.approx(127.5)
    assert 20 < spread(look(0)) < 127.5


def test_an_object_that_hides_half_of_the_picture_is_no_change() -> None:
    hidden = look(0)
    hidden[:, :32] = look(1)[:, :32]
    assert mismatch(look(0), hidden) < 0.2
    assert mismatch(look(1), hidden) < 0.2


def test_texture_that_is_gone_is_a_mismatch_and_texture_that_appears_too() -> None:
    assert mismatch(look(0), flat(128)) == 1
    assert mismatch(flat(128), look(0)) > 0.5


def test_a_block_moved_beyond_reach_is_not_found() -> None:
    assert mismatch(look(0), np.roll(look(0), 8, axis=1)) < 0.2
    assert mismatch(look(0), np.roll(look(0), 32, axis=1)) > 0.3


def test_a_picture_that_is_mostly_dark_keeps_its_size() -> None:
    spot = flat(0)
    spot[16:20, 30:34] = 255
    older, newer = crop_bars(spot, spot)
    assert older is spot
    assert newer is spot
