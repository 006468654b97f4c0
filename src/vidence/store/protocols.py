"""What the other rooms ask of a store: one small Protocol per kind of data, and `Store`, which bundles them.

Every write commits at once unless it happens inside `unit_of_work()`; then all of them commit together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from vidence.schema.catalogue import Added, ContentId, Granularity, StageRow, VideoRecord
from vidence.schema.entities import Entity
from vidence.schema.evidence import OpRecord
from vidence.schema.media import MediaInfo
from vidence.schema.memory import Memory, MemoryState, NewMemory
from vidence.schema.observations import Observation, Segment
from vidence.schema.time import TimeRange
from vidence.store.job_protocol import Jobs
from vidence.store.stories import HoldsStories
from vidence.store.topics import Topics

__all__ = [
    "Blobs",
    "Catalogue",
    "Entities",
    "Floats",
    "Jobs",
    "Locks",
    "Memories",
    "MemoryRow",
    "Observations",
    "Results",
    "Segments",
    "Stages",
    "Store",
    "VectorRow",
    "Vectors",
]

Floats = NDArray[np.float32]
Row = TypeVar("Row", bound=Observation)


class Catalogue(Protocol):
    """Every video of a workspace, identified by its content, with the places its file was seen at."""

    def add(self, path: Path, info: MediaInfo, content: ContentId) -> Added:
        """Note that the file at `path` holds `content`; the same content is one video wherever it lies."""

    def known(self, path: Path) -> VideoRecord | None:
        """Return the video at `path` if size and mtime are unchanged, without reading the file."""

    def at(self, path: Path) -> VideoRecord | None:
        """Return the video whose bytes are at `path` now; raise FileProblem if they were replaced."""

    def get(self, video_id: str) -> VideoRecord:
        """Return the video with exactly this id."""

    def list(self) -> tuple[VideoRecord, ...]:
        """Return every video, the first added first."""

    def page(self, *, offset: int, limit: int, name: str = "") -> tuple[tuple[VideoRecord, ...], int]:
        """Return some videos whose path contains `name`, the last added first, and how many there are."""

    def resolve(self, ref: str) -> VideoRecord:
        """Return the video meant by an id, the beginning of one, a path or a file name."""

    def locate(self, video_id: str) -> Path:
        """Return a path at which the video's own bytes can be read now."""

    def remove(self, video_id: str) -> None:
        """Forget a video and everything known about it; its file is left alone."""


class Stages(Protocol):
    """How far each index stage of each video is, so that a killed run resumes where it stopped."""

    def begin(self, video_id: str, stage: str, fingerprint: str) -> StageRow:
        """Start or resume a stage and return its row.

        Done with the same fingerprint: returned as it is, nothing to do. Unfinished with the same
        fingerprint: resumes from its cursor. Anything else starts afresh, with no cursor.
        """

    def advance(self, video_id: str, stage: str, *, progress: float, cursor: JsonValue = None) -> None:
        """Note how far the stage is (0 to 1) and where to resume it."""

    def finish(self, video_id: str, stage: str) -> None:
        """Mark the stage as done."""

    def fail(self, video_id: str, stage: str, error: str) -> None:
        """Mark the stage as failed, keeping its cursor for another try."""

    def reset(self, video_id: str, stage: str) -> None:
        """Forget that the stage was ever begun."""

    def get(self, video_id: str, stage: str) -> StageRow | None:
        """Return the stage's row, or None when it was never begun."""

    def all(self, video_id: str) -> tuple[StageRow, ...]:
        """Return every stage of a video, by name."""

    def index_version(self, video_id: str, stages: Iterable[str]) -> str:
        """Return a digest of the finished ones of `stages`; it changes when any of them does."""


class Segments(Protocol):
    """The shots ("fine") and scenes ("coarse") of each video."""

    def replace(self, video_id: str, granularity: Granularity, segments: Sequence[Segment]) -> None:
        """Store `segments` in place of those stored before."""

    def load(self, video_id: str, granularity: Granularity) -> tuple[Segment, ...]:
        """Return the segments in time order; empty when there are none."""


