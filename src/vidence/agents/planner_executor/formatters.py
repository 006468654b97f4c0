"""The response models of the planner's tasks, and memories as the evidence claims may cite."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from vidence.schema.agent import AnswerPayload
from vidence.schema.beliefs import BeliefReport
from vidence.schema.canonical import hash_of
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.memory import RetrievalResult
from vidence.schema.navigation import NavigationStep
from vidence.schema.planning import ContentAnalysis, FinalOutput, QueryAnalysis, RecalledNote, ToolCommand

__all__ = [
    "BeliefReport",
    "ContentAnalysis",
    "FinalOutput",
    "NavigationStep",
    "QueryAnalysis",
    "ToolCommand",
    "answer_payload",
    "memory_record",
    "picture_record",
    "recalled_notes",
]


def recalled_notes(results: Iterable[RetrievalResult]) -> tuple[RecalledNote, ...]:
    """Return retrieved memories as a planner is shown them."""
    return tuple(_note(one) for one in results)


def memory_record(note: RecalledNote) -> EvidenceRecord:
    """Return a memory as a record: what was said, by whom and when, never what is seen."""
    result: dict[str, JsonValue] = {
        "content": note.content,
        "memory_type": note.memory_type,
        "speaker": note.speaker,
        "said_on": _days(note.said_at),
    }
    return EvidenceRecord(
        record_id=note.memory_id,
        kind="memory",
        source="memory",
        result=result,
        result_hash=hash_of(result),
    )


def picture_record(place: int, caption: str) -> EvidenceRecord:
    """Return what a picture given with the query shows, as a record; pictures count from 1."""
    return EvidenceRecord(
        record_id=f"picture_{place}",
        kind="frame",
        source="picture",
        result=caption,
        result_hash=hash_of(caption),
    )


def answer_payload(output: FinalOutput) -> AnswerPayload:
    """Return a final output in the form the verifier and the Checker read."""
    return AnswerPayload(
        final_answer=output.answer,
        explanation=output.explanation,
        claims=output.claims,
        probability=output.probability,
        cannot_tell=output.cannot_tell,
    )


def _note(one: RetrievalResult) -> RecalledNote:
    metadata: dict[str, Any] = one["metadata"]
    return RecalledNote(
        memory_id=str(metadata.get("memory_id") or f"mem_{one['index'] + 1:03d}"),
        content=one["content"],
        memory_type=str(metadata.get("memory_type") or metadata.get("type") or "observation"),
        speaker=metadata.get("speaker"),
        said_at=metadata.get("said_at"),
        relevance=float(metadata.get("relevance") or 0.0),
    )


def _days(said_at: float | None) -> str:
    """Write a day the way both languages may cite it."""
    if said_at is None:
        return ""
    day = datetime.fromtimestamp(said_at)
    return f"{day:%Y-%m-%d}; {day.day} {day:%B %Y}; {day.year}年{day.month}月{day.day}日"
