"""The seed's world: some first frames and a function that fetches more."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from vidence.errors import OpRetry
from vidence.runs.ledger import frame_record
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord

__all__ = ["FetchFrames", "GivenWorld"]

FetchFrames = Callable[..., Sequence[MemoryUnit]]
"""`fetch_new_frames(count)` or `fetch_new_frames(count, focus)`."""


class GivenWorld:
    """Frames handed in, and whatever the caller's function brings."""

    def __init__(self, first: Sequence[MemoryUnit], fetch: FetchFrames | None = None) -> None:
        self._first = list(first)
        self._fetch = fetch
        self._seen: dict[int, MemoryUnit] = {}

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return ()

    @property
    def num_unseen(self) -> int | None:
        return 0 if self._fetch is None else None

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return the frames handed in, at most `count` of them."""
        return self._new(self._first[:count])

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return what the caller's function brings, without frames that were seen already."""
        if self._fetch is None:
            return []
        arguments: tuple[Any, ...] = (count, focus) if _takes_focus(self._fetch) else (count,)
        return self._new(self._fetch(*arguments))[:count]

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Refuse: there is no video behind the captions."""
        raise OpRetry(f"{call.operation} cannot be called: there is no video here. Fetch frames instead.")

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return fetched frames as records."""
        return [frame_record(self._seen[frame]) for frame in frame_ids if frame in self._seen]

    def _new(self, units: Sequence[MemoryUnit]) -> list[MemoryUnit]:
        fresh = []
        for unit in units:
            if unit.frame_id not in self._seen:
                self._seen[unit.frame_id] = unit
                fresh.append(unit)
        return fresh


def _takes_focus(function: FetchFrames) -> bool:
    try:
        inspect.signature(function).bind(1, None)
    except TypeError:
        return False
    return True