class Observations(Protocol):
    """The rows of every stage; a stage appends in time order and may start over."""

    def append(self, video_id: str, stage: str, rows: Sequence[Observation]) -> None:
        """Add rows after those already stored."""

    def load(self, video_id: str, stage: str, kind: type[Row], *, span: TimeRange | None = None) -> list[Row]:
        """Return the rows of a stage, or those that overlap `span`, in time order."""

    def at(self, video_id: str, stage: str, kind: type[Row], time_s: float) -> Row | None:
        """Return the last row that begins no later than `time_s`, else the first; None when there is none."""

    def clear(self, video_id: str, stage: str) -> None:
        """Delete every row of a stage."""

    def videos_naming(self, words: str, stages: Sequence[str], *, limit: int) -> list[str]:
        """Return the videos whose rows of these stages contain `words`, most rows first."""


@dataclass(frozen=True)
class VectorRow:
    """One embedding and what it stands for."""

    start_time: float
    end_time: float
    label: str
    vector: Floats


class Vectors(Protocol):
    """The embeddings of every stage, at least in half precision."""

    def append(self, video_id: str, stage: str, rows: Sequence[VectorRow]) -> None:
        """Add vectors after those already stored."""

    def load(self, video_id: str, stage: str, *, span: TimeRange | None = None) -> list[VectorRow]:
        """Return the vectors of a stage, or those that overlap `span`, in time order."""

    def clear(self, video_id: str, stage: str) -> None:
        """Delete every vector of a stage."""

    def best_videos(self, stage: str, query: Floats, *, depth: int) -> list[str]:
        """Return the videos that own the `depth` vectors nearest to a query, over all finished stages."""


class Entities(Protocol):
    """The entities registered in each video; an id never changes and is never reused."""

    def add(self, video_id: str, make: Callable[[str], Entity]) -> Entity:
        """Store what `make` builds for the next free id; two processes never get the same one."""

    def all(self, video_id: str) -> list[Entity]:
        """Return every entity of a video, the oldest first."""

    def get(self, video_id: str, entity_id: str) -> Entity:
        """Return one entity, or raise UnknownName listing those there are."""


@dataclass(frozen=True)
class MemoryRow:
    """A memory with what the index needs of it."""

    memory: Memory
    revision: int
    terms: bytes
    model_id: str | None
    vectors: Floats | None


class Memories(Protocol):
    """The memories of a workspace, scope by scope; each change gives its scope a new revision."""

    indexes: dict[tuple[str, str], object]
    """Search indexes built over these memories, kept as long as this object."""

    @property
    def folder(self) -> Path:
        """Where a copy of such an index may be kept between runs; losing it loses nothing."""

    def unit_of_work(self) -> AbstractContextManager[object]:
        """Return the store's unit of work, for a caller that holds the memories alone."""

    def now(self) -> float:
        """Return the time by this store's clock."""

    def add(
        self,
        scope: str,
        new: NewMemory,
        *,
        terms: bytes,
        vectors: Floats | None = None,
        model_id: str | None = None,
        video_id: str | None = None,
        supersedes: str | None = None,
    ) -> Memory:
        """Write one memory and return it with its id; the scope goes when the video `video_id` is removed."""

    def update(self, memory: Memory) -> None:
        """Write a memory's state, importance, pin or times; its content never changes."""

    def erase(self, memory: Memory, reason: str) -> Memory:
        """Delete a memory's content; only its id, and that it was forgotten, stay."""

    def set_vectors(self, memory: Memory, model_id: str, vectors: Floats) -> None:
        """Give a memory the vectors it was written without."""

    def get(self, scope: str, memory_id: str) -> Memory:
        """Return one memory, whatever its state."""

    def all(self, scope: str, *, state: MemoryState | None = "active") -> list[Memory]:
        """Return the memories of a scope, the oldest first."""

    def changes(self, scope: str, since: int) -> list[MemoryRow]:
        """Return what was written after revision `since`, the oldest memory first."""

    def terms(self, scope: str, number: int) -> bytes:
        """Return the index terms of one memory."""

    def positions(self, scope: str, first: int, last: int) -> tuple[int, int]:
        """Return two memories' positions among all that were ever written; -1 for an unknown one."""

    def revision(self, scope: str) -> int:
        """Return the number of the latest change in a scope; 0 when there was none."""

    def same_content(self, scope: str, content: str) -> Memory | None:
        """Return the active memory whose content differs at most in case, width and blanks."""

    def count(self, scope: str, state: MemoryState = "active") -> int:
        """Return how many memories of a scope are in a state."""

    def least_kept(self, scope: str) -> Memory | None:
        """Return the memory to forget first: old, unimportant, not pinned, and never the newest."""

    def scopes(self) -> list[str]:
        """Return every scope that has memories."""

    def save_state(self, scope: str, name: str, version: int, body: str) -> None:
        """Store a text that a scope needs after a restart."""

    def load_state(self, scope: str, name: str, version: int) -> str | None:
        """Return what `save_state` stored; refuse what a newer vidence wrote."""


