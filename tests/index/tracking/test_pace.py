"""When the tracker looks: often where things are fast, and together with others where that costs no time."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.index.tracking.lane import Pace

STEP_S = 0.02


def looks(pace: Pace, *, until_s: float, top_speed: float) -> list[float]:
    """Run over frames that all differ, and return when it looked."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(round(until_s / STEP_S)):
        time_s = number * STEP_S
        if pace.is_time(time_s) and pace.is_new(time_s, rng.integers(0, 255, (36, 64), dtype=np.uint8)):
            found.append(round(time_s, 2))
            pace.analysed(time_s, top_speed=top_speed, is_idle=top_speed == 0)
    return found


def test_fast_things_are_looked_at_often_and_still_ones_seldom() -> None:
    fast = looks(Pace(fast_s=0.25, slow_s=0.75, meet_s=1.0), until_s=6, top_speed=10)
    slow = looks(Pace(fast_s=0.25, slow_s=0.75, meet_s=1.0), until_s=6, top_speed=0)
    assert max(np.diff(fast)) <= 0.27
    assert 0.7 <= np.mean(np.diff(slow)) <= 0.8


@pytest.mark.parametrize(("top_speed", "shared"), [(10.0, 6), (0.0, 2)])
def test_looks_fall_into_step_with_those_of_others(top_speed: float, shared: int) -> None:
    pace = Pace(fast_s=0.25, slow_s=0.75, meet_s=1.0, start_s=0.13)
    found = looks(pace, until_s=8.5, top_speed=top_speed)
    met = [time_s for time_s in found if abs(time_s - round(time_s)) < STEP_S]
    assert len(met) >= shared
    assert max(np.diff(found)) <= 0.75 * 1.15 + STEP_S
    assert min(np.diff(found)) >= 0.25 * 0.8 - STEP_S


def test_no_look_is_moved_far_to_meet_another() -> None:
    pace = Pace(fast_s=0.5, slow_s=0.5, meet_s=10.0)
    assert looks(pace, until_s=4, top_speed=1) == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]
