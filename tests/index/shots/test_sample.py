"""Samples and their window: change, blankness, light, and mismatches computed once."""

from __future__ import annotations

import numpy as np
import pytest

from tests.index.shots.windows import window_of
from tests.index.timelines import flat, look
from vidence.index.shots.sample import Sample


def test_the_first_sample_has_no_change() -> None:
    assert Sample.take(look(0), time=0.0).change == 0


def test_change_is_the_mean_difference_from_the_sample_before() -> None:
    dark = Sample.take(flat(40), time=0.0)
    assert Sample.take(flat(60), time=0.1, previous=dark).change == pytest.approx(20)
    assert Sample.take(flat(40), time=0.1, previous=dark).change == 0


def test_a_sample_can_be_measured_against_another_one() -> None:
    dark, light = Sample.take(flat(40), time=0.0), Sample.take(flat(90), time=0.1)
    sample = Sample.take(flat(60), time=0.2, previous=dark)
    assert sample.after(light).change == pytest.approx(30)
    assert sample.after(None).change == 0
    assert sample.after(dark) is sample, "nothing is measured again"


@pytest.mark.parametrize("level", [0, 128, 255])
def test_one_colour_is_blank_whatever_its_level(level: int) -> None:
    assert Sample.take(flat(level), time=0.0).blank


def test_a_watermark_is_allowed_on_a_blank_picture_and_a_title_is_not() -> None:
    marked, titled = flat(0), flat(0)
    marked[2:5, 55:63] = 255
    titled[10:26, 8:56] = 255
    assert Sample.take(marked, time=0.0).blank
    assert not Sample.take(titled, time=0.0).blank
    assert not Sample.take(look(0), time=0.0).blank


def test_light_and_spread_describe_the_picture() -> None:
    grey = Sample.take(flat(100), time=0.0)
    assert grey.light == pytest.approx(100)
    assert grey.spread == pytest.approx(0, abs=1e-6)
    assert grey.small.shape == (18, 32, 3)
    assert Sample.take(look(0), time=0.0).spread > 20


def test_an_index_is_found_by_time() -> None:
    window = window_of([look(0)] * 5, fps=10)
    assert [window.index_at(time) for time in (-1.0, 0.0, 0.05, 0.1, 0.4, 9.0)] == [0, 0, 1, 1, 4, 5]


def test_steps_are_mismatches_of_neighbours() -> None:
    window = window_of([look(0), look(0), look(1)])
    assert window.step(1) == pytest.approx(0, abs=1e-6)
    assert window.step(2) > 0.3
    assert window.step(2) == window.pair(1, 2)
    assert window.is_small_step(1, 0.1)
    assert not window.is_small_step(2, 0.1)


def test_a_known_step_answers_the_same_as_a_fresh_one() -> None:
    fresh, known = window_of([look(0), look(1)]), window_of([look(0), look(1)])
    exact = known.step(1)
    for limit in (exact * 0.9, exact * 1.1):
        assert fresh.is_small_step(1, limit) == known.is_small_step(1, limit) == (exact < limit)


def test_forgetting_old_samples_keeps_the_later_steps() -> None:
    window = window_of([look(seed) for seed in range(5)])
    steps = [window.step(index) for index in range(1, 5)]
    window.forget(0)
    assert len(window.samples) == 5
    window.forget(2)
    assert [sample.time for sample in window.samples] == pytest.approx([0.08, 0.12, 0.16])
    assert [window.step(index) for index in (1, 2)] == steps[2:]
    assert window.index_at(0.12) == 1


def test_a_picture_shown_again_later_is_alike() -> None:
    window = window_of([look(0), look(1), np.roll(look(0), 3, axis=1)])
    assert window.is_alike(0, 2, 0.25)
    assert not window.is_alike(0, 1, 0.25)
