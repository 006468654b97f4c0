"""Memories to a file and back: one JSON line each under a line that says which version wrote them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from vidence.errors import UserError
from vidence.memory.book import MemoryBook
from vidence.schema.memory import NewMemory

__all__ = ["FORMAT_VERSION", "export_lines", "import_lines"]

FORMAT_VERSION = 1
_FORMAT = "vidence-memories"


def export_lines(book: MemoryBook) -> Iterator[str]:
    """Yield the lines of an export: every active memory with its provenance."""
    yield json.dumps({"format": _FORMAT, "version": FORMAT_VERSION, "scope": book.scope})
    for memory in book.memories.all(book.scope):
        yield memory.model_dump_json()


def import_lines(book: MemoryBook, lines: Iterable[str]) -> tuple[int, int]:
    """Write what `export_lines` yielded, all or nothing; return how many were new and how many known."""
    rows = [line for line in lines if line.strip()]
    _check_heading(rows)
    entries = [_entry(number, line) for number, line in enumerate(rows[1:], start=2)]
    with book.memories.unit_of_work():
        written = [book.write(entry) for entry in entries]
    return sum(one.is_new for one in written), sum(not one.is_new for one in written)


def _check_heading(rows: list[str]) -> None:
    heading = _json(rows[0]) if rows else None
    if not isinstance(heading, dict) or heading.get("format") != _FORMAT:
        raise UserError("This is not an export of memories: make one with `vidence memory export`.")
    version = heading.get("version")
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise UserError(
            f"The export is of version {version}, this vidence reads up to {FORMAT_VERSION}. Upgrade vidence."
        )


def _entry(number: int, line: str) -> NewMemory:
    value = _json(line)
    known = {
        name: value[name] for name in NewMemory.model_fields if isinstance(value, dict) and name in value
    }
    try:
        # What the file knew when it was said must not become the time of this import.
        if isinstance(value, dict) and known.get("said_at") is None:
            known["said_at"] = value.get("created_at")
        return NewMemory.model_validate(known)
    except ValidationError as exc:
        problem = exc.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise UserError(
            f"Line {number} of the export is damaged ({where}: {problem['msg']}); nothing was imported."
        ) from exc


def _json(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
