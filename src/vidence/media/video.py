"""Read a video's pictures: whole passes, samples and accurate seeks, in exact time."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

from av.container import InputContainer
from av.error import FFmpegError
from av.video.stream import VideoStream

from vidence.errors import DamagedMedia, FileProblem, UserError
from vidence.media.cursor import TOLERANCE, Cursor
from vidence.media.decode import Damage, decode_video, only
from vidence.media.picture import DecodedFrame
from vidence.media.probe import Survey, find_video, survey
from vidence.media.source import DEFAULT_MAX_PIXELS, open_source, reading
from vidence.media.timeline import Clock
from vidence.schema.media import MediaInfo
from vidence.schema.time import TimeRange

__all__ = ["VideoReader", "open_video"]

# Times given out of order are answered in batches, one sweep each; a batch holds up to this much.
_HELD_BYTES = 128 * 2**20
_MAX_BATCH = 256


def open_video(
    path: str | os.PathLike[str],
    *,
    threads: int = 0,
    max_pixels: int = DEFAULT_MAX_PIXELS,
    draft: bool = False,
) -> VideoReader:
    """Open a video for reading; `threads` 0 lets the decoder use every core.

    A `draft` is decoded without deblocking: up to a third faster on H.264 and a little blocky, which does not
    show in pictures that are scaled well down.
    """
    surveyed = survey(path, max_pixels=max_pixels)
    return VideoReader(surveyed, threads=threads, max_pixels=max_pixels, draft=draft)


class VideoReader:
    """One video's pictures. One iterator at a time: beginning another ends the one before."""

    def __init__(
        self,
        surveyed: Survey,
        *,
        threads: int = 0,
        max_pixels: int = DEFAULT_MAX_PIXELS,
        draft: bool = False,
    ) -> None:
        self.info: MediaInfo = surveyed.info
        self._surveyed = surveyed
        self._timeline, self._scaler = surveyed.timeline, surveyed.scaler
        self._threads, self._max_pixels = threads, max_pixels
        self._options = {"max_pixels": str(max_pixels)} | ({"skip_loop_filter": "all"} if draft else {})
        self._container: InputContainer | None = None
        self._fresh = False
        self._closed = False
        self._turn = 0
        self._damage = Damage()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def path(self) -> Path:
        return self.info.path

    @property
    def skipped_packets(self) -> int:
        """How many damaged packets have been stepped over so far."""
        return self._damage.packets

    def reopen(self, *, draft: bool = False) -> VideoReader:
        """Return another reader of the same video, for a second pass beside this one's."""
        return VideoReader(self._surveyed, threads=self._threads, max_pixels=self._max_pixels, draft=draft)

    def close(self) -> None:
        """Close the file; pictures already given stay valid."""
        self._closed = True
        self._drop()

    def frames(
        self, *, span: TimeRange | None = None, every_s: float | None = None, skip_non_reference: bool = False
    ) -> Iterator[DecodedFrame]:
        """Yield the pictures that begin inside `span`, or the one on display when none does.

        With `every_s`, yield the picture on display at `span`'s start and every so many seconds after,
        each picture once. `skip_non_reference` leaves out frames no other frame depends on, for speed.
        """
        start, end = self._bounds(span)
        cursor = Cursor(partial(self._decode_from, skip_non_reference=skip_non_reference), self._timeline)
        if every_s is None:
            return _between(cursor, start, end)
        if not (math.isfinite(every_s) and every_s > 0):
            raise UserError(f"every_s is {every_s}; give a number of seconds above 0.")
        stop = self._timeline.duration if end is None else min(end, self._timeline.duration)
        return _sampled(cursor, start, stop, max(Fraction(every_s).limit_denominator(1_000_000), TOLERANCE))

    def reference_rate(self, *, first_s: float = 2.0) -> float:
        """Return how many frames a second begin the video, less those no other frame depends on."""
        length_s = min(first_s, self.info.duration_s)
        span = TimeRange(start_time=0.0, end_time=length_s)
        return sum(1 for _ in self.frames(span=span, skip_non_reference=True)) / max(length_s, 1e-6)

    def at(self, times: Iterable[float | Fraction]) -> Iterator[DecodedFrame]:
        """Yield the picture on display at each of `times`, in the order given."""
        wanted = [self._check_time(time) for time in times]
        video = self.info.video
        frame_bytes = video.coded_width * video.coded_height * (2 if video.bit_depth <= 8 else 4)
        batch = max(4, min(_MAX_BATCH, _HELD_BYTES // frame_bytes))
        return _answers(Cursor(self._decode_from, self._timeline), wanted, batch)

    def _bounds(self, span: TimeRange | None) -> tuple[Fraction, Fraction | None]:
        if span is None:
            return Fraction(0), None
        return self._check_time(span.start_time), Fraction(span.end_time)

    def _check_time(self, time: float | Fraction) -> Fraction:
        duration_s = self.info.duration_s
        if not (math.isfinite(time) and 0 <= time <= duration_s + float(TOLERANCE)):
            raise UserError(
                f"Time {float(time):g} s is outside {self.path.name}, which runs from 0 to {duration_s:g} s."
            )
        return Fraction(time)

    def _decode_from(self, tick: int | None, *, skip_non_reference: bool = False) -> Iterator[DecodedFrame]:
        """Decode on from the keyframe before `tick`, or from the very beginning."""
        self._turn += 1
        turn = self._turn
        stream = self._position(tick)
        # Where times are counted by frames, none may be skipped.
        skips = skip_non_reference and self._timeline.steady
        stream.codec_context.skip_frame = "NONREF" if skips else "DEFAULT"
        assert self._container is not None
        clock = Clock(self._timeline, self.info.video.fps)
        shown = 0
        with reading(self.path):
            for frame in decode_video(self._container, stream, self._damage):
                # Frames right after a seek may depend on frames that were not read.
                settled = clock.read(frame) if shown or tick is None or not frame.is_corrupt else None
                if settled is None:
                    continue
                shown += 1
                yield DecodedFrame(frame, index=settled[0], time=settled[1], scaler=self._scaler)
                if turn != self._turn or self._closed:
                    raise UserError(
                        "This pass over the video has ended: another was begun, or the reader was closed."
                    )
        self._check_whole(shown, tick)

    def _position(self, tick: int | None) -> VideoStream:
        if self._closed:
            raise UserError(f"The reader of {self.path.name} is closed. Open the video again.")
        if self._container is None or (tick is None and not self._fresh):
            self._reopen()
        assert self._container is not None
        stream = next(s for s in self._container.streams.video if s.index == self.info.video.index)
        self._fresh = False
        if tick is not None:
            try:
                self._container.seek(tick, stream=stream)
            except FFmpegError:
                # Not every container can seek; from the beginning every tick can be reached.
                return self._position(None)
        return stream

    def _reopen(self) -> None:
        self._drop()
        container = open_source(self.path, max_pixels=self._max_pixels)
        self._container, self._fresh = container, True
        stream = find_video(container, self.path)
        if stream.index != self.info.video.index:
            raise FileProblem(f"{self.path} has changed since it was opened. Open it again.")
        only(container, stream)
        stream.codec_context.options = dict(self._options)
        stream.thread_type = "AUTO"
        stream.thread_count = self._threads

    def _drop(self) -> None:
        if self._container is not None:
            self._container.close()
            self._container = None

    def _check_whole(self, shown: int, tick: int | None) -> None:
        """Check at the end that the file did not shrink and held at least one frame."""
        try:
            size_bytes = self.path.stat().st_size
        except OSError:
            # Removed while open: what was read is still what it held.
            size_bytes = self.info.size_bytes
        if size_bytes < self.info.size_bytes:
            raise FileProblem(
                f"{self.path} shrank while it was being read. Let whatever writes it finish, then try again."
            )
        if not shown and tick is None:
            raise DamagedMedia(f"{self.path} holds no frame that can be decoded. Copy or download it again.")


def _between(cursor: Cursor, start: Fraction, end: Fraction | None) -> Iterator[DecodedFrame]:
    """Yield the pictures that begin in the span; the one on display when none does."""
    standing: DecodedFrame | None = None
    begun = False
    for picture in cursor.run(start):
        if picture.time < start - TOLERANCE:
            standing = picture
            continue
        if end is not None and picture.time >= end - TOLERANCE:
            break
        begun = True
        yield picture
    if not begun and standing is not None:
        yield standing


def _sampled(cursor: Cursor, start: Fraction, end: Fraction, step: Fraction) -> Iterator[DecodedFrame]:
    """Yield the picture on display at every `step` from `start`, each once."""
    last, time = -1, start
    while time < end - TOLERANCE:
        picture = cursor.show(time)
        if picture.index != last:
            last = picture.index
            yield picture
        if cursor.at_end:
            return
        time += step


def _answers(cursor: Cursor, times: list[Fraction], size: int) -> Iterator[DecodedFrame]:
    """Yield the picture for each time; out-of-order times are answered in batches."""
    if times == sorted(times):
        yield from map(cursor.show, times)
        return
    pending = iter(times)
    while batch := list(islice(pending, size)):
        shown = {time: cursor.show(time) for time in sorted(set(batch))}
        yield from (shown[time] for time in batch)
