"""Dissolves: one picture turning into another by a steady mixture, unlike any motion.

In a dissolve every picture in between is nearly (1 - a)·A + a·B with the same share `a` all over the frame,
rising from 0 to 1. A pan or a moving object leaves a large residue; a change of light leaves A like B.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vidence.index.shots.sample import Sample, SampleWindow, ShotChange

__all__ = ["BLEND_PARAMETERS", "LONGEST_HALF_S", "find_dissolve"]

HALVES_S = (0.16, 0.3, 0.5, 0.8, 1.3)
LONGEST_HALF_S = HALVES_S[-1]
_MIN_CONTRAST = 8.0
_MAX_RESIDUE = 0.42
_CLEAN_RESIDUE = 0.15
_MAX_DISAGREEMENT = 0.22
_MIN_MISMATCH = 0.3
_MIDDLE = 0.14
_OUTSIDE_S = 0.15
_OVERRUN = 0.12
_MAX_STEP = 0.45
_STRIDE_SHARE = 0.25
_CALM_S = 1.0
_CALM_SHARE = 0.5
_SAME_SHARE = 0.4
_GLARE_S = 0.8
_MARGIN = 0.01

BLEND_PARAMETERS = (
    HALVES_S, _MIN_CONTRAST, _MAX_RESIDUE, _CLEAN_RESIDUE, _MAX_DISAGREEMENT, _MIN_MISMATCH, _MIDDLE,
    _OUTSIDE_S, _OVERRUN, _MAX_STEP, _STRIDE_SHARE, _CALM_S, _CALM_SHARE, _SAME_SHARE, _GLARE_S,
)  # fmt: skip

Floats = NDArray[np.float32]


def find_dissolve(window: SampleWindow, index: int) -> ShotChange | None:
    """Return the dissolve whose middle is sample `index`, trying short spans first."""
    for half_s in HALVES_S:
        event = _try_span(window, index, half_s)
        if event is not None:
            return event
    return None


def _try_span(window: SampleWindow, index: int, half_s: float) -> ShotChange | None:
    samples, middle = window.samples, window.samples[index]
    first = window.index_at(middle.time - half_s)
    last = min(window.index_at(middle.time + half_s), len(samples) - 1)
    if first < 1 or last - first < 4 or middle.time - samples[first].time < half_s * 0.6:
        return None
    old, new = samples[first], samples[last]
    if old.blank or new.blank or not _may_blend(old, middle, new):
        return None
    across, offset = new.small - old.small, middle.small - old.small
    contrast = float(np.sqrt(np.mean(across**2)))
    if contrast < _MIN_CONTRAST:
        return None
    share, residue = _project(offset, across)
    if abs(share - 0.5) > _MIDDLE or residue > _MAX_RESIDUE:
        return None
    if not (_steady(window, first, last, across) and _uniform(offset, across, share)):
        return None
    if not _ends(window, first, last, across):
        return None
    if window.is_alike(first, last, _MIN_MISMATCH):
        return None
    strength = window.pair(first, last)
    if _moves(window, first, index, last, strength) or not _calm(window, first, last, strength):
        return None
    if residue > _CLEAN_RESIDUE and not _smooth(window, first, last, strength):
        return None
    if _returns(window, first, last, strength):
        return None
    return ShotChange(
        middle.time, "dissolve", old.time, new.time, strength * (1 - residue) * (1 - abs(2 * share - 1))
    )


def _may_blend(old: Sample, middle: Sample, new: Sample) -> bool:
    """Tell from three distances whether `middle` may lie half way between two unlike pictures.

    It rules out most spans for a tenth of the work. The distances are whole numbers and exact; the margin is
    much larger than the rounding of the computation that follows.
    """
    across = cv2.norm(old.tiny, new.tiny, cv2.NORM_L2SQR)
    if across < (_MIN_CONTRAST - _MARGIN) ** 2 * old.tiny.size:
        return False
    before = cv2.norm(old.tiny, middle.tiny, cv2.NORM_L2SQR) / across
    if before > (0.5 + _MIDDLE + _MARGIN) ** 2 + (_MAX_RESIDUE + _MARGIN) ** 2:
        return False
    after = cv2.norm(middle.tiny, new.tiny, cv2.NORM_L2SQR) / across
    share = (1 + before - after) / 2
    return abs(share - 0.5) < _MIDDLE + _MARGIN and before - share**2 < (_MAX_RESIDUE + _MARGIN) ** 2


def _project(offset: Floats, across: Floats) -> tuple[float, float]:
    """Return how far along `across` the offset lies, and what is left over relative to `across`."""
    length = float(np.vdot(across, across))
    share = float(np.vdot(offset, across)) / length
    rest = offset - share * across
    return share, float(np.sqrt(np.vdot(rest, rest) / length))


def _steady(window: SampleWindow, first: int, last: int, across: Floats) -> bool:
    """Tell whether the share rises without stepping back, stays a mixture, and lingers in between."""
    origin = window.samples[first].small
    found = [_project(window.samples[pick].small - origin, across) for pick in _spaced(first, last, 11)]
    shares = np.array([share for share, _ in found])
    residues = np.array([residue for _, residue in found])
    rises = np.diff(shares)
    between = np.count_nonzero((shares > 0.12) & (shares < 0.88))
    return bool(rises.min() > -0.1 and rises.max() < 0.45 and between >= 3 and residues.max() < _MAX_RESIDUE)


def _uniform(offset: Floats, across: Floats, share: float) -> bool:
    """Tell whether all parts of the frame are mixed to the same share."""
    parts_offset, parts_across = _parts(offset), _parts(across)
    lengths = (parts_across**2).sum(axis=1)
    informative = lengths > 0.15 * lengths.mean()
    shares = (parts_offset * parts_across).sum(axis=1)[informative] / lengths[informative]
    return bool(np.mean(np.abs(shares - share)) < _MAX_DISAGREEMENT)


def _parts(picture: Floats) -> Floats:
    """Cut an (18, 32, 3) picture into 12 tiles of 6x8."""
    return picture.reshape(3, 6, 4, 8, 3).transpose(0, 2, 1, 3, 4).reshape(12, -1)


def _ends(window: SampleWindow, first: int, last: int, across: Floats) -> bool:
    """Tell whether the mixing is over outside the span: the share stays near 0 before and near 1 after."""
    samples = window.samples
    early = samples[window.index_at(samples[first].time - _OUTSIDE_S)]
    late = samples[min(window.index_at(samples[last].time + _OUTSIDE_S), len(samples) - 1)]
    shares = [_project(one.small - samples[first].small, across)[0] for one in (early, late)]
    return abs(shares[0]) < _OVERRUN and abs(shares[1] - 1) < _OVERRUN


def _smooth(window: SampleWindow, first: int, last: int, strength: float) -> bool:
    """Tell whether neighbours inside the span show the same thing, unlike those of a whip pan."""
    return all(window.is_small_step(pick, _MAX_STEP * strength) for pick in _spaced(first + 1, last, 9))


def _moves(window: SampleWindow, first: int, middle: int, last: int, strength: float) -> bool:
    """Tell whether the middle can be found in both ends: a long camera move, followed in two strides."""
    limit = _STRIDE_SHARE * strength
    return window.is_alike(first, middle, limit) and window.is_alike(middle, last, limit)


def _calm(window: SampleWindow, first: int, last: int, strength: float) -> bool:
    """Tell whether the picture keeps its content just as long before and after, unlike in a moving shot."""
    samples = window.samples
    length = min(samples[last].time - samples[first].time, _CALM_S)
    early = window.index_at(samples[first].time - length)
    late = min(window.index_at(samples[last].time + length), len(samples) - 1)
    limit = _CALM_SHARE * strength
    return all(window.is_alike(a, b, limit) for a, b in ((early, first), (last, late)) if a < b)


def _returns(window: SampleWindow, first: int, last: int, strength: float) -> bool:
    """Tell whether one of the two pictures was only a passing glare in the other."""
    samples = window.samples
    early = window.index_at(samples[first].time - _GLARE_S)
    late = min(window.index_at(samples[last].time + _GLARE_S), len(samples) - 1)
    before = [at for at in _spaced(early, first, 6) if not samples[at].blank]
    after = [at for at in _spaced(last, late, 6) if not samples[at].blank]
    limit = _SAME_SHARE * strength
    return any(window.is_alike(at, last, limit) for at in before) or any(
        window.is_alike(first, at, limit) for at in after
    )


def _spaced(first: int, last: int, count: int) -> list[int]:
    """Return up to `count` indices evenly from `first` to `last`, both included, none twice."""
    if last - first < count:
        return list(range(first, last + 1))
    return [first + round(step * (last - first) / (count - 1)) for step in range(count)]
