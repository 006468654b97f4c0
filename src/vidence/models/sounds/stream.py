"""Run sound analysers over a recording of any length: overlapping blocks in, merged events out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from vidence.models.speech.windows import RATE, SoundChunk
from vidence.schema.observations import SoundEvent
from vidence.schema.perception import FloatArray

__all__ = ["Analyser", "SoundMemo", "SoundProgress", "join_events", "listen", "runs"]

_BLOCK_S = 30.0
_CONTEXT_S = 2.0
"""Sound kept on each side of a block, so that no event is judged by a part of it."""
_TOUCH_S = 0.06


class Analyser(Protocol):
    """Finds events in a block of sound; the events in its middle must not depend on far-away sound."""

    def analyse(self, samples: FloatArray) -> list[SoundEvent]:
        """Return events in seconds from the first sample."""
        ...


class SoundMemo(BaseModel):
    """The state needed to resume with the same blocks and the same events."""

    model_config = ConfigDict(frozen=True)

    blocks: int
    """How many blocks are done; blocks are counted from the start of the sound."""
    going_on: tuple[SoundEvent, ...]
    """Events that may go on in the next block."""


@dataclass(frozen=True)
class SoundProgress:
    """Completed events, how far the sound was analysed, and the state to resume from there."""

    reached_s: float
    events: tuple[SoundEvent, ...]
    memo: SoundMemo


@dataclass(frozen=True)
class _Block:
    start_s: float
    samples: FloatArray
    core_start_s: float
    core_end_s: float
    is_last: bool


def listen(
    chunks: Iterable[SoundChunk], analysers: Sequence[Analyser], *, memo: SoundMemo | None = None
) -> Iterator[SoundProgress]:
    """Yield the events of all analysers as they end, in flat memory; times are those of the chunks.

    Args:
        memo: the last one of a stopped run; give the whole sound again, whose finished blocks are skipped.
    """
    memo = memo or SoundMemo(blocks=0, going_on=())
    for number, block in enumerate(islice(_blocks(chunks), memo.blocks, None), memo.blocks + 1):
        found = [_clip(e, block) for one in analysers for e in one.analyse(block.samples)]
        heard = join_events([*memo.going_on, *(e for e in found if e is not None)])
        edge_s = math.inf if block.is_last else block.core_end_s - _TOUCH_S
        memo = SoundMemo(blocks=number, going_on=tuple(e for e in heard if e.end_time >= edge_s))
        yield SoundProgress(block.core_end_s, tuple(e for e in heard if e.end_time < edge_s), memo)


def join_events(events: Iterable[SoundEvent], *, gap_s: float = _TOUCH_S) -> list[SoundEvent]:
    """Merge events of one type that overlap or touch, weighing confidence by length; sorted by time."""
    joined: list[SoundEvent] = []
    last: dict[str, int] = {}
    for event in sorted(events, key=lambda e: (e.start_time, e.end_time)):
        at = last.get(event.event_type)
        if at is not None and event.start_time - joined[at].end_time <= gap_s:
            joined[at] = _merge(joined[at], event)
        else:
            last[event.event_type] = len(joined)
            joined.append(event)
    return joined


def _merge(a: SoundEvent, b: SoundEvent) -> SoundEvent:
    long_a, long_b = max(a.end_time - a.start_time, 1e-3), max(b.end_time - b.start_time, 1e-3)
    confidence = (a.confidence * long_a + b.confidence * long_b) / (long_a + long_b)
    end, finer = max(a.end_time, b.end_time), a.description or b.description
    return a.model_copy(update={"end_time": end, "confidence": confidence, "description": finer})


def _clip(event: SoundEvent, block: _Block) -> SoundEvent | None:
    """Convert an event to recording time and keep the part inside this block's core."""
    start = max(block.start_s + event.start_time, block.core_start_s)
    end = min(block.start_s + event.end_time, block.core_end_s)
    if end <= start:
        return None
    return SoundEvent.of(event.event_type, start, end, event.confidence, event.description)


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


def runs(mask: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last+1 index of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