class Results(Protocol):
    """What operations answered: a bounded cache, and a ledger of every run to check answers against."""

    def cached(self, key: str) -> str | None:
        """Return the result remembered under `key`."""

    def remember(self, key: str, video_id: str | None, operation: str, result_json: str) -> str:
        """Cache a result, evicting the least recently used beyond the bounds; return its hash."""

    def forget(self, video_id: str) -> None:
        """Empty the cache of a video; the ledger keeps every run and its result."""

    def record(self, record: OpRecord, *, result_json: str | None = None) -> None:
        """Append one run to the ledger, together with its result so that it can always be re-checked."""

    def records(
        self,
        *,
        video_id: str | None = None,
        operation: str | None = None,
        within: TimeRange | None = None,
        limit: int = 100,
    ) -> tuple[OpRecord, ...]:
        """Return the latest runs first, of one video or operation, or with a span that begins `within`."""

    def get_record(self, record_id: str) -> OpRecord | None:
        """Return one run by its id."""

    def result(self, result_hash: str) -> str | None:
        """Return the result JSON with this hash."""


class Blobs(Protocol):
    """Files that belong to a video, each written whole or not at all; names may hold slashes."""

    def exists(self, video_id: str, name: str) -> bool:
        """Say whether the blob was written."""

    def read(self, video_id: str, name: str) -> bytes:
        """Return the bytes of a blob."""

    def write(self, video_id: str, name: str, data: bytes) -> None:
        """Store `data`, replacing what was there."""

    def remove_video(self, video_id: str) -> None:
        """Delete every blob of a video."""

    def videos(self) -> Iterator[str]:
        """Yield the id of every video that has blobs."""

    def sweep(self) -> int:
        """Delete what interrupted writes left behind and return how many files that was."""


class Locks(Protocol):
    """Named locks between processes and threads; a killed holder releases its locks."""

    def hold(self, name: str, *, waiting: Callable[[], None] | None = None) -> AbstractContextManager[None]:
        """Hold the lock, waiting for it; `waiting` is called once when another holds it."""

    def is_held(self, name: str) -> bool:
        """Say whether somebody, here or in another process, holds the lock right now."""


class Store(HoldsStories, Protocol):
    """Everything a workspace keeps, opened together; use it as a context manager."""

    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def stages(self) -> Stages: ...
    @property
    def segments(self) -> Segments: ...
    @property
    def observations(self) -> Observations: ...
    @property
    def vectors(self) -> Vectors: ...
    @property
    def entities(self) -> Entities: ...
    @property
    def memories(self) -> Memories: ...
    @property
    def results(self) -> Results: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def topics(self) -> Topics: ...
    @property
    def blobs(self) -> Blobs: ...
    @property
    def locks(self) -> Locks: ...

    def unit_of_work(self) -> AbstractContextManager[object]:
        """Return a context in which everything this thread writes commits together or not at all.

        Inside another unit of work of the same thread it joins that one: undone alone when it fails, kept
        only when the outer one is. Blobs and locks are files and take no part.
        """

    def close(self) -> None:
        """Close the store; it cannot be used again."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc_info: object) -> None: ...
