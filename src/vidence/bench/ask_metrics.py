"""The figures of question answering: intervals, paired tests, calibration and grounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Bin", "Grounding", "Interval", "Paired", "calibration_bins", "ece", "ground", "mcnemar", "wilson"]

_Z = 1.959963984540054
"""The z value of a two-sided 95 % interval."""

Span = tuple[float, float]


@dataclass(frozen=True)
class Interval:
    """A share with its 95 % interval."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Paired:
    """Two systems on the same questions: where only one was right, and the p value of the difference."""

    ours_only: int
    theirs_only: int
    p: float


@dataclass(frozen=True)
class Bin:
    """Answers of about equal probability, and the share that was right."""

    number: int
    held: float
    right: float


@dataclass(frozen=True)
class Grounding:
    """How well predicted spans match the gold spans."""

    number: int
    miop: float
    miou: float
    iop_half: float
    iou_half: float


def wilson(right: int, total: int) -> Interval:
    """Return the share of right answers with Wilson's 95 % interval."""
    if not total:
        return Interval(0.0, 0.0, 1.0)
    share, z2 = right / total, _Z * _Z
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total)) / (1 + z2 / total)
    return Interval(share, max(0.0, centre - half), min(1.0, centre + half))


def mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> Paired:
    """Compare two systems on the same questions by McNemar's exact test, two-sided."""
    first = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    second = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    split = first + second
    tail = sum(math.comb(split, k) for k in range(min(first, second) + 1))
    # Integers until the end: 0.5**split underflows to 0 for a few thousand questions.
    return Paired(first, second, min(1.0, 2 * tail / 2**split))


def calibration_bins(held: Sequence[float], right: Sequence[bool], *, number: int = 10) -> list[Bin]:
    """Return the answers in bins of equal width by probability, without the empty bins."""
    groups: dict[int, list[int]] = {}
    for index, value in enumerate(held):
        groups.setdefault(min(number - 1, int(value * number)), []).append(index)
    return [
        Bin(len(group), sum(held[i] for i in group) / len(group), sum(right[i] for i in group) / len(group))
        for _, group in sorted(groups.items())
    ]


def ece(held: Sequence[float], right: Sequence[bool], *, number: int = 10) -> float:
    """Return the expected calibration error: the mean gap between probability and accuracy."""
    bins = calibration_bins(held, right, number=number)
    return sum(one.number * abs(one.held - one.right) for one in bins) / max(1, len(held))


def ground(predicted: Sequence[Span | None], gold: Sequence[Sequence[Span]]) -> Grounding:
    """Score predicted spans as NExT-GQA does: against the gold span that fits best."""
    iops, ious = [], []
    for span, truths in zip(predicted, gold, strict=True):
        iops.append(max((_overlap(span, truth)[0] for truth in truths), default=0.0) if span else 0.0)
        ious.append(max((_overlap(span, truth)[1] for truth in truths), default=0.0) if span else 0.0)
    total = max(1, len(iops))
    return Grounding(
        number=len(iops),
        miop=sum(iops) / total,
        miou=sum(ious) / total,
        iop_half=sum(value >= 0.5 for value in iops) / total,
        iou_half=sum(value >= 0.5 for value in ious) / total,
    )


def _overlap(span: Span, truth: Span) -> tuple[float, float]:
    """Return intersection over prediction and over union."""
    inter = max(0.0, min(span[1], truth[1]) - max(span[0], truth[0]))
    length = span[1] - span[0]
    union = length + (truth[1] - truth[0]) - inter
    return (inter / length if length > 0 else 0.0), (inter / union if union > 0 else 0.0)
