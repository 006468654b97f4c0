"""Hard cuts: a sudden change that motion, light, flashes and passing objects do not explain."""

from __future__ import annotations

from vidence.index.shots.sample import SampleWindow, ShotChange

__all__ = ["CUT_PARAMETERS", "REACH_S", "find_cut"]

_MIN_CHANGE = 2.0
_CHANGE_RATIO = 1.35
_MIN_MISMATCH = 0.22
_UNREST_SHARE = 1.2
_SAME = 0.25
_SAME_SHARE = 0.4
_NEIGHBOURS = 3
_NEIGHBOUR_S = 0.35

REACH_S = 0.5
"""How long a flash, a glitch or a passing object may hide a shot that then goes on."""

CUT_PARAMETERS = (
    _MIN_CHANGE,
    _CHANGE_RATIO,
    _MIN_MISMATCH,
    _UNREST_SHARE,
    _SAME,
    _SAME_SHARE,
    _NEIGHBOURS,
    _NEIGHBOUR_S,
    REACH_S,
)


def find_cut(window: SampleWindow, index: int) -> ShotChange | None:
    """Return the hard cut between samples `index - 1` and `index`, if there is one."""
    samples = window.samples
    # Changes into and out of a blank picture are handled as fades.
    if index < 1 or samples[index].blank != samples[index - 1].blank:
        return None
    if not _stands_out(window, index):
        return None
    if window.is_small_step(index, _MIN_MISMATCH):
        return None
    strength = window.step(index)
    if strength < _MIN_MISMATCH + _UNREST_SHARE * _unrest(window, index):
        return None
    if _returns(window, index, strength):
        return None
    time = samples[index].time
    return ShotChange(time, "cut", samples[index - 1].time, time, strength)


def _stands_out(window: SampleWindow, index: int) -> bool:
    """Tell cheaply whether the change at `index` is worth a closer look."""
    change = window.samples[index].change
    if change < _MIN_CHANGE:
        return False
    around = sorted(window.samples[near].change for near in _neighbours(window, index))
    return not around or change > _CHANGE_RATIO * around[len(around) // 2]


def _unrest(window: SampleWindow, index: int) -> float:
    """Return how badly neighbouring pictures match each other around `index`, as in a whip pan.

    The second worst counts: one bad neighbour may be a flash or another cut.
    """
    around = sorted(window.step(near) for near in _neighbours(window, index))
    return around[-2] if len(around) > 1 else 0.0


def _neighbours(window: SampleWindow, index: int) -> list[int]:
    samples = window.samples
    return [
        near
        for near in range(max(1, index - _NEIGHBOURS), min(len(samples), index + _NEIGHBOURS + 1))
        if near != index and abs(samples[near].time - samples[index].time) <= _NEIGHBOUR_S
    ]


def _returns(window: SampleWindow, index: int, strength: float) -> bool:
    """Tell whether what was shown before `index` is shown again soon after: then nothing was cut."""
    limit = min(_SAME, _SAME_SHARE * strength)
    before = _spaced(window, range(index - 1, -1, -1), REACH_S * 0.7)
    after = _spaced(window, range(index, len(window.samples)), REACH_S)
    return any(
        window.is_alike(old, new, limit)
        for new in after
        for old in before
        if (old, new) != (index - 1, index)
    )


def _spaced(window: SampleWindow, indices: range, reach_s: float) -> list[int]:
    """Return a few samples that are not blank, from the nearest to `reach_s` away."""
    origin = window.samples[indices[0]].time
    chosen: list[int] = []
    for place, index in enumerate(indices):
        away = abs(window.samples[index].time - origin)
        if away > reach_s and place > 1:
            break
        last = abs(window.samples[chosen[-1]].time - origin) if chosen else -1.0
        if not window.samples[index].blank and away - last >= reach_s / 6:
            chosen.append(index)
    return chosen
