"""The journal of a long run: what it got from outside is written down, so that a killed run can be resumed.

A resumed run begins again; what is in the journal is answered from there, to the byte, and only the rest is
asked for. Failures are not written down: a source that failed is tried again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from vidence.llm.base import EngineBase
from vidence.llm.protocol import Engine, OnText, Reply
from vidence.prompts import Prompt
from vidence.runs.worlds.world import Archive, World
from vidence.schema.agent import MemoryUnit, OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord, hash_of

__all__ = ["Journal", "JournaledEngine", "JournaledWorld"]


class Journal(Protocol):
    """Where the journal of one run is kept."""

    def read(self, entry: str) -> str | None:
        """Return what was written under an entry; None when nothing was."""
        ...

    def write(self, entry: str, body: str) -> None:
        """Keep what came from outside; it must survive the process."""
        ...


class JournaledWorld:
    """A world whose operations are answered from a journal where they were answered before."""

    def __init__(self, world: World, journal: Journal) -> None:
        self._world, self._journal = world, journal

    @property
    def videos(self) -> tuple[VideoCard, ...]:
        return self._world.videos

    @property
    def num_unseen(self) -> int | None:
        return self._world.num_unseen

    def first_frames(self, count: int) -> list[MemoryUnit]:
        """Return the world's own."""
        return self._world.first_frames(count)

    def fetch_new_frames(self, count: int, focus: str | None = None) -> list[MemoryUnit]:
        """Return the world's own."""
        return self._world.fetch_new_frames(count, focus)

    def frame_records(self, frame_ids: Sequence[int]) -> list[EvidenceRecord]:
        """Return the world's own."""
        return self._world.frame_records(frame_ids)

    def call(self, call: OperationCall) -> EvidenceRecord:
        """Answer from the journal, else run the operation and write its record down."""
        entry = f"call:{hash_of(call.model_dump(mode='json'))}"
        written = self._journal.read(entry)
        if written is not None:
            return EvidenceRecord.model_validate_json(written)
        record = self._world.call(call)
        self._journal.write(entry, record.model_dump_json())
        return record

    def stored_hash(self, record_id: str) -> str | None:
        """Return the stored hash of a record; None for an unknown one."""
        return self._world.stored_hash(record_id) if isinstance(self._world, Archive) else None


class JournaledEngine(EngineBase):
    """An engine whose replies are answered from a journal where it gave them before."""

    def __init__(self, engine: Engine, journal: Journal) -> None:
        super().__init__(engine.name, engine.capabilities)
        self._engine, self._journal = engine, journal
        self._asked: Counter[str] = Counter()

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Answer from the journal, else ask the engine and write its reply down."""
        asked = hash_of([self.name, prompt.task, prompt.text])
        self._asked[asked] += 1
        entry = f"answer:{asked}:{self._asked[asked]}"
        written = self._journal.read(entry)
        if written is not None:
            text, engine = json.loads(written)
            if on_text is not None:
                on_text(text)
            return Reply(text=text, engine=engine)
        reply = self._engine.answer(prompt, on_text=on_text, timeout_s=timeout_s)
        self._journal.write(entry, json.dumps([reply.text, reply.engine or self.name]))
        return reply
