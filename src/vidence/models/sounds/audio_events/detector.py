"""`AudioEvents`: takes sound of any length and returns events that are not speech."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np

from vidence.errors import UserError
from vidence.models.sounds.audio_events.labels import CLASSES, EVENT_TYPES, SILENT_CLASSES, event_type
from vidence.models.sounds.audio_events.network import (
    WEIGHTS,
    AudioEventNetwork,
    ProbabilityStream,
    confidence,
)
from vidence.models.sounds.audio_events.segmenter import FRAME_S, EventSpan, Rules, Segmenter
from vidence.models.sounds.mel import SAMPLE_RATE
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray

__all__ = ["AudioEvents"]

_GAP_S = 0.1
"""A chunk that starts this much later than the last one ended begins a new stretch of sound."""


class AudioEvents:
    """Finds sounds of 52 kinds in 16 kHz mono samples; `feed` chunks in order, then `finish`."""

    model_id = "vidence-audio-events-1"

    def __init__(
        self,
        *,
        threads: int = 1,
        least_confidence: float = 0.0,
        skip: Collection[str] = SILENT_CLASSES,
        weights: Path = WEIGHTS,
        rules: Rules | None = None,
    ) -> None:
        self._network = AudioEventNetwork(weights, threads=threads)
        self._least, self._skip = least_confidence, frozenset(skip)
        self._rules = rules or Rules()
        self._events: list[SoundEvent] = []
        self._begin(0.0)

    @property
    def labels(self) -> tuple[str, ...]:
        """Every event type that can be reported."""
        return EVENT_TYPES

    def feed(self, chunk: FloatArray, start_time: float, *, sample_rate: int = SAMPLE_RATE) -> None:
        """Take the samples that start at `start_time` seconds; chunks come in order of time."""
        samples = _checked(chunk, sample_rate)
        if not np.isfinite(start_time):
            raise UserError(f"A chunk of sound cannot start at {start_time} s; give a time in seconds.")
        if self._fed == 0:
            self._begin(start_time)
        elif abs(start_time - (self._start + self._fed / SAMPLE_RATE)) > _GAP_S:
            if start_time < self._start + self._fed / SAMPLE_RATE - _GAP_S:
                raise UserError(
                    f"The chunk at {start_time:g} s comes before sound already fed; feed in order."
                )
            self._end()
            self._begin(start_time)
        self._fed += samples.size
        for frames in self._stream.push(samples):
            self._keep(self._segmenter.push(frames))

    def finish(self) -> list[SoundEvent]:
        """Return every event in order of time and make ready for the next recording."""
        self._end()
        events = sorted(self._events, key=lambda event: (event.start_time, event.event_type))
        self._events = []
        self._begin(0.0)
        return events

    def detect(self, samples: FloatArray, *, sample_rate: int = SAMPLE_RATE) -> list[SoundEvent]:
        """Return the events of one whole recording."""
        self.feed(samples, 0.0, sample_rate=sample_rate)
        return self.finish()

    def _begin(self, start: float) -> None:
        self._start, self._fed = start, 0
        self._stream = ProbabilityStream(self._network)
        self._segmenter = Segmenter(len(CLASSES), self._rules)

    def _end(self) -> None:
        for frames in self._stream.finish():
            self._keep(self._segmenter.push(frames))
        self._keep(self._segmenter.flush())

    def _keep(self, spans: list[EventSpan]) -> None:
        for span in spans:
            sure = confidence(span.score)
            name = CLASSES[span.category]
            if name in self._skip or sure < self._least:
                continue
            start = max(0.0, self._start + span.first * FRAME_S)
            end = min(self._start + span.last * FRAME_S, self._start + self._fed / SAMPLE_RATE)
            self._events.append(
                SoundEvent(
                    event_type=event_type(name),
                    start_time=round(start, 3),
                    end_time=round(max(start, end), 3),
                    confidence=round(sure, 3),
                    description=name,
                )
            )


def _checked(chunk: FloatArray, sample_rate: int) -> FloatArray:
    """Return samples that are finite and within full scale, or say what is wrong with them."""
    if sample_rate != SAMPLE_RATE:
        raise UserError(f"The sound is at {sample_rate} Hz; resample it to {SAMPLE_RATE} Hz first.")
    samples = np.asarray(chunk)
    if samples.ndim != 1:
        raise UserError(f"The sound has shape {samples.shape}; mix its channels down to one dimension first.")
    if not np.issubdtype(samples.dtype, np.floating):
        raise UserError(f"The samples are {samples.dtype}; give floats between -1 and 1.")
    cleaned = np.nan_to_num(samples.astype(np.float32), nan=0.0, posinf=1.0, neginf=-1.0)
    clipped: FloatArray = np.clip(cleaned, -1.0, 1.0)
    return clipped
