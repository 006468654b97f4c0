"""The memories of one scope: written with their provenance, merged, corrected, forgotten and retrieved."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from vidence.errors import BackendError, UserError
from vidence.language.tokens import IndexedText, index_text
from vidence.memory.bm25 import LazyList
from vidence.memory.documents import Document
from vidence.memory.duplicates import checked, confirmed, find_duplicate, is_repeat
from vidence.memory.embedding import embed_document
from vidence.memory.hybrid_retriever import HybridRetriever, Retrieved
from vidence.memory.snapshot import WORTH_KEEPING, Snapshot, SnapshotFolder
from vidence.models.protocols import TextEmbedder
from vidence.schema.memory import Memory, NewMemory
from vidence.schema.printable import json_text
from vidence.schema.read_json import load_json
from vidence.store import Memories, MemoryRow

__all__ = ["MemoryBook", "Recalled", "Written", "open_book"]

_FORMAT, _FORMAT_VERSION = "vidence-memories", 1


@dataclass(frozen=True)
class Written:
    """The result of writing a memory."""

    memory: Memory
    is_new: bool
    """False when a near-duplicate was confirmed instead."""


@dataclass(frozen=True)
class Recalled:
    """Retrieved memories, and whether they answer."""

    memories: tuple[tuple[Memory, float], ...]
    """Each with its relevance, 0 to 1; the best first."""
    found: Retrieved


class MemoryBook:
    """One scope of the store with its index, which follows what other processes write."""

    def __init__(
        self,
        memories: Memories,
        scope: str,
        *,
        embedder: TextEmbedder | None = None,
        video_id: str | None = None,
        max_memories: int | None = None,
        alpha: float = 0.5,
        adaptive: bool = True,
    ) -> None:
        if max_memories is not None and max_memories < 1:
            raise UserError(f"max_memories is {max_memories}; keep at least 1.")
        self.memories, self.scope = memories, scope
        self.max_memories = max_memories
        self._video_id = video_id
        self._options: dict[str, Any] = {"embedder": embedder, "alpha": alpha, "adaptive": adaptive}
        self._snapshots = SnapshotFolder(memories.folder, scope, embedder.model_id if embedder else "")
        self._lock = threading.RLock()
        self.retriever: HybridRetriever
        self._revision: int
        self._rows: LazyList[Memory]
        self._numbers: list[int]
        self._places: dict[int, int]
        self._begin()

    @property
    def embedder(self) -> TextEmbedder | None:
        return self.retriever.embedder

    @property
    def rows(self) -> list[Memory]:
        """Every memory this process has seen, in the index's order."""
        return list(self._rows)

    def write(self, new: NewMemory) -> Written:
        """Write a memory, or confirm its near-duplicate."""
        new = checked(new)
        text = index_text(new.content, subject=new.subject or "")
        vectors = self._embed(new)
        with self._lock, self.memories.unit_of_work():
            self.sync()
            same = self.memories.same_content(self.scope, new.content)
            same = same or find_duplicate(new, text, self.retriever.bm25, self._rows.__getitem__)
            if same is not None and is_repeat(new, same):
                return Written(self._confirm(same, new), is_new=False)
            memory = self._insert(new, text, vectors)
            self._make_room()
        return Written(memory, is_new=True)

    def correct(self, memory_id: str, content: str, *, reason: str = "corrected") -> Memory:
        """Put a corrected memory in the place of a wrong one, which stays in the history."""
        with self._lock, self.memories.unit_of_work():
            self.sync()
            old = self.active(memory_id)
            fields = {name: getattr(old, name) for name in NewMemory.model_fields}
            new = checked(NewMemory(**{**fields, "content": content}))
            text = index_text(new.content, subject=new.subject or "")
            memory = self._insert(new, text, self._embed(new), supersedes=old.memory_id)
            update = {"state": "superseded", "superseded_by": memory.memory_id, "reason": reason}
            self.memories.update(old.model_copy(update=update))
        self.sync()
        return memory

    def forget(self, memory_id: str, *, reason: str = "forgotten on request") -> Memory:
        """Erase what a memory says; its id is never given to another."""
        with self._lock, self.memories.unit_of_work():
            gone = self.memories.erase(self.memories.get(self.scope, memory_id), reason)
        self._snapshots.drop()
        self.sync()
        return gone

    def pin(self, memory_id: str, *, pinned: bool = True) -> Memory:
        """Protect a memory from being forgotten for want of room, or stop protecting it."""
        with self.memories.unit_of_work():
            memory = self.memories.get(self.scope, memory_id).model_copy(update={"pinned": pinned})
            self.memories.update(memory)
        return memory

    def history(self, memory_id: str) -> list[Memory]:
        """Return a memory and those it replaced, the newest first."""
        chain = [self.memories.get(self.scope, memory_id)]
        while chain[-1].supersedes is not None and len(chain) < 1000:
            chain.append(self.memories.get(self.scope, chain[-1].supersedes))
        return chain

    def active(self, memory_id: str) -> Memory:
        """Return a memory that is still active; otherwise raise with what became of it."""
        memory = self.memories.get(self.scope, memory_id)
        if memory.state == "superseded":
            raise UserError(f"{memory_id} was replaced by {memory.superseded_by}. Use that one.")
        if memory.state == "forgotten":
            raise UserError(f"{memory_id} was forgotten.")
        return memory

    def recall(
        self,
        query: str,
        k: int = 5,
        *,
        keep: Callable[[Memory], bool] | None = None,
        now: float | None = None,
    ) -> Recalled:
        """Return the memories that match a question best, of those for which `keep` is true."""
        with self._lock:
            self.sync()
            allowed: NDArray[np.bool_] | None = None
            if keep is not None:
                allowed = np.fromiter((keep(row) for row in self._rows), bool, len(self._rows))
            found = self.retriever.search(query, k, allowed=allowed, now=now)
            return Recalled(tuple((self._rows[hit.index], hit.relevance) for hit in found.hits), found)

    def sync(self) -> None:
        """Read what was written since the last call, by this process or another."""
        with self._lock:
            latest = self.memories.revision(self.scope)
            if latest == self._revision:
                return
            if latest < self._revision:
                # The scope was removed together with its video, and maybe begun again.
                self._begin()
            if not self._revision:
                self._open_snapshot(latest)
            changes = self.memories.changes(self.scope, self._revision)
            fresh = [row for row in changes if row.memory.number not in self._places]
            for row in changes:
                if row.memory.number in self._places:
                    self._follow(row)
            self._take(fresh)
            self._revision = max((row.revision for row in changes), default=latest)
            if len(fresh) >= WORTH_KEEPING:
                self._save_snapshot()

    def embed_missing(self) -> int:
        """Give vectors to the memories written without an embedder or with another one."""
        if self.embedder is None:
            return 0
        number = 0
        for row in self.memories.changes(self.scope, 0):
            if row.memory.state == "active" and row.model_id != self.embedder.model_id:
                vectors = embed_document(self.embedder, row.memory.content, subject=row.memory.subject)
                self.memories.set_vectors(row.memory, self.embedder.model_id, vectors)
                number += 1
        self.sync()
        return number

    def export_lines(self) -> Iterator[str]:
        """Yield a heading and every active memory with its provenance, one JSON line each."""
        yield json.dumps({"format": _FORMAT, "version": _FORMAT_VERSION, "scope": self.scope})
        for memory in self.memories.all(self.scope):
            yield json_text(memory.model_dump(mode="json"))

    def import_lines(self, lines: Iterable[str]) -> tuple[int, int]:
        """Write what `export_lines` yielded, all or nothing; return how many were new and how many known."""
        heading, *rows = [line for line in lines if line.strip()] or [""]
        _check_heading(_json(heading))
        entries = [_entry(number, _json(line)) for number, line in enumerate(rows, start=2)]
        with self.memories.unit_of_work():
            written = [self.write(entry) for entry in entries]
        num_new = sum(one.is_new for one in written)
        return num_new, len(written) - num_new

    def _begin(self) -> None:
        self.retriever = HybridRetriever(**self._options)
        self._revision = 0
        self._rows, self._numbers = LazyList(), []
        self._places = {}

    def _open_snapshot(self, latest: int) -> None:
        """Begin with the index as it was last saved, if it was."""
        memories = self.memories

        def is_current(found: Snapshot) -> bool:
            first, last = int(found.numbers[0]), int(found.numbers[-1])
            return found.revision <= latest and found.positions == memories.positions(self.scope, first, last)

        found = self._snapshots.load(
            self.retriever,
            is_current=is_current,
            text=lambda place: self._rows[place].content,
            terms=lambda place: IndexedText.from_bytes(memories.terms(self.scope, self._numbers[place])),
        )
        if found is None:
            return
        self._numbers = found.numbers.tolist()
        self._places = {number: place for place, number in enumerate(self._numbers)}
        self._rows = LazyList(self._read_row, len(self._numbers))
        self._revision = found.revision

    def _save_snapshot(self) -> None:
        numbers = np.array(self._numbers, np.int64)
        positions = self.memories.positions(self.scope, self._numbers[0], self._numbers[-1])
        self._snapshots.sweep(self.memories.scopes())
        self._snapshots.save(Snapshot(self._revision, numbers, positions), self.retriever)

    def _read_row(self, place: int) -> Memory:
        return self.memories.get(self.scope, f"mem_{self._numbers[place]:03d}")

    def _embed(self, new: NewMemory) -> NDArray[np.float32] | None:
        if self.embedder is None:
            return None
        return embed_document(self.embedder, new.content, subject=new.subject)

    def _insert(
        self,
        new: NewMemory,
        text: IndexedText,
        vectors: NDArray[np.float32] | None,
        *,
        supersedes: str | None = None,
    ) -> Memory:
        model_id = self.embedder.model_id if self.embedder and vectors is not None else None
        return self.memories.add(
            self.scope,
            new,
            terms=text.to_bytes(),
            vectors=vectors,
            model_id=model_id,
            video_id=self._video_id,
            supersedes=supersedes,
        )

    def _confirm(self, same: Memory, new: NewMemory) -> Memory:
        after = confirmed(same, new, self.memories.now())
        if after != same:
            self.memories.update(after)
        return after

    def _make_room(self) -> None:
        # The index has counted those before this one; counting the rows would walk them all.
        if self.max_memories is None or self.retriever.bm25.num_alive < self.max_memories:
            return
        while self.memories.count(self.scope) > self.max_memories:
            least = self.memories.least_kept(self.scope)
            if least is None:
                return
            self.memories.erase(least, "forgotten for want of room")

    def _take(self, rows: list[MemoryRow]) -> None:
        self.retriever.extend_indexed([self._entry(row) for row in rows])
        for row in rows:
            place = len(self._rows)
            self._places[row.memory.number] = place
            self._numbers.append(row.memory.number)
            self._rows.append(row.memory)
            if row.memory.state != "active":
                self.retriever.remove(place)

    def _entry(self, row: MemoryRow) -> tuple[Document, IndexedText, NDArray[np.float32] | None]:
        memory = row.memory
        document = Document(
            memory.content,
            speaker=memory.speaker,
            group=memory.session_id,
            subject=memory.subject,
            said_at=memory.said_at,
            importance=memory.importance,
        )
        return document, IndexedText.from_bytes(row.terms), self._comparable(row)

    def _follow(self, row: MemoryRow) -> None:
        place = self._places[row.memory.number]
        had = self._rows[place]
        self._rows[place] = row.memory
        self.retriever.documents.set_importance(place, row.memory.importance)
        if row.memory.state != "active":
            self.retriever.remove(place)
        elif had == row.memory and (vectors := self._comparable(row)) is not None:
            self.retriever.set_vectors(place, vectors)

    def _comparable(self, row: MemoryRow) -> NDArray[np.float32] | None:
        """Return a memory's vectors unless another model made them."""
        known = self.embedder is not None and row.model_id == self.embedder.model_id
        return row.vectors if known else None


