"""A fast pass over a video that still knows every frame where it matters.

Most of the cost of finding shots is decoding. The draft leaves out the deblocking filter, which thumbnails
cannot show, and the frames no other frame depends on. Where two neighbours of the draft differ so much that a
cut may lie between them, the frames left out there are decoded after all, so every boundary is frame-exact.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from vidence.index.motion import THUMB, Thumb, mismatch
from vidence.index.shots_sample import Sample
from vidence.media import Picture, VideoReader
from vidence.schema.time import TimeRange

__all__ = ["DRAFT_PARAMETERS", "Look", "draft_looks"]

_MIN_CHANGE = 2.0
_CHANGE_RATIO = 1.15
_MIN_MISMATCH = 0.15
_HARD_SPREAD = 12.0
_RECENT = 7
_MIN_SKIP_FPS = 20

DRAFT_PARAMETERS = (_MIN_CHANGE, _CHANGE_RATIO, _MIN_MISMATCH, _HARD_SPREAD, _RECENT, _MIN_SKIP_FPS)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A thumbnail and when it is shown."""

    time: float
    thumb: Thumb


def draft_looks(reader: VideoReader) -> Iterator[Look]:
    """Yield a thumbnail of each frame of the draft, and of every frame where the draft may hide a cut."""
    filler = _Filler(reader)
    recent: deque[float] = deque(maxlen=_RECENT)
    last: Sample | None = None
    last_index = -1
    for picture in _draft_frames(reader):
        filler.pass_key(picture)
        sample = Sample.take(picture.rgb(size=THUMB), time=picture.time_s, previous=last)
        if last is not None and picture.index > last_index + 1 and _suspicious(last, sample, recent):
            yield from filler.between(last.time, sample.time)
        recent.append(sample.change)
        last, last_index = sample, picture.index
        yield Look(sample.time, sample.thumb)


def _suspicious(old: Sample, new: Sample, recent: deque[float]) -> bool:
    """Tell whether a cut may lie between two neighbours of the draft."""
    if old.blank != new.blank:
        # At the end of a slow fade what is left is faint, and its exact frame gains nothing.
        return abs(old.spread - new.spread) > _HARD_SPREAD
    usual = sorted(recent)[len(recent) // 2] if recent else 0.0
    if new.change < max(_MIN_CHANGE, _CHANGE_RATIO * usual):
        return False
    return mismatch(old.thumb, new.thumb) > _MIN_MISMATCH


class _Filler:
    """Decodes the frames the draft left out, going forward through each group of pictures at most once."""

    def __init__(self, reader: VideoReader) -> None:
        self._reader = reader
        self._frames: Iterator[Picture] = iter(())
        self._reached = -1.0
        self._key = 0.0

    def pass_key(self, picture: Picture) -> None:
        """Note where the draft last met a frame that decoding can start from."""
        if picture.is_key:
            self._key = picture.time_s

    def between(self, start: float, end: float) -> Iterator[Look]:
        """Yield the frames after `start` and before `end`."""
        if self._reached < 0 or self._reached < self._key <= start:
            self._frames = self._reader.frames(
                span=TimeRange(start_time=start, end_time=self._reader.info.duration_s)
            )
        for picture in self._frames:
            self._reached = picture.time_s
            if picture.time_s >= end - 1e-6:
                # The draft holds this one already, but a later gap may begin with it.
                self._frames = chain([picture], self._frames)
                return
            if picture.time_s > start + 1e-6:
                yield Look(picture.time_s, picture.rgb(size=THUMB))


def _draft_frames(reader: VideoReader) -> Iterator[Picture]:
    """Yield the reference pictures of the reader's video, not deblocked, at their exact times."""
    # Below this rate every frame counts: half of 10 a second would make motion look like cuts.
    skip = reader.info.video.fps >= _MIN_SKIP_FPS
    with reader.reopen(draft=True) as draft:
        yield from draft.frames(skip_non_reference=skip)
