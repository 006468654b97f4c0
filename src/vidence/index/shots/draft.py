"""A fast pass over a video that decodes every frame where it matters.

Most of the cost of finding shots is decoding. The draft pass skips the deblocking filter, which thumbnails
hardly show, and the frames no other frame depends on. Where two neighbours differ so much that a cut may lie
between them, the skipped frames are decoded after all, so every boundary is frame-exact.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from vidence.index.shots.sample import Sample
from vidence.index.thumbnails import THUMB, is_alike
from vidence.media import DecodedFrame, VideoReader
from vidence.schema.time import TimeRange

__all__ = ["DRAFT_PARAMETERS", "DraftMemo", "DraftPass", "can_skip"]

_MIN_CHANGE = 2.0
_CHANGE_RATIO = 1.15
_MIN_MISMATCH = 0.15
_HARD_SPREAD = 12.0
_RECENT = 7
_MIN_SKIP_FPS = 20
"""Below this rate no frame is skipped: half of 10 a second would make motion look like cuts."""
_MIN_SKIPPED_RATE = 11.5
"""Frames a second the lanes need: the action model wants 12.5, and motion is measured 8 times a second."""

DRAFT_PARAMETERS = (
    _MIN_CHANGE, _CHANGE_RATIO, _MIN_MISMATCH, _HARD_SPREAD, _RECENT, _MIN_SKIP_FPS, _MIN_SKIPPED_RATE
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DraftMemo:
    """Where a draft pass resumes: the first frame, and the last differences up to it."""

    start_s: float
    recent: tuple[float, ...]


def can_skip(reader: VideoReader) -> bool:
    """Tell whether enough frames are left for every lane without those on which no other depends."""
    return reader.info.video.fps >= _MIN_SKIP_FPS and reader.reference_rate() >= _MIN_SKIPPED_RATE


class DraftPass:
    """Takes the frames of a pass that skips some, and fetches the skipped ones where a cut may lie.

    Args:
        reader: a second reader of the same video, used only where a cut may lie.
        memo: the position of an earlier run. Feed the frames from its `start_s` on.
    """

    def __init__(self, reader: VideoReader, memo: DraftMemo | None = None) -> None:
        self._filler = _Filler(reader)
        self._past = memo
        # The recent frames, back to where a later run may have to start.
        self._seen = deque((memo.start_s, change) for change in memo.recent) if memo else deque()
        self._recent: deque[float] = deque(memo.recent if memo else (), maxlen=_RECENT)
        self._last: Sample | None = None
        self._last_index = -1

    def feed(self, picture: DecodedFrame) -> Iterator[Sample]:
        """Yield the samples between the frame before and this one, and this one."""
        if self._past is not None and picture.time_s < self._past.start_s:
            return
        self._filler.pass_key(picture)
        last = self._last
        sample = Sample.take(picture.rgb(size=THUMB), time=picture.time_s, previous=last)
        is_gap = last is not None and picture.index > self._last_index + 1
        if last is not None and is_gap and _suspicious(last, sample, self._recent):
            yield from self._filler.between(last.time, sample.time)
        if last is not None or self._past is None:
            self._recent.append(sample.change)
            self._seen.append((sample.time, sample.change))
        self._last, self._last_index = sample, picture.index
        yield sample

    def memo(self, first_s: float) -> DraftMemo:
        """Return where a later run must start to have every sample from `first_s` on."""
        while len(self._seen) > _RECENT and self._seen[_RECENT][0] <= first_s:
            self._seen.popleft()
        before = [entry for entry in islice(self._seen, _RECENT) if entry[0] <= first_s]
        return DraftMemo(before[-1][0] if before else 0.0, tuple(change for _, change in before))


def _suspicious(old: Sample, new: Sample, recent: deque[float]) -> bool:
    """Tell whether a cut may lie between two neighbours of the draft pass."""
    if old.blank != new.blank:
        # At the end of a slow fade the picture is faint, and its exact frame does not matter.
        return abs(old.spread - new.spread) > _HARD_SPREAD
    usual = sorted(recent)[len(recent) // 2] if recent else 0.0
    if new.change < max(_MIN_CHANGE, _CHANGE_RATIO * usual):
        return False
    return not is_alike(old.thumb, new.thumb, math.nextafter(_MIN_MISMATCH, 1.0))


class _Filler:
    """Decodes the frames the draft pass skipped, reading each group of pictures at most once."""

    def __init__(self, reader: VideoReader) -> None:
        self._reader = reader
        self._frames: Iterator[DecodedFrame] = iter(())
        self._reached = -1.0
        self._key = 0.0

    def pass_key(self, picture: DecodedFrame) -> None:
        """Remember the last frame of the draft pass that decoding can start from."""
        if picture.is_key:
            self._key = picture.time_s

    def between(self, start: float, end: float) -> Iterator[Sample]:
        """Yield the frames after `start` and before `end`."""
        if self._reached < 0 or self._reached < self._key <= start:
            self._frames = self._reader.frames(
                span=TimeRange(start_time=start, end_time=self._reader.info.duration_s)
            )
        for picture in self._frames:
            self._reached = picture.time_s
            if picture.time_s >= end - 1e-6:
                # The draft pass has this one already, but a later gap may begin with it.
                self._frames = chain([picture], self._frames)
                return
            if picture.time_s > start + 1e-6:
                yield Sample.take(picture.rgb(size=THUMB), time=picture.time_s)
