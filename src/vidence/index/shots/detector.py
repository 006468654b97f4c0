"""Shot detection: where one camera take ends and the next begins.

`ShotDetector` is fed every picture once, in order, keeps a few seconds of thumbnails, and looks at each with
a delay, so that what comes after a change helps to judge it. Three judges share the window: hard cuts
(`shots_cut`), fades through a blank picture (`shots_fade`) and dissolves (`shots_blend`).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from vidence.index.motion import THUMB, Thumb
from vidence.index.shots.blend import BLEND_PARAMETERS, LONGEST_HALF_S, find_dissolve
from vidence.index.shots.cut import CUT_PARAMETERS, find_cut
from vidence.index.shots.draft import DRAFT_PARAMETERS
from vidence.index.shots.fade import FADE_PARAMETERS, FadeTracker
from vidence.index.shots.found import Found
from vidence.index.shots.memo import DetectorMemo
from vidence.index.shots.sample import BLANK_PARAMETERS, Event, Sample, Window
from vidence.index.shots.scenes import SCENE_PARAMETERS, group_scenes
from vidence.index.shots.signature import ShotSignature, SignatureLog
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
"""Names the method and its parameters: results under another id are not comparable."""


class Viewable(Protocol):
    """What the detector asks of a picture; `vidence.media.Picture` is one."""

    @property
    def time_s(self) -> float: ...

    def rgb(self, *, size: tuple[int, int] | None = None) -> NDArray[np.uint8]: ...


@dataclass(frozen=True)
class ShotList:
    """The shots and scenes of a video, what each shot looks like, and the method that found them."""

    shots: tuple[Segment, ...]
    scenes: tuple[Segment, ...]
    signatures: tuple[ShotSignature, ...]
    detector_id: str = DETECTOR_ID


class ShotDetector:
    """Finds shots in pictures fed one by one, in memory that does not grow with the frame count.

    Args:
        found: where to put what is found; with a `memo`, what an earlier run had found.
        memo: where that run stood. Feed the pictures from its `first_s` on.
    """

    def __init__(self, *, fps: float, found: Found | None = None, memo: DetectorMemo | None = None) -> None:
        self._blend_step_s = 0.9 * max(1 / fps, 1 / _BLEND_RATE)
        self._window, self.found = Window(), found or Found()
        self._blended = memo.blended_s if memo else -1.0
        self._fades = FadeTracker(memo.fade if memo else None)
        self._past, self._fed = memo, memo.fed_s if memo else -1.0
        self._next = 0

    def feed(self, picture: Viewable) -> None:
        """Take in the next picture."""
        self.feed_thumb(picture.rgb(size=THUMB), time=picture.time_s)

    def feed_thumb(self, thumb: Thumb, *, time: float) -> None:
        """Take in the next picture, already shrunk to `THUMB`."""
        self.feed_sample(Sample.take(thumb, time=time))

    def feed_sample(self, sample: Sample) -> None:
        """Take in the next picture, already measured."""
        if self._past is not None and sample.time <= self._past.fed_s:
            self._see_again(sample, self._past)
            return
        self._fed = sample.time
        if self._append(sample):
            self.found.see(sample.time, sample.thumb)
            while self._ready(sample.time - _LAG_S):
                self._judge()

    def memo(self) -> DetectorMemo | None:
        """Return where the detector stands, for a later run to go on from; None before the first picture."""
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
            self._judge()
        events = [*self.found.events, *self._fades.close(duration_s)]
        return list_shots(events, self.found.log, duration_s)

    def _append(self, sample: Sample) -> bool:
        """Put a picture into the window, unless it repeats the last; say whether it was put in."""
        samples = self._window.samples
        previous = samples[-1] if samples else None
        sample = sample.after(previous)
        repeats = sample.change < _REPEAT_CHANGE
        if previous is not None and repeats and sample.time - previous.time < _REPEAT_GAP_S:
            # A repeated picture (15 frames a second in a 30 stream) would make real motion look sudden.
            return False
        self._window.append(sample)
        return True

    def _see_again(self, sample: Sample, past: DetectorMemo) -> None:
        """Put a picture back into the window that an earlier run had there; it was logged then."""
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

    def _judge(self) -> None:
        """Ask the three judges about the next sample, then let go of what none will look at again."""
        index = self._next
        found = self._fades.visit(self._window, index)
        cut = find_cut(self._window, index)
        found += [event for event in (cut, self._blend(index)) if event is not None]
        for event in found:
            self.found.add(event)
        self._next += 1
        oldest = self._window.index_at(self._window.samples[index].time - _BEHIND_S)
        spare = max(0, min(oldest, self._next - _MIN_SAMPLES))
        self._window.forget(spare)
        self._next -= spare

    def _blend(self, index: int) -> Event | None:
        """Look for a dissolve, at a rate that finds its middle without looking at every frame."""
        time = self._window.samples[index].time
        if time - self._blended < self._blend_step_s:
            return None
        self._blended = time
        return find_dissolve(self._window, index)


def list_shots(
    events: Sequence[Event], log: SignatureLog, duration_s: float, *, detector_id: str = DETECTOR_ID
) -> ShotList:
    """Return the shots between the events that stand, and the scenes they make up."""
    kept = settle(events, duration_s)
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


def settle(events: Sequence[Event], duration_s: float) -> list[Event]:
    """Return the events that stand: cuts and fades over dissolves, the stronger of two that are too close."""
    rank = {"cut": 0, "fade": 0, "dissolve": 1}
    kept: list[Event] = []
    for near in _neighbourhoods(events):
        stand: list[Event] = []
        for event in sorted(near, key=lambda one: (rank[one.kind], -one.strength)):
            inside = _MIN_SHOT_S / 2 < event.time < duration_s - _MIN_SHOT_S / 2
            if inside and not any(_clash(event, other) for other in stand):
                stand.append(event)
        kept += stand
    return sorted(kept, key=lambda one: one.time)


def _neighbourhoods(events: Sequence[Event]) -> Iterator[list[Event]]:
    """Yield the events in groups, such that none can clash with one of another group."""
    near: list[tuple[int, Event]] = []
    reach = -math.inf
    for entry in sorted(enumerate(events), key=lambda entry: _from(entry[1])):
        if near and _from(entry[1]) > reach:
            yield [event for _, event in sorted(near, key=lambda one: one[0])]
            near = []
        near.append(entry)
        reach = max(reach, entry[1].end, entry[1].time + _MIN_SHOT_S)
    if near:
        yield [event for _, event in sorted(near, key=lambda one: one[0])]


def _from(event: Event) -> float:
    return min(event.start, event.time - _MIN_SHOT_S)


def _clash(event: Event, other: Event) -> bool:
    if abs(event.time - other.time) < _MIN_SHOT_S:
        return True
    return event.kind == "dissolve" and event.start < other.end and other.start < event.end
