"""Provenance: what was asked of the video world, what it answered, and the claims that rest on it."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from pydantic import Field, JsonValue

from vidence.schema.frozen import Frozen
from vidence.schema.time import TimeRange

__all__ = [
    "CheckedClaim",
    "Citation",
    "Claim",
    "ClaimVerdict",
    "EvidenceRecord",
    "OpRecord",
    "canonical_json",
    "hash_of",
]

ClaimVerdict = Literal["verified", "partly", "failed"]


def canonical_json(value: Any) -> str:
    """Write `value` so that equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def hash_of(value: Any) -> str:
    """Return the sha256 of the value's canonical JSON."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


class OpRecord(Frozen):
    """One run of one operation: enough to find its result again and to re-check it."""

    record_id: str
    operation: str
    arguments: dict[str, Any]
    """Validated and complete: defaults filled in."""
    video_id: str | None
    span: TimeRange | None
    """The part of the video the result speaks about; None means all of it."""
    models: tuple[str, ...]
    """Ids of every model or algorithm whose output the result rests on."""
    index_version: str
    result_hash: str
    """sha256 of the result's canonical JSON."""
    started_at: float
    duration_s: float
    cached: bool


class EvidenceRecord(Frozen):
    """One thing that was seen, heard, read or recalled in a run, as a claim may cite it."""

    record_id: str
    """`rec_…` for an operation, `frame_12` for the caption of frame 12, `mem_…` for a memory."""
    kind: Literal["operation", "frame", "memory"]
    source: str
    """The operation's name, `frame` or `memory`."""
    video_id: str | None = None
    span: TimeRange | None = None
    """The part of the video it speaks about; None means all of it."""
    asked: dict[str, Any] = Field(default_factory=dict)
    """The operation's arguments exactly as the Solver wrote them."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """The same, validated and complete."""
    result: JsonValue = None
    """The operation's whole result, or the caption, or the memory's text."""
    result_hash: str = ""
    parts: tuple[EvidenceRecord, ...] = Field(default=(), exclude_if=lambda parts: not parts)
    """The records of a tool's steps; claims may cite them like any other."""


class Citation(Frozen):
    """Where a claim says its proof is."""

    record_id: str
    start_time: float | None = None
    end_time: float | None = None
    quote: str | None = None
    """Words said to stand in the record."""


class Claim(Frozen):
    """One sentence of an answer that can be true or false, and what proves it."""

    text: str
    citations: tuple[Citation, ...] = ()


class CheckedClaim(Frozen):
    """A claim after the verifier: only citations that hold are left."""

    text: str
    verdict: ClaimVerdict
    citations: tuple[Citation, ...] = ()
    problems: tuple[str, ...] = ()
    """What did not hold, in words."""
