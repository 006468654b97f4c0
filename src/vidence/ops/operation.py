"""One definition per operation; validation, schemas, CLI, docs and provenance all come from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from pydantic import ConfigDict, Field

from vidence.ops.context import OpContext
from vidence.schema.frozen import Frozen
from vidence.schema.time import TimeRange

__all__ = ["Category", "Operation", "Request", "Result", "TopicRequest"]

Category = Literal["video", "perception", "entity", "retrieval", "memory", "topic", "tool"]


class TopicRequest(Frozen):
    """What a caller sends; unknown parameters are an error, never ignored."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Request(TopicRequest):
    """What a caller sends about a video."""

    video_id: str = Field(
        min_length=1, description="Unique id of the video, as `vidence list` shows it (vid_…)."
    )


class Result(Frozen):
    """What an operation answers."""


Req = TypeVar("Req", bound=TopicRequest)
Res = TypeVar("Res", bound=Result)


@dataclass(frozen=True)
class Operation(Generic[Req, Res]):
    """An atomic operation on the video world, or a tool of the monitor."""

    name: str
    category: Category
    purpose: str
    """One line, in the imperative; what an LLM reads to choose."""
    request: type[Req]
    result: type[Res]
    run: Callable[[OpContext, Req], Res]
    stages: tuple[str, ...] = ()
    """Index stages it reads; they are computed before it runs and their versions key the cache."""
    also_reads: tuple[str, ...] = ()
    """Index stages it reads if they are finished; they key the cache too but are not computed for it."""
    capabilities: tuple[str, ...] = ()
    """Capabilities of the models it calls itself; the chosen models key the cache."""
    stateful: bool = False
    """True when it changes the workspace: such results are never served from the cache."""
    version: int = 1
    """Incremented when the same arguments over the same index give another result."""
    notes: str = ""
    """What a caller should know beyond the schema; goes to the docs page."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """Arguments beyond `video_id` that make a good first call."""
    span: Callable[[Req], TimeRange | None] = lambda request: None
    """The part of the video a request speaks about."""
