"""One file per run: `traces/{time}-{hash}.json`, written atomically; the name holds the content's hash."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from vidence.errors import BackendError, FileProblem, UnknownName
from vidence.schema.evidence import hash_of
from vidence.schema.trace import TRACE_VERSION, Trace
from vidence.store.files import write_whole

__all__ = ["TraceFile", "TraceFolder", "trace_hash"]

_HASH_CHARS = 16
_MAX_BYTES = 64 << 20
"""A longer trace is not kept: a run that was sent a flood must not fill the disk with it."""


@dataclass(frozen=True)
class TraceFile:
    """A kept trace."""

    trace_id: str
    path: Path

    @property
    def saved_at(self) -> float:
        """Unix time at which it was written."""
        return self.path.stat().st_mtime

    def load(self) -> Trace:
        """Read it and check the hash in its name."""
        trace = self.read()
        if not self.trace_id.endswith(f"-{trace_hash(trace)}"):
            raise FileProblem(
                f"The trace {self.trace_id} was changed after it was written: its content does not match "
                "the hash in its name."
            )
        return trace

    def read(self) -> Trace:
        """Read it without checking the hash in its name."""
        try:
            return Trace.model_validate_json(self.path.read_bytes())
        except OSError as exc:
            raise FileProblem(f"{self.path} cannot be read: {exc.strerror}.") from exc
        except ValidationError as exc:
            first = exc.errors()[0]
            if first["loc"] == ("version",) and isinstance(first["input"], int):
                raise FileProblem(
                    f"{self.path} was written by another version of vidence "
                    f"(trace format {first['input']}; this one reads {TRACE_VERSION})."
                ) from exc
            where = ".".join(str(part) for part in first["loc"]) or "the file"
            raise FileProblem(f"{self.path} is not a trace: {where}: {first['msg']}.") from exc


class TraceFolder:
    """The traces of a workspace."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "traces"

    def save(self, trace: Trace) -> str:
        """Write a trace and return its id."""
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(trace.started_at))
        trace_id = f"{stamp}-{trace_hash(trace)}"
        text = json.dumps(trace.model_dump(mode="json"), ensure_ascii=False, indent=1)
        if len(text) > _MAX_BYTES:
            raise BackendError(
                f"The trace is not kept: it has {len(text) >> 20} MiB, more than {_MAX_BYTES >> 20}."
            )
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self.folder / f"{trace_id}.json", text.encode())
        except OSError as exc:
            raise BackendError(f"The trace could not be written to {self.folder}: {exc.strerror}.") from exc
        return trace_id

    def all(self) -> list[TraceFile]:
        """Return every trace, the oldest first."""
        if not self.folder.is_dir():
            return []
        return [TraceFile(path.stem, path) for path in sorted(self.folder.glob("*.json"))]

    def find(self, reference: str) -> TraceFile:
        """Return the trace meant by an id, its beginning, its hash or `last`."""
        known = self.all()
        if reference == "last" and known:
            return max(known, key=lambda one: (one.saved_at, one.trace_id))
        found = [one for one in known if reference in (one.trace_id, one.trace_id.rpartition("-")[2])]
        found = found or [one for one in known if one.trace_id.startswith(reference)]
        found = found or [one for one in known if one.trace_id.rpartition("-")[2].startswith(reference)]
        if len(found) != 1 or not reference:
            remedy = (
                "See: vidence trace list" if not found else f"It means {len(found)} traces; write more of it."
            )
            raise UnknownName("trace", reference, [one.trace_id for one in known], remedy=remedy)
        return found[0]

    def remove(self, *, older_than_s: float) -> list[str]:
        """Delete the traces written longer ago than that; return their ids."""
        limit = time.time() - older_than_s
        old = [one for one in self.all() if one.saved_at < limit]
        for one in old:
            one.path.unlink(missing_ok=True)
        return [one.trace_id for one in old]


def trace_hash(trace: Trace) -> str:
    """Return the hash that a trace's name carries."""
    return hash_of(trace.model_dump(mode="json"))[:_HASH_CHARS]
