"""One definition per story tool; validation, schema, CLI, docs, cache and provenance come from it."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict

from vidence.knowledge.reader import StoryReader
from vidence.ops.validate import validate_request
from vidence.schema.evidence import EvidenceRecord, OpRecord, canonical_json
from vidence.schema.frozen import Frozen
from vidence.store.protocols import Results

__all__ = ["StoryRequest", "StoryResult", "StoryTool", "run_story_tool"]


class StoryRequest(Frozen):
    """What a caller sends; unknown parameters are an error, never ignored."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class StoryResult(Frozen):
    """What a tool answers; its quotations are what a claim may cite."""


Req = TypeVar("Req", bound=StoryRequest)
Res = TypeVar("Res", bound=StoryResult)


@dataclass(frozen=True)
class StoryTool(Generic[Req, Res]):
    """A tool that reads one story."""

    name: str
    purpose: str
    """One line, in the imperative; what an LLM reads to choose."""
    request: type[Req]
    result: type[Res]
    run: Callable[[StoryReader, Req], Res]
    version: int = 1
    notes: str = ""
    example: Mapping[str, Any] = field(default_factory=dict)


def run_story_tool(
    tool: StoryTool[Req, Res], arguments: Mapping[str, Any], reader: StoryReader, results: Results
) -> EvidenceRecord:
    """Run one tool and return its result as a record; an unchanged story answers from the cache."""
    request = validate_request(tool, arguments)
    started_at, clock = time.time(), time.perf_counter()
    identity = [tool.name, tool.version, request.model_dump(mode="json"), reader.story, reader.revision]
    key = hashlib.sha256(canonical_json(identity).encode()).hexdigest()
    cached = results.cached(key)
    if cached is None:
        text = canonical_json(tool.run(reader, request).model_dump(mode="json", exclude_none=True))
        results.remember(key, None, tool.name, text)
    else:
        text = cached
    result = tool.result.model_validate_json(text)
    record = OpRecord(
        record_id=f"rec_{uuid.uuid4().hex[:16]}",
        operation=tool.name,
        arguments={"story": reader.story, **request.model_dump(mode="json")},
        video_id=None,
        span=None,
        models=(),
        index_version=reader.revision,
        result_hash=hashlib.sha256(text.encode()).hexdigest(),
        started_at=started_at,
        duration_s=time.perf_counter() - clock,
        cached=cached is not None,
    )
    results.record(record, result_json=text)
    return EvidenceRecord(
        record_id=record.record_id,
        kind="operation",
        source=tool.name,
        asked=dict(arguments),
        arguments=request.model_dump(mode="json"),
        result=result.model_dump(mode="json", exclude_none=True),
        result_hash=record.result_hash,
    )
