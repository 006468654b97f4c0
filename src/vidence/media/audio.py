"""Sound as mono float samples in video time: gaps filled, offsets kept, damage skipped."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import cast

import numpy as np
from av.audio.fifo import AudioFifo
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.error import FFmpegError
from numpy.typing import NDArray

from vidence.errors import UserError
from vidence.media.decode import Damage, only, read_packets, seek_sound
from vidence.media.probe import probe
from vidence.media.source import check_file, open_source, reading
from vidence.schema.media import MediaInfo
from vidence.schema.time import TimeRange

__all__ = ["AudioChunk", "in_phase", "read_audio", "without_strays"]

Samples = NDArray[np.float32]

# Timestamps are rounded by containers; only a jump larger than this is a real gap or overlap.
_JITTER_S = 0.05
# A jump further than this is a broken timestamp, not a silence to fill.
_MAX_GAP_S = 24 * 3600
# A jump back further than this is a clock that restarted, as where two recordings were joined.
_RESTART_S = 1
# Seeking to an audio packet may land a little late; decoders also need a moment to settle.
_PREROLL_S = 1
# How much sound is resampled at once.
_PIECE_S = 1
_OPPOSED = -0.95
"""Ordinary stereo, however wide, stays far above this."""
_JUMP_S = 1.0
_NEAR_S = 0.05
_HELD = 48
"""Frames, about a second, within which the old timestamps must return if the jump was damage."""


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """A stretch of sound."""

    start_time: float
    """Seconds from the first displayed frame."""
    samples: Samples = field(repr=False)  # (N,) mono, -1 to 1
    rate: int
    skipped_packets: int = 0
    """Damaged packets stepped over since the start of the read."""
    lost: tuple[TimeRange, ...] = ()
    """Stretches within the sound that the file does not hold; they are given as silence."""

    @property
    def end_time(self) -> float:
        return self.start_time + len(self.samples) / self.rate


def read_audio(
    path: str | os.PathLike[str],
    *,
    stream: int | None = None,
    span: TimeRange | None = None,
    chunk_s: float = 30.0,
    rate: int = 16000,
    info: MediaInfo | None = None,
) -> Iterator[AudioChunk]:
    """Yield the sound of a video in chunks of `chunk_s` seconds, resampled to `rate` and mixed to mono.

    `stream` is the index of an audio stream as probed (the first by default); `info` saves probing again.
    The first chunk starts at 0 or at the span's start: sound that begins later is preceded by silence.
    """
    path = Path(path)
    check_file(path)
    if not (math.isfinite(chunk_s) and chunk_s > 0) or rate < 1:
        raise UserError(f"chunk_s is {chunk_s} and rate is {rate}; give numbers above 0.")
    info = info or probe(path)
    index = _choose(info, stream)
    if span is not None and span.start_time > info.duration_s:
        raise UserError(
            f"{path.name} ends at {info.duration_s:g} s, before the span at {span.start_time:g} s."
        )
    return _chunks(path, info, index, span, max(1, round(chunk_s * rate)), rate)


def _choose(info: MediaInfo, stream: int | None) -> int:
    known = [audio.index for audio in info.audio]
    if not known:
        raise UserError(f"{info.path.name} has no sound that can be decoded.")
    if stream is None:
        return known[0]
    if stream not in known:
        raise UserError(f"Stream {stream} of {info.path.name} is not sound; its audio streams are {known}.")
    return stream


def _chunks(
    path: Path, info: MediaInfo, index: int, span: TimeRange | None, length: int, rate: int
) -> Iterator[AudioChunk]:
    first = round(span.start_time * rate) if span else 0
    last = round(span.end_time * rate) if span else None
    damage = Damage()
    with open_source(path) as container, reading(path):
        stream = next((s for s in container.streams.audio if s.index == index), None)
        if stream is None:
            raise UserError(f"{path.name} has changed since it was probed. Probe it again.")
        only(container, stream)
        origin = info.video.start_time
        # Samples before the span, of the preroll or of a file that is not seekable, are dropped below.
        seek_sound(container, stream, Fraction(first, rate) + origin - _PREROLL_S)
        store = _Assembler(first, last, length)
        for place, samples in _Placer(origin, rate).run(without_strays(_decode(container, stream, damage))):
            for start, ready in store.add(place, samples):
                yield AudioChunk(start / rate, ready, rate, damage.packets, store.lost(rate))
            if store.full:
                break
        for start, ready in store.flush():
            yield AudioChunk(start / rate, ready, rate, damage.packets, store.lost(rate))


def _decode(container: InputContainer, stream: AudioStream, damage: Damage) -> Iterator[AudioFrame]:
    for packet in read_packets(container, stream, damage):
        try:
            yield from packet.decode()
        except (FFmpegError, ValueError, MemoryError):
            damage.packets += 1


class _Placer:
    """Resamples frames, some at a time, and says at which output sample each piece begins."""

    def __init__(self, origin: Fraction, rate: int) -> None:
        self._rate = rate
        self._run: _Run | None = None
        self._zero = origin
        """The timestamp, in seconds, of video time 0; it changes when the clock restarts."""
        self._zero_s = float(origin)

    def run(self, frames: Iterator[AudioFrame]) -> Iterator[tuple[int, Samples]]:
        for frame in frames:
            if frame.samples <= 0 or frame.sample_rate <= 0:
                continue
            if self._run is None or self._breaks(self._run, frame):
                if self._run is not None:
                    yield from self._run.emit(last=True)
                self._run = self._begin(self._run, frame)
            self._run.take(frame)
            if self._run.waiting >= _PIECE_S * frame.sample_rate:
                yield from self._run.emit()
        if self._run is not None:
            yield from self._run.emit(last=True)

    def _breaks(self, run: _Run, frame: AudioFrame) -> bool:
        """Say whether the frame does not simply follow the one before."""
        if _shape(frame) != run.shape:
            return True
        if frame.pts is None or run.tick is None:
            return False
        # Exact fractions would cost more than decoding; a microsecond is close enough to see a jump.
        late = frame.pts * run.tick_s - self._zero_s - run.expected_s
        if late < -_RESTART_S:
            self._zero = frame.pts * run.tick - run.expected
            self._zero_s = float(self._zero)
            return False
        return _JITTER_S < abs(late) < _MAX_GAP_S

    def _begin(self, before: _Run | None, frame: AudioFrame) -> _Run:
        expected = before.expected if before is not None else Fraction(0)
        time = expected
        if frame.pts is not None and frame.time_base is not None:
            stamped = frame.pts * frame.time_base - self._zero
            time = stamped if abs(stamped - expected) < _MAX_GAP_S else expected
        return _Run(frame, time, self._rate)


_Shape = tuple[str, str, int, Fraction | None]


def _shape(frame: AudioFrame) -> _Shape:
    return frame.format.name, frame.layout.name, frame.sample_rate, frame.time_base


class _Run:
    """Frames of one shape without a gap between them."""

    def __init__(self, first: AudioFrame, time: Fraction, rate: int) -> None:
        self.shape = _shape(first)
        self.tick = first.time_base
        self.tick_s = float(first.time_base or 0)
        self._time, self._time_s = time, float(time)
        self._place = round(time * rate)
        self._resampler = AudioResampler(format="flt", layout="mono", rate=rate)
        # Handing frames over one by one would cost more than decoding them.
        self._fifo = AudioFifo()
        self._taken = self._given = 0

    @property
    def expected(self) -> Fraction:
        """Video time at which the next frame should begin if nothing is missing."""
        return self._time + Fraction(self._taken, self.shape[2])

    @property
    def expected_s(self) -> float:
        return self._time_s + self._taken / self.shape[2]

    @property
    def waiting(self) -> int:
        """Samples taken but not yet given out."""
        return self._taken - self._given

    def take(self, frame: AudioFrame) -> None:
        """Keep a frame for the next piece."""
        # The resampler wants an unbroken clock; ours is the one that counts.
        frame.pts = None
        self._fifo.write(frame)
        self._taken += frame.samples

    def emit(self, *, last: bool = False) -> Iterator[tuple[int, Samples]]:
        """Yield the samples taken since, resampled, with their place; `last` flushes the resampler."""
        self._given = self._taken
        joined = self._fifo.read()
        if joined is not None:
            joined.pts = None
            yield from self._resample(in_phase(joined))
        if last:
            yield from self._resample(None)

    def _resample(self, frame: AudioFrame | None) -> Iterator[tuple[int, Samples]]:
        for piece in self._resampler.resample(frame):
            samples = cast("Samples", piece.to_ndarray()).reshape(-1)
            yield self._place, _clean(samples)
            self._place += len(samples)


_HOLE_S = 0.5


class _Assembler:
    """Places pieces of sound on one line of samples and cuts it into chunks; gaps become silence."""

    def __init__(self, first: int, last: int | None, length: int) -> None:
        self._next, self._last, self._length = first, last, length
        self._chunk: Samples = np.zeros(length, dtype=np.float32)
        self._filled = 0
        self._has_begun = False
        self._holes: list[tuple[int, int]] = []

    def lost(self, rate: int) -> tuple[TimeRange, ...]:
        """Return the gaps between pieces that can be heard, in video time."""
        return tuple(
            TimeRange(start_time=begin / rate, end_time=end / rate)
            for begin, end in self._holes
            if end - begin >= _HOLE_S * rate
        )

    @property
    def full(self) -> bool:
        return self._last is not None and self._next + self._filled >= self._last

    def add(self, place: int, samples: Samples) -> Iterator[tuple[int, Samples]]:
        """Take a piece that begins at output sample `place`, and yield the chunks it completes."""
        cursor = self._next + self._filled
        if place < cursor:
            # Already passed: before the span, or an overlap.
            samples = samples[cursor - place :]
            place = cursor
        if not len(samples):
            return
        if self._has_begun and place > cursor:
            self._holes.append((cursor, place))
        self._has_begun = True
        yield from self._fill(place - cursor, None)
        yield from self._fill(len(samples), samples)

    def flush(self) -> Iterator[tuple[int, Samples]]:
        """Yield what is left."""
        if self._filled:
            yield self._take()

    def _fill(self, count: int, samples: Samples | None) -> Iterator[tuple[int, Samples]]:
        done = 0
        while done < count and not self.full:
            room = min(self._length - self._filled, count - done)
            if self._last is not None:
                room = min(room, self._last - self._next - self._filled)
            if samples is not None:
                self._chunk[self._filled : self._filled + room] = samples[done : done + room]
            self._filled += room
            done += room
            if self._filled == self._length:
                yield self._take()

    def _take(self) -> tuple[int, Samples]:
        start, ready = self._next, self._chunk[: self._filled]
        self._next += self._filled
        self._chunk, self._filled = np.zeros(self._length, dtype=np.float32), 0
        return start, ready


def _clean(samples: Samples) -> Samples:
    if np.abs(samples).max(initial=0.0) <= 1.0:
        # NaN fails this comparison, so it is cleaned below.
        return samples
    finite = np.nan_to_num(samples, nan=0.0, posinf=0.0, neginf=0.0)
    return np.clip(finite, -1.0, 1.0)


def in_phase(frame: AudioFrame) -> AudioFrame:
    """Return the frame with its second channel inverted where it is the opposite of the first.

    Listeners hear such channels, but mixed to mono they cancel to silence.
    """
    if frame.layout.nb_channels != 2:
        return frame
    # Whole numbers come too, and are treated alike.
    samples = cast("NDArray[np.float32]", frame.to_ndarray())
    if samples.dtype.kind not in "fi":
        return frame
    left, right = samples if frame.format.is_planar else (samples[0, ::2], samples[0, 1::2])
    # One sample in eight is enough.
    first, second = (channel[::8].astype(np.float64) for channel in (left, right))
    scale = np.sqrt(first @ first) * np.sqrt(second @ second)
    if not scale or not first @ second < _OPPOSED * scale:
        return frame
    turned = samples.copy()
    place = turned[1] if frame.format.is_planar else turned[0, 1::2]
    lowest = np.iinfo(place.dtype).min + 1 if place.dtype.kind == "i" else -np.inf
    place[:] = -np.maximum(place, lowest)
    made = AudioFrame.from_ndarray(turned, format=frame.format.name, layout=frame.layout.name)
    made.sample_rate, made.pts = frame.sample_rate, frame.pts
    if frame.time_base is not None:
        made.time_base = frame.time_base
    return made


def without_strays(frames: Iterator[AudioFrame]) -> Iterator[AudioFrame]:
    """Yield the frames; those whose timestamps jump away and soon return lose them.

    Otherwise one wrong bit in a timestamp would put seconds of silence before all the sound that follows.
    """
    held: list[AudioFrame] = []
    clock: float | None = None
    for frame in frames:
        stamp = frame.time
        if held:
            held.append(frame)
            if stamp is not None and clock is not None and abs(stamp - clock) <= _NEAR_S:
                for stray in held[:-1]:
                    stray.pts = None
            elif len(held) < _HELD:
                clock = None if clock is None else clock + _length(frame)
                continue
            else:
                clock = stamp
            yield from held
            held = []
        elif stamp is not None and clock is not None and abs(stamp - clock) > _JUMP_S:
            held.append(frame)
            clock += _length(frame)
            continue
        else:
            yield frame
            clock = stamp if stamp is not None else clock
        clock = None if clock is None else clock + _length(frame)
    yield from held


def _length(frame: AudioFrame) -> float:
    return frame.samples / frame.sample_rate if frame.sample_rate > 0 else 0.0
