"""One definition per operation; validation, schemas, CLI, docs and provenance all come from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from vidence.ops.context import OpContext
from vidence.schema.ops import Category, Request, Result
from vidence.schema.time import TimeRange

__all__ = ["Operation"]

Req = TypeVar("Req", bound=Request)
Res = TypeVar("Res", bound=Result)


@dataclass(frozen=True)
class Operation(Generic[Req, Res]):
    """An atomic operation on the video world."""

    name: str
    category: Category
    purpose: str
    """One line, in the imperative; what an LLM reads to choose."""
    request: type[Req]
    result: type[Res]
    run: Callable[[OpContext, Req], Res]
    stages: tuple[str, ...] = ()
    """Index stages it reads; they are made before it runs and their versions key the cache."""
    also_reads: tuple[str, ...] = ()
    """Index stages it reads where they are finished; they key the cache too but are not made for it."""
    capabilities: tuple[str, ...] = ()
    """Models it calls on itself; the ones chosen for them key the cache."""
    stateful: bool = False
    """True when it changes the workspace: such results are never served from the cache."""
    version: int = 1
    """Raised when the same arguments over the same index give another result."""
    notes: str = ""
    """What a caller should know beyond the schema; goes to the docs page."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """Arguments beyond `video_id` that make a good first call."""
    span: Callable[[Req], TimeRange | None] = lambda request: None
    """The part of the video a request speaks about."""
