"""The world of a monitor: no frames, only its tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from vidence.errors import OpRetry
from vidence.ops.catalogue import TOPIC_TOOLS
from vidence.runs.worlds.video import RunOperation, operation_evidence
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord

__all__ = ["TopicWorld"]


class TopicWorld:
    """The sources of a monitor, looked at through its tools."""

    def __init__(self, run: RunOperation, *, stored_hash: Callable[[str], str | None]) -> None:
        self._run, self._stored_hash = run, stored_hash

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return ()

    @property
    def num_unseen(self) -> int:
        return 0

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return none: sources have no frames."""
        return []

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return none: sources have no frames."""
        return []

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Run one of the monitor's tools."""
        if call.operation not in TOPIC_TOOLS:
            raise OpRetry(f"{call.operation} is none of the monitor's tools: {', '.join(TOPIC_TOOLS)}.")
        return operation_evidence(self._run(call.operation, call.arguments), call)

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return none: sources have no frames."""
        return []

    def stored_hash(self, record_id: str) -> str | None:
        """Return the stored hash of a record."""
        return self._stored_hash(record_id)
