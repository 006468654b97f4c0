"""The world an agent looks at: captioned frames and atomic operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.message import EncodedPicture

__all__ = ["Archive", "Pictured", "Preparing", "World"]


class World(Protocol):
    """A video, a library of them, or captions alone; a replayed trace is one too."""

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        """The videos behind it; empty for captions alone."""
        ...

    @property
    def num_unseen(self) -> int | None:
        """How many frames have not been fetched; None when there is no fixed number."""
        ...

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return the first frames, spread over the whole."""
        ...

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return frames not fetched before: those nearest to `focus`, else those that cover the unseen."""
        ...

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Run one atomic operation; OpRetry and OpFailed say what was wrong with it."""
        ...

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return fetched frames as records that claims can cite."""
        ...


@runtime_checkable
class Pictured(Protocol):
    """A world that can show a fetched frame itself, for engines that see."""

    def picture_of(self, frame_id: int) -> EncodedPicture | None:
        """Return the frame as a picture; None when it cannot be shown."""
        ...


@runtime_checkable
class Preparing(Protocol):
    """A world that runs calls faster when it knows them in advance."""

    def prepare(self, calls: Sequence[OperationCall]) -> None:
        """Prepare calls that will come one by one; a call that cannot be prepared still works."""
        ...


@runtime_checkable
class Archive(Protocol):
    """A world whose operations leave records in a store, where they can be looked up again."""

    def stored_hash(self, record_id: str) -> str | None:
        """Return the stored hash of a record; None for an unknown record."""
        ...
