"""Runs sound analysers over a recording of any length: overlapping blocks in, merged events out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from vidence.models.speech_windows import RATE, SoundChunk
from vidence.schema.perception import FloatArray, SoundEvent

__all__ = ["Analyser", "SoundProgress", "join_events", "listen"]

_BLOCK_S = 30.0
_CONTEXT_S = 2.0
"""Sound kept to each side of a block, so that nothing is judged by half of it."""
_TOUCH_S = 0.06


class Analyser(Protocol):
    """Finds events in a stretch of sound; what it says of the middle must not depend on far-away sound."""

    def analyse(self, samples: FloatArray) -> list[SoundEvent]:
        """Return events in seconds from the first sample."""
        ...


@dataclass(frozen=True)
class SoundProgress:
    """Events that are complete; listening may resume from `reached_s` without losing or repeating any."""

    reached_s: float
    events: tuple[SoundEvent, ...]


@dataclass(frozen=True)
class _Block:
    start_s: float
    samples: FloatArray
    core_start_s: float
    core_end_s: float
    is_last: bool


def listen(chunks: Iterable[SoundChunk], analysers: Sequence[Analyser]) -> Iterator[SoundProgress]:
    """Yield the events of all analysers as they end, in flat memory; times are those of the chunks."""
    pending: list[SoundEvent] = []
    for block in _blocks(chunks):
        found = [_clip(e, block) for one in analysers for e in one.analyse(block.samples)]
        pending = join_events([*pending, *(e for e in found if e is not None)])
        still_open = [e for e in pending if not block.is_last and e.end_s >= block.core_end_s - _TOUCH_S]
        # What ends after an open event starts would be found again on resuming, so it waits too.
        reached = min((e.start_s for e in still_open), default=block.core_end_s)
        ready = tuple(e for e in pending if e not in still_open and e.end_s <= reached)
        pending = [e for e in pending if e not in ready]
        yield SoundProgress(reached, ready)


def join_events(events: Iterable[SoundEvent], *, gap_s: float = _TOUCH_S) -> list[SoundEvent]:
    """Merge events of one label that overlap or touch, weighing confidence by length; sorted by time."""
    joined: list[SoundEvent] = []
    last: dict[str, int] = {}
    for event in sorted(events, key=lambda e: (e.start_s, e.end_s)):
        at = last.get(event.label)
        if at is not None and event.start_s - joined[at].end_s <= gap_s:
            joined[at] = _merge(joined[at], event)
        else:
            last[event.label] = len(joined)
            joined.append(event)
    return joined


def _merge(a: SoundEvent, b: SoundEvent) -> SoundEvent:
    long_a, long_b = max(a.end_s - a.start_s, 1e-3), max(b.end_s - b.start_s, 1e-3)
    confidence = (a.confidence * long_a + b.confidence * long_b) / (long_a + long_b)
    finer = a.description or b.description
    return SoundEvent(a.label, a.start_s, max(a.end_s, b.end_s), confidence, finer)


def _clip(event: SoundEvent, block: _Block) -> SoundEvent | None:
    """Put an event into recording time and keep the part this block answers for."""
    start = max(block.start_s + event.start_s, block.core_start_s)
    end = min(block.start_s + event.end_s, block.core_end_s)
    return replace(event, start_s=start, end_s=end) if end > start else None


def _blocks(chunks: Iterable[SoundChunk]) -> Iterator[_Block]:
    held, start_s, core_s = np.zeros(0, dtype=np.float32), 0.0, 0.0
    begun = False
    for chunk in chunks:
        if not begun:
            start_s = core_s = chunk.start_time
            begun = True
        held = np.concatenate([held, chunk.samples.astype(np.float32, copy=False)])
        while start_s + len(held) / RATE >= core_s + _BLOCK_S + _CONTEXT_S:
            end_s = core_s + _BLOCK_S
            until = round((end_s + _CONTEXT_S - start_s) * RATE)
            yield _Block(start_s, held[:until], core_s, end_s, is_last=False)
            core_s = end_s
            drop = max(0, round((core_s - _CONTEXT_S - start_s) * RATE))
            held, start_s = held[drop:], start_s + drop / RATE
    if begun:
        yield _Block(start_s, held, core_s, start_s + len(held) / RATE, is_last=True)