def open_book(
    memories: Memories, scope: str, *, embedder: Callable[[], TextEmbedder], video_id: str | None = None
) -> tuple[MemoryBook, str | None]:
    """Return the scope's book, shared within this process, and a note when it must do without an embedder."""
    try:
        model: TextEmbedder | None = embedder()
        note = None
    except BackendError as exc:
        model, note = None, f"searching by words alone: {exc}"
    key = (scope, model.model_id if model else "")
    book = memories.indexes.get(key)
    if not isinstance(book, MemoryBook):
        book = memories.indexes[key] = MemoryBook(memories, scope, embedder=model, video_id=video_id)
    return book, note


def _check_heading(heading: Any) -> None:
    if not isinstance(heading, dict) or heading.get("format") != _FORMAT:
        raise UserError("This is not an export of memories: make one with `vidence memory export`.")
    version = heading.get("version")
    if not isinstance(version, int) or version > _FORMAT_VERSION:
        raise UserError(
            f"The export is of version {version}, this vidence reads up to {_FORMAT_VERSION}. "
            "Upgrade vidence."
        )


def _entry(number: int, value: Any) -> NewMemory:
    stored = value if isinstance(value, dict) else {}
    known = {name: stored[name] for name in NewMemory.model_fields if name in stored}
    # The time it was said must not become the time of this import.
    if stored and known.get("said_at") is None:
        known["said_at"] = stored.get("created_at")
    try:
        return NewMemory.model_validate(known)
    except ValidationError as exc:
        problem = exc.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise UserError(
            f"Line {number} of the export is damaged ({where}: {problem['msg']}); nothing was imported."
        ) from exc


def _json(line: str) -> Any:
    try:
        return load_json(line)
    except ValueError:
        return None
