"""Shot detection: where one camera take ends and the next begins.

`ShotDetector` is fed every picture once, in order, keeps a few seconds of thumbnails, and examines each with
a delay, so that what follows a change helps to classify it. Three detectors share the window: hard cuts
(`cut`), fades through a blank picture (`fade`) and dissolves (`blend`).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from vidence.index.shots.blend import BLEND_PARAMETERS, LONGEST_HALF_S, find_dissolve
from vidence.index.shots.cut import CUT_PARAMETERS, find_cut
from vidence.index.shots.draft import DRAFT_PARAMETERS
from vidence.index.shots.fade import FADE_PARAMETERS, FadeTracker
from vidence.index.shots.memo import DetectorMemo, ShotLog
from vidence.index.shots.sample import BLANK_PARAMETERS, Sample, SampleWindow, ShotChange
from vidence.index.shots.scenes import SCENE_PARAMETERS, group_scenes
from vidence.index.shots.signature import ShotSignature, SignatureLog
from vidence.index.thumbnails import THUMB, Thumb
from vidence.schema.observations import Segment, Transition

__all__ = ["DETECTOR_ID", "ShotDetector", "ShotList", "Viewable", "list_shots", "settle"]

_LAG_S = LONGEST_HALF_S + 1.1
_BEHIND_S = LONGEST_HALF_S + 1.1
_MIN_SAMPLES = 5
_MIN_SHOT_S = 0.2
_REPEAT_CHANGE = 0.25
_REPEAT_GAP_S = 0.1
_BLEND_RATE = 15.0

_PARAMETERS = (
    THUMB, BLANK_PARAMETERS, CUT_PARAMETERS, FADE_PARAMETERS, BLEND_PARAMETERS, SCENE_PARAMETERS,
    DRAFT_PARAMETERS, _MIN_SAMPLES, _MIN_SHOT_S, _REPEAT_CHANGE, _REPEAT_GAP_S, _BLEND_RATE,
)  # fmt: skip

DETECTOR_ID = f"shots-1-{hashlib.sha256(repr(_PARAMETERS).encode()).hexdigest()[:8]}"
"""Identifies the method and its parameters: results under another id are not comparable."""


class Viewable(Protocol):
    """The interface of a picture that the detector needs; `vidence.media.Picture` has it."""

    @property
    def time_s(self) -> float: ...

    def rgb(self, *, size: tuple[int, int] | None = None) -> NDArray[np.uint8]: ...


@dataclass(frozen=True)
class ShotList:
    """The shots and scenes of a video, the signature of each shot, and the method that found them."""

    shots: tuple[Segment, ...]
    scenes: tuple[Segment, ...]
    signatures: tuple[ShotSignature, ...]
    detector_id: str = DETECTOR_ID


class ShotDetector:
    """Finds shots in pictures fed one by one, in memory that does not grow with the frame count.

    Args:
        log: collects what is found; with a `memo`, the log of the earlier run.
        memo: the position of that run. Feed the pictures from its `first_s` on.
    """

    def __init__(self, *, fps: float, log: ShotLog | None = None, memo: DetectorMemo | None = None) -> None:
        self._blend_step_s = 0.9 * max(1 / fps, 1 / _BLEND_RATE)
        self._window, self.log = SampleWindow(), log or ShotLog()
        self._blended = memo.blended_s if memo else -1.0
        self._fades = FadeTracker(memo.fade if memo else None)
        self._past, self._fed = memo, memo.fed_s if memo else -1.0
        self._next = 0

    def feed(self, picture: Viewable) -> None:
        """Take the next picture."""
        self.feed_thumb(picture.rgb(size=THUMB), time=picture.time_s)

    def feed_thumb(self, thumb: Thumb, *, time: float) -> None:
        """Take the next picture, already shrunk to `THUMB`."""
        self.feed_sample(Sample.take(thumb, time=time))

    def feed_sample(self, sample: Sample) -> None:
        """Take the next picture, already measured."""
        if self._past is not None and sample.time <= self._past.fed_s:
            self._restore(sample, self._past)
            return
        self._fed = sample.time
        if self._append(sample):
            self.log.add_picture(sample.time, sample.thumb)
            while self._ready(sample.time - _LAG_S):
                self._examine()

    def memo(self) -> DetectorMemo | None:
        """Return the detector's position, for a later run to resume from; None before the first picture."""
        samples = self._window.samples
        if self._next >= len(samples) or (self._past is not None and self._fed <= self._past.fed_s):
            return self._past
        return DetectorMemo(
            first_s=samples[0].time,
            change=samples[0].change,
            next_s=samples[self._next].time,
            fed_s=self._fed,
            blended_s=self._blended,
            fade=self._fades.memo(),
        )

    def finish(self, duration_s: float) -> list[Segment]:
        """Return the shots, covering 0 to `duration_s` without gaps."""
        return list(self.finish_list(duration_s).shots)

    def finish_list(self, duration_s: float) -> ShotList:
        """Return the shots with their signatures."""
        while self._next < len(self._window.samples):
            self._examine()
        events = [*self.log.events, *self._fades.close(duration_s)]
        return list_shots(events, self.log.signatures, duration_s)

    def _append(self, sample: Sample) -> bool:
        """Add a picture to the window unless it repeats the last; return whether it was added."""
        samples = self._window.samples
        previous = samples[-1] if samples else None
        sample = sample.after(previous)
        repeats = sample.change < _REPEAT_CHANGE
        if previous is not None and repeats and sample.time - previous.time < _REPEAT_GAP_S:
            # A repeated picture (15 frames a second in a 30 stream) would make real motion look sudden.
            return False
        self._window.append(sample)
        return True

    def _restore(self, sample: Sample, past: DetectorMemo) -> None:
        """Put a picture back into the window that an earlier run had logged."""
        if sample.time < past.first_s:
            return
        if not self._window.samples:
            self._window.append(replace(sample, change=past.change))
        elif not self._append(sample):
            return
        if sample.time < past.next_s:
            self._next += 1

    def _ready(self, time: float) -> bool:
        samples = self._window.samples
        return len(samples) - self._next > _MIN_SAMPLES and samples[self._next].time <= time

    def _examine(self) -> None:
        """Run the three detectors on the next sample, then drop the samples that none needs again."""
        index = self._next
        found = self._fades.visit(self._window, index)
        cut = find_cut(self._window, index)
        found += [event for event in (cut, self._blend(index)) if event is not None]
        for event in found:
            self.log.add_change(event)
        self._next += 1
        oldest = self._window.index_at(self._window.samples[index].time - _BEHIND_S)
        spare = max(0, min(oldest, self._next - _MIN_SAMPLES))
        self._window.forget(spare)
        self._next -= spare

    def _blend(self, index: int) -> ShotChange | None:
        """Search for a dissolve, at a rate that finds its middle without testing every frame."""
        time = self._window.samples[index].time
        if time - self._blended < self._blend_step_s:
            return None
        self._blended = time
        return find_dissolve(self._window, index)


