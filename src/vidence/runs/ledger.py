"""The ledger of one run: everything it was shown, each a record that a claim may cite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from vidence.schema.agent import MemoryUnit, OperationCall
from vidence.schema.evidence import EvidenceRecord, hash_of
from vidence.schema.time import TimeRange

__all__ = ["Ledger", "frame_record", "record_name"]

_FRAME_NAME = re.compile(r"(?:frame|帧|第)?[\s_#-]*(\d+)\s*帧?", re.IGNORECASE)
_FRAME_HALF_S = 0.5
"""A frame's caption speaks of what is around it, this far to either side."""


class Ledger:
    """Records by id, in the order they came."""

    def __init__(self) -> None:
        self._records: dict[str, EvidenceRecord] = {}
        self._failed: list[tuple[OperationCall, str]] = []

    def __iter__(self) -> Iterator[EvidenceRecord]:
        return iter(self._records.values())

    def __len__(self) -> int:
        return len(self._records)

    @property
    def operations(self) -> tuple[EvidenceRecord, ...]:
        """The records of operations, without the frames."""
        return tuple(record for record in self if record.kind != "frame")

    @property
    def failed(self) -> tuple[tuple[OperationCall, str], ...]:
        """Calls that could not be answered, with what was wrong."""
        return tuple(self._failed)

    def add(self, record: EvidenceRecord) -> None:
        """Keep a record; one that is known keeps its place."""
        self._records.setdefault(record.record_id, record)

    def add_all(self, records: Sequence[EvidenceRecord]) -> None:
        """Keep several."""
        for record in records:
            self.add(record)

    def note_failure(self, call: OperationCall, problem: str) -> None:
        """Keep a call that failed, with the problem."""
        self._failed.append((call, problem))

    def find(self, record_id: str) -> EvidenceRecord | None:
        """Return the record meant by an id as a model writes it: `rec_…`, `frame_3`, `Frame 3` or `3`."""
        name = record_id.strip().strip("[]")
        return self._records.get(name) or self._records.get(record_name(name))


def record_name(text: str) -> str:
    """Return `frame_3` for the ways a model names frame 3, else the text as it is."""
    match = _FRAME_NAME.fullmatch(text.strip())
    return f"frame_{int(match.group(1))}" if match and len(match.group(1)) < 19 else text


def frame_record(unit: MemoryUnit, *, half_s: float = _FRAME_HALF_S) -> EvidenceRecord:
    """Return a frame's caption as a record."""
    span = None
    if unit.timestamp_s is not None:
        span = TimeRange(
            start_time=round(max(0.0, unit.timestamp_s - half_s), 3),
            end_time=round(unit.timestamp_s + half_s, 3),
        )
    return EvidenceRecord(
        record_id=f"frame_{unit.frame_id}",
        kind="frame",
        source="frame",
        video_id=unit.video_id,
        span=span,
        result=unit.caption,
        result_hash=hash_of(unit.caption),
    )
