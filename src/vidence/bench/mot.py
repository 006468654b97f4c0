"""CLEAR MOT and IDF1, computed exactly: the agreement of tracks with annotated ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vidence.index.tracking.assign import best_pairs
from vidence.schema.perception import Box

__all__ = ["Frames", "MotScore", "score_tracks"]

Frames = Mapping[int, Mapping[int, Box]]
"""For each frame number, the boxes by track id."""

_MIN_IOU = 0.5


@dataclass(frozen=True)
class MotScore:
    """The counts behind MOTA and IDF1; counts of several clips can be added."""

    truth: int = 0
    found: int = 0
    misses: int = 0
    false_alarms: int = 0
    switches: int = 0
    id_hits: int = 0
    truth_ids: int = 0
    found_ids: int = 0

    def __add__(self, other: MotScore) -> MotScore:
        return MotScore(*(a + b for a, b in zip(self._counts(), other._counts(), strict=True)))

    @property
    def mota(self) -> float:
        """1 minus the share of misses, false alarms and switches; can be negative."""
        return 1 - (self.misses + self.false_alarms + self.switches) / self.truth if self.truth else 1.0

    @property
    def idf1(self) -> float:
        """The share of boxes with the right identity, as F1."""
        return 2 * self.id_hits / (self.truth + self.found) if self.truth + self.found else 1.0

    def _counts(self) -> tuple[int, ...]:
        return (self.truth, self.found, self.misses, self.false_alarms, self.switches, self.id_hits,
                self.truth_ids, self.found_ids)  # fmt: skip


def score_tracks(truth: Frames, found: Frames) -> MotScore:
    """Compare tracks with the truth over the frames of either; boxes agree from IoU 0.5."""
    misses = false_alarms = switches = 0
    last: dict[int, int] = {}
    for frame in sorted({*truth, *found}):
        here, there = truth.get(frame, {}), found.get(frame, {})
        pairs = _pairs(here, there, last)
        misses += len(here) - len(pairs)
        false_alarms += len(there) - len(pairs)
        switches += sum(last.get(real, guess) != guess for real, guess in pairs.items())
        last |= pairs
    return MotScore(
        truth=sum(len(boxes) for boxes in truth.values()),
        found=sum(len(boxes) for boxes in found.values()),
        misses=misses,
        false_alarms=false_alarms,
        switches=switches,
        id_hits=_id_hits(truth, found),
        truth_ids=len({real for boxes in truth.values() for real in boxes}),
        found_ids=len({guess for boxes in found.values() for guess in boxes}),
    )


def _pairs(here: Mapping[int, Box], there: Mapping[int, Box], last: Mapping[int, int]) -> dict[int, int]:
    """Return the predicted id of each true id; earlier pairs stay while their boxes agree."""
    pairs: dict[int, int] = {}
    for real, box in here.items():
        guess = last.get(real)
        if guess is None or guess not in there or guess in pairs.values():
            continue
        if box.iou(there[guess]) >= _MIN_IOU:
            pairs[real] = guess
    reals = [real for real in here if real not in pairs]
    guesses = [guess for guess in there if guess not in pairs.values()]
    ious = np.array([[here[real].iou(there[guess]) for guess in guesses] for real in reals])
    # One more pair is worth more than any gain in overlap.
    worth = np.where(ious >= _MIN_IOU, 10.0 + ious, 0.0).reshape(len(reals), len(guesses))
    return pairs | {reals[row]: guesses[column] for row, column in best_pairs(worth, at_least=5.0)}


def _id_hits(truth: Frames, found: Frames) -> int:
    """Return the number of matching boxes under the best one-to-one mapping of identities."""
    together: dict[tuple[int, int], int] = defaultdict(int)
    for frame, boxes in truth.items():
        for guess, box in found.get(frame, {}).items():
            for real, real_box in boxes.items():
                together[real, guess] += box.iou(real_box) >= _MIN_IOU
    reals = sorted({real for boxes in truth.values() for real in boxes})
    guesses = sorted({guess for boxes in found.values() for guess in boxes})
    worth = np.array([[float(together[real, guess]) for guess in guesses] for real in reals])
    pairs = best_pairs(worth.reshape(len(reals), len(guesses)), at_least=0.5)
    return int(sum(worth[row, column] for row, column in pairs))
