"""Cut a stream of sound at its silences into windows of speech short enough for a recogniser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vidence.models.speech.vad import VAD_FRAME, SileroVad
from vidence.schema.perception import FloatArray

__all__ = ["RATE", "SoundChunk", "SpeechSpan", "SpeechWindow", "WholeSound", "cut_windows"]

RATE = 16000
_FRAME_S = VAD_FRAME / RATE
_ON, _OFF = 0.4, 0.25
"""Speech starts above the first probability and goes on until below the second."""
_SURE = 0.5
"""A stretch that never reaches this is no speech, however long it is."""
_MIN_SPEECH = 8
"""Frames (about a quarter second): anything shorter is a click, a knock, a breath."""
_MIN_SILENCE = 10
_PAD = 7
"""Frames kept to each side of speech, so that soft consonants are not cut off."""
_MAX_WINDOW_S = 18.0
"""With two seconds of silence after it; up to here one attention map of the encoder stays below 32 MB, and
above that the allocator returns the memory and requests it again for every layer."""
_MAX_REACH_S = 90.0
"""A window is closed after this much of the recording even if there was little speech in it."""
_MAX_PAUSE_S = 8.0
"""Sounds further apart go into separate windows: together, a few grunts become a sentence."""
_CUT_BACK = 250
"""When nobody pauses for a whole window, cut at the quietest of the last 8 s."""


class SoundChunk(Protocol):
    """A piece of 16 kHz mono sound; pieces follow each other in time."""

    @property
    def start_time(self) -> float: ...

    @property
    def samples(self) -> FloatArray: ...


@dataclass(frozen=True)
class WholeSound:
    """A recording in one chunk."""

    samples: FloatArray
    start_time: float = 0.0


@dataclass(frozen=True)
class SpeechSpan:
    """One stretch of speech: its sound and where in the recording it starts."""

    start_s: float
    samples: FloatArray
    speech: float
    """Mean speech probability of its frames."""

    @property
    def duration_s(self) -> float:
        return len(self.samples) / RATE

    @property
    def end_s(self) -> float:
        return self.start_s + self.duration_s


@dataclass(frozen=True)
class SpeechWindow:
    """Stretches of speech with the silence between them left out; possibly none at all."""

    spans: tuple[SpeechSpan, ...]
    reached_s: float
    """Everything before this is in this window or an earlier one, or is not speech."""


def cut_windows(chunks: Iterable[SoundChunk], vad: SileroVad) -> Iterator[SpeechWindow]:
    """Yield windows of at most 18 s of speech; one without spans only says how far the sound was read."""
    cutter = _Cutter(vad)
    for chunk in chunks:
        yield from cutter.feed(chunk.start_time, chunk.samples)
    yield from cutter.finish()


class _Cutter:
    """Holds the frames not yet returned, never more than about a minute and a half of sound."""

    def __init__(self, vad: SileroVad) -> None:
        self._vad = vad
        self._listener = vad.stream()
        self._start_s = 0.0
        """Time of the first held sample."""
        self._held = np.zeros(0, dtype=np.float32)
        self._speech = np.zeros(0, dtype=np.float32)
        self._spans: list[SpeechSpan] = []
        self._window_start_s = 0.0
        self._begun = False

    def feed(self, start_time: float, samples: FloatArray) -> Iterator[SpeechWindow]:
        """Take the next samples and yield every window that is complete."""
        expected = self._start_s + len(self._held) / RATE
        if not self._begun or abs(start_time - expected) > 0.5:
            # A gap in the sound (or the very first chunk): what came before is complete.
            yield from self.finish()
            self._start_s = self._window_start_s = start_time
            self._begun = True
        self._held = np.concatenate([self._held, samples.astype(np.float32, copy=False)])
        whole = len(self._held) // VAD_FRAME
        fresh = self._held[len(self._speech) * VAD_FRAME : whole * VAD_FRAME]
        self._speech = np.concatenate([self._speech, self._listener.probabilities(fresh)])
        yield from self._take(final=False)

    def finish(self) -> Iterator[SpeechWindow]:
        """Yield what is left as if silence followed."""
        if not self._begun:
            return
        yield from self._take(final=True)
        end_s = self._start_s + len(self._held) / RATE
        yield self._close(max(end_s, self._start_s))
        self._start_s, self._held = end_s, self._held[:0]
        self._speech, self._listener = self._speech[:0], self._vad.stream()

    def _take(self, *, final: bool) -> Iterator[SpeechWindow]:
        while True:
            found = find_speech(self._speech, final=final)
            if found is None:
                yield from self._drop(len(self._speech) if final else self._quiet_frames())
                return
            first, last = found
            span = self._cut(first, last)
            kept_s = sum(one.duration_s for one in self._spans)
            is_apart = bool(self._spans) and span.start_s - self._spans[-1].end_s > _MAX_PAUSE_S
            if is_apart or (self._spans and kept_s + span.duration_s > _MAX_WINDOW_S):
                yield self._close(span.start_s)
            self._spans.append(span)
            yield from self._drop(last)

    def _quiet_frames(self) -> int:
        """How many held frames can never become part of speech."""
        loud = np.flatnonzero(self._speech >= _ON)
        settled = int(loud[0]) if len(loud) else len(self._speech)
        return max(0, settled - _PAD)

    def _cut(self, first: int, last: int) -> SpeechSpan:
        begin, end = max(0, first - _PAD), last
        # Where a window was cut within speech nothing is padded, or words would appear twice.
        while end < min(last + _PAD, len(self._speech)) and self._speech[end] < _OFF:
            end += 1
        samples = self._held[begin * VAD_FRAME : end * VAD_FRAME].copy()
        return SpeechSpan(self._start_s + begin * _FRAME_S, samples, float(self._speech[first:last].mean()))

    def _drop(self, frames: int) -> Iterator[SpeechWindow]:
        self._held = self._held[frames * VAD_FRAME :]
        self._speech = self._speech[frames:]
        self._start_s += frames * _FRAME_S
        if self._start_s - self._window_start_s > _MAX_REACH_S:
            yield self._close(self._start_s)

    def _close(self, reached_s: float) -> SpeechWindow:
        window = SpeechWindow(tuple(self._spans), reached_s)
        self._spans, self._window_start_s = [], reached_s
        return window


def find_speech(speech: FloatArray, *, final: bool) -> tuple[int, int] | None:
    """Return first and last+1 frame of the earliest finished stretch of speech, if one is finished."""
    at = 0
    while True:
        loud = np.flatnonzero(speech[at:] >= _ON)
        if len(loud) == 0:
            return None
        first = at + int(loud[0])
        last = _speech_end(speech, first, final=final)
        if last is None:
            return None
        if last - first >= _MIN_SPEECH and float(speech[first:last].max()) >= _SURE:
            return first, last
        at = last


def _speech_end(speech: FloatArray, first: int, *, final: bool) -> int | None:
    limit = first + int(_MAX_WINDOW_S / _FRAME_S) - 2 * _PAD
    quiet = 0
    for i in range(first, min(len(speech), limit)):
        quiet = quiet + 1 if speech[i] < _OFF else 0
        if quiet >= _MIN_SILENCE:
            return i + 1 - quiet
    if len(speech) >= limit:
        return limit - _CUT_BACK + int(np.argmin(speech[limit - _CUT_BACK : limit])) + 1
    return len(speech) - quiet if final else None
