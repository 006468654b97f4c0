"""Move through a video to the picture on display at a time, decoding no more than needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain

from vidence.errors import DamagedMedia
from vidence.media.picture import DecodedFrame
from vidence.media.timeline import Timeline

__all__ = ["Cursor", "DecodeFrom"]

DecodeFrom = Callable[[int | None], Iterator[DecodedFrame]]
"""Decode on from the keyframe before a tick, or from the very beginning."""

# A time this close before a frame begins means that frame: floats cannot write 1/3.
TOLERANCE = Fraction(1, 1_000_000)
# Seeks may land late (keyframes are found by decoding time, not display time): then go back this far.
_BACK_S = (0, 2, 10)
# Seeking discards the frames inside the decoder, so a short distance is decoded through.
_WORTH_SEEKING = 12
# Without a keyframe index, gaps over this many seconds are worth a seek.
_BLIND_SEEK_S = 10


class Cursor:
    """Holds the picture on display and the next one, and moves to any time."""

    def __init__(self, decode_from: DecodeFrom, timeline: Timeline) -> None:
        self._decode_from, self._timeline = decode_from, timeline
        self._rest: Iterator[DecodedFrame] = iter(())
        self._current: DecodedFrame | None = None
        self._ahead: DecodedFrame | None = None
        self._step_s = timeline.duration / timeline.count

    @property
    def at_end(self) -> bool:
        """Whether the picture last shown is the last there is."""
        return self._current is not None and self._ahead is None

    def show(self, time: Fraction) -> DecodedFrame:
        """Return the picture on display at `time`: the last that begins no later."""
        time += TOLERANCE
        if self._current is None or time < self._current.time or self._seek_pays(time):
            self._go(time)
        while self._ahead is not None and self._ahead.time <= time:
            self._advance()
        if self._current is None:
            raise DamagedMedia(
                "No frame could be decoded there: the file is damaged. Copy or download it again."
            )
        return self._current

    def run(self, time: Fraction) -> Iterator[DecodedFrame]:
        """Yield every picture from the one on display at `time` on."""
        if time <= 0:
            return self._decode_from(None)
        current = self.show(time)
        ahead = [self._ahead] if self._ahead is not None else []
        return chain([current], ahead, self._rest)

    def _advance(self) -> None:
        self._current, self._ahead = self._ahead, next(self._rest, None)

    def _seek_pays(self, time: Fraction) -> bool:
        if not self._timeline.steady or self._ahead is None:
            return False
        gap_s = time - self._ahead.time
        if not len(self._timeline.keyframes):
            return gap_s > _BLIND_SEEK_S
        keyframe = self._timeline.keyframe_before(self._tick(time))
        reached = self._tick(self._ahead.time) + _WORTH_SEEKING * self._step_s / self._timeline.time_base
        return keyframe is not None and keyframe > reached

    def _go(self, time: Fraction) -> None:
        """Go to the last keyframe from which the picture at `time` can be reached."""
        for back_s in _BACK_S if self._timeline.steady else ():
            if time - back_s < self._step_s:
                break
            self._begin(self._tick(time - back_s))
            if self._current is not None and self._current.time <= time:
                return
        self._begin(None)

    def _begin(self, tick: int | None) -> None:
        self._rest = self._decode_from(tick)
        self._current = next(self._rest, None)
        self._ahead = next(self._rest, None)

    def _tick(self, time: Fraction) -> int:
        return self._timeline.start + int(time / self._timeline.time_base)