def list_shots(
    changes: Sequence[ShotChange], log: SignatureLog, duration_s: float, *, detector_id: str = DETECTOR_ID
) -> ShotList:
    """Return the shots between the changes that are kept, and their scenes."""
    kept = settle(changes, duration_s)
    edges = [0.0, *(event.time for event in kept), duration_s]
    kinds = ["start", *(event.kind for event in kept)]
    shots = tuple(
        Segment(
            segment_id=f"seg_{number:03d}",
            start_time=start,
            end_time=end,
            type="shot",
            transition=cast("Transition", kind),
        )
        for number, (start, end, kind) in enumerate(zip(edges, edges[1:], kinds, strict=False), 1)
    )
    signatures = tuple(log.between(shot.start_time, shot.end_time) for shot in shots)
    return ShotList(shots, tuple(group_scenes(shots, signatures)), signatures, detector_id)


def settle(events: Sequence[ShotChange], duration_s: float) -> list[ShotChange]:
    """Return the changes to keep: cuts and fades over dissolves, the stronger of two that are too close."""
    rank = {"cut": 0, "fade": 0, "dissolve": 1}
    kept: list[ShotChange] = []
    for near in _neighbourhoods(events):
        stand: list[ShotChange] = []
        for event in sorted(near, key=lambda one: (rank[one.kind], -one.strength)):
            inside = _MIN_SHOT_S / 2 < event.time < duration_s - _MIN_SHOT_S / 2
            if inside and not any(_clash(event, other) for other in stand):
                stand.append(event)
        kept += stand
    return sorted(kept, key=lambda one: one.time)


def _neighbourhoods(events: Sequence[ShotChange]) -> Iterator[list[ShotChange]]:
    """Yield the changes in groups, such that none can clash with one of another group."""
    near: list[tuple[int, ShotChange]] = []
    reach = -math.inf
    for entry in sorted(enumerate(events), key=lambda entry: _from(entry[1])):
        if near and _from(entry[1]) > reach:
            yield [event for _, event in sorted(near, key=lambda one: one[0])]
            near = []
        near.append(entry)
        reach = max(reach, entry[1].end, entry[1].time + _MIN_SHOT_S)
    if near:
        yield [event for _, event in sorted(near, key=lambda one: one[0])]


def _from(event: ShotChange) -> float:
    return min(event.start, event.time - _MIN_SHOT_S)


def _clash(event: ShotChange, other: ShotChange) -> bool:
    if abs(event.time - other.time) < _MIN_SHOT_S:
        return True
    return event.kind == "dissolve" and event.start < other.end and other.start < event.end
