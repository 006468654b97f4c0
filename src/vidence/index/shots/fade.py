"""Fades and cuts through a blank picture: black, white or any one colour."""

from __future__ import annotations

from dataclasses import dataclass

from vidence.index.shots.memo import FadeMemo, StoredThumb
from vidence.index.shots.sample import Sample, SampleWindow, ShotChange
from vidence.index.thumbnails import is_alike

__all__ = ["FADE_PARAMETERS", "FadeTracker"]

_LOOK_S = 0.5
_HARD = 0.5
_SAME = 0.25
_BLINK_S = 0.5
_GLARE_S = 1.2
_GLARE_LIGHT = 160.0
_OWN_SHOT_S = 0.5

FADE_PARAMETERS = (_LOOK_S, _HARD, _SAME, _BLINK_S, _GLARE_S, _GLARE_LIGHT, _OWN_SHOT_S)


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of blank pictures that has not ended; `hard` if it began abruptly."""

    start: float
    before: tuple[Sample, ...]
    hard: bool
    light: float


class FadeTracker:
    """Follows the samples and reports a shot change at each run of blank pictures that hides one."""

    def __init__(self, memo: FadeMemo | None = None) -> None:
        self._run = None if memo is None else _restored(memo)

    def visit(self, window: SampleWindow, index: int) -> list[ShotChange]:
        """Take sample `index`, whose neighbours on both sides are in the window."""
        sample = window.samples[index]
        if sample.blank:
            if self._run is None:
                self._run = _enter(window, index)
            return []
        run, self._run = self._run, None
        return [] if run is None else _leave(window, index, run)

    def memo(self) -> FadeMemo | None:
        """Return the current run, for a later run of the program to resume from."""
        run = self._run
        if run is None:
            return None
        before = tuple(StoredThumb(time=one.time, pixels=one.thumb.tobytes()) for one in run.before)
        return FadeMemo(start=run.start, before=before, hard=run.hard, light=run.light)

    def close(self, end: float) -> list[ShotChange]:
        """Return the changes of the last run when the video ends in it."""
        run, self._run = self._run, None
        if run is None or not run.before or not run.hard or end - run.start < _OWN_SHOT_S:
            return []
        return [_hard_edge(run.start)]


def _restored(memo: FadeMemo) -> _Run:
    before = tuple(Sample.take(kept.thumb(), time=kept.time) for kept in memo.before)
    return _Run(memo.start, before, memo.hard, memo.light)


def _enter(window: SampleWindow, index: int) -> _Run:
    sample = window.samples[index]
    before = window.samples[window.index_at(sample.time - _LOOK_S) : index]
    hard = bool(before) and before[-1].spread >= _HARD * max(one.spread for one in before)
    return _Run(sample.time, _witnesses(before[::-1]), hard, sample.light)


def _leave(window: SampleWindow, index: int, run: _Run) -> list[ShotChange]:
    """Classify a finished run of blank pictures: nothing, a fade, or one or two cuts."""
    sample = window.samples[index]
    after = window.samples[index : max(index + 1, window.index_at(sample.time + _LOOK_S))]
    hard_exit = sample.spread >= _HARD * max(one.spread for one in after)
    length = sample.time - run.start
    if not run.before:
        return [_hard_edge(sample.time)] if hard_exit and length >= _OWN_SHOT_S else []
    patience = _GLARE_S if run.light > _GLARE_LIGHT else _BLINK_S
    if length <= patience and _same(run.before, _witnesses(after)):
        return []
    if run.hard and hard_exit and length >= _OWN_SHOT_S:
        return [_hard_edge(run.start), _hard_edge(sample.time)]
    if hard_exit:
        return [_hard_edge(sample.time)]
    if run.hard:
        return [_hard_edge(run.start)]
    return [ShotChange((run.start + sample.time) / 2, "fade", run.before[-1].time, after[-1].time, 1.0)]


def _witnesses(samples: list[Sample]) -> tuple[Sample, ...]:
    """Return a few samples of the shot, the nearest first."""
    return tuple(samples[:: max(1, len(samples) // 3)][:4])


def _same(before: tuple[Sample, ...], after: tuple[Sample, ...]) -> bool:
    return any(is_alike(old.thumb, new.thumb, _SAME) for old in before for new in after)


def _hard_edge(time: float) -> ShotChange:
    return ShotChange(time, "cut", time, time, 1.0)
