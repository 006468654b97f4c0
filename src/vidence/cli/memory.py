"""`vidence memory`: add, find, correct and forget memories, of a video or general ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from vidence.app.memory import MemoryBook, open_memory, recall
from vidence.cli.terminal import Terminal, pass_terminal
from vidence.cli.text import cut
from vidence.errors import FileProblem
from vidence.schema.memory import Memory, NewMemory

__all__ = ["memory", "memory_line"]

_video = click.option("--video", help="The memories of this video instead of the general ones.")
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def memory() -> None:
    """Store memories across sessions and search them.

    \b
    Example:
      vidence memory add "Anna is allergic to nuts"
      vidence memory search "what must Anna not eat?"
    """


@contextmanager
def _book(terminal: Terminal, video: str | None) -> Iterator[MemoryBook]:
    with terminal.workspace() as workspace:
        book, note = open_memory(workspace, video)
        if note:
            terminal.note(note)
        yield book


@memory.command()
@click.argument("text")
@click.option("--type", "memory_type", default="observation", show_default=True,
              type=click.Choice(["observation", "inference", "hypothesis", "answer"]))  # fmt: skip
@click.option("--importance", default=0.5, show_default=True, type=click.FloatRange(0, 1))
@click.option("--pin", is_flag=True, help="Never delete it when the memory is full.")
@click.option("--speaker", help="Who said it.")
@_video
@_json
@pass_terminal
def add(
    terminal: Terminal,
    text: str,
    memory_type: Any,
    importance: float,
    pin: bool,
    speaker: str | None,
    video: str | None,
    as_json: bool,
) -> None:
    """Store TEXT as a memory (`-` reads it from stdin).

    \b
    Example:
      vidence memory add "The red car belongs to Tom" --type inference
    """
    content = sys.stdin.read() if text == "-" else text
    new = NewMemory(
        content=content,
        memory_type=memory_type,
        importance=importance,
        pinned=pin,
        speaker=speaker,
        source="command line",
    )
    with _book(terminal, video) as book:
        written = book.write(new)
    if as_json:
        terminal.json({**written.memory.model_dump(mode="json"), "is_new": written.is_new})
    else:
        terminal.out.print(f"{written.memory.memory_id}  {'added' if written.is_new else 'known already'}")


@memory.command()
@click.argument("query")
@click.option("-k", "--top-k", default=5, show_default=True, type=click.IntRange(1, 1000))
@click.option("--all", "everything", is_flag=True, help="Show the best results even if none seems to answer.")
@_video
@_json
@pass_terminal
def search(
    terminal: Terminal, query: str, top_k: int, everything: bool, video: str | None, as_json: bool
) -> None:
    """Find the memories that answer QUERY; print nothing if none does.

    \b
    Example:
      vidence memory search "上周三我们说了什么"
    """
    with _book(terminal, video) as book:
        rows = recall(book, query, top_k, nearest=everything)
    if as_json:
        terminal.json([{**found.model_dump(mode="json"), "relevance": round(r, 3)} for found, r in rows])
        return
    for found, relevance in rows:
        _print(terminal, found, f"{relevance:.2f}  ")
    if not rows:
        terminal.note("Nothing remembered answers this (--all shows the nearest).")


@memory.command("list")
@click.option("--history", is_flag=True, help="Also list replaced and deleted memories.")
@_video
@_json
@pass_terminal
def list_memories(terminal: Terminal, history: bool, video: str | None, as_json: bool) -> None:
    """List the memories, the oldest first."""
    with _book(terminal, video) as book:
        rows = book.memories.all(book.scope, state=None if history else "active")
    if as_json:
        terminal.json([row.model_dump(mode="json") for row in rows])
        return
    for row in rows:
        _print(terminal, row)
    if not rows:
        terminal.note('Nothing is remembered yet. Try: vidence memory add "…"')


@memory.command()
@click.argument("memory_id")
@_video
@_json
@pass_terminal
def show(terminal: Terminal, memory_id: str, video: str | None, as_json: bool) -> None:
    """Show a memory with its sources and the memories it replaced."""
    with _book(terminal, video) as book:
        chain = book.history(memory_id)
    if as_json:
        terminal.json([row.model_dump(mode="json") for row in chain])
        return
    for name, value in chain[0].model_dump(mode="json").items():
        if value not in (None, "", [], {}):
            terminal.out.print(f"{name}: {value}", markup=False)
    for older in chain[1:]:
        _print(terminal, older, "replaced  ")


@memory.command()
@click.argument("memory_id")
@click.argument("text")
@click.option("--reason", default="corrected", show_default=True)
@_video
@pass_terminal
def correct(terminal: Terminal, memory_id: str, text: str, reason: str, video: str | None) -> None:
    """Replace the text of MEMORY_ID with TEXT; the old text stays in its history."""
    with _book(terminal, video) as book:
        new = book.correct(memory_id, text, reason=reason)
    terminal.out.print(f"{new.memory_id}  replaces {memory_id}")


@memory.command()
@click.argument("memory_ids", nargs=-1, required=True)
@_video
@pass_terminal
def forget(terminal: Terminal, memory_ids: tuple[str, ...], video: str | None) -> None:
    """Delete memories; their ids are not used again."""
    with _book(terminal, video) as book:
        for memory_id in memory_ids:
            book.forget(memory_id)
            terminal.out.print(f"{memory_id}  forgotten")


@memory.command()
@click.argument("target", type=click.Path(path_type=Path), required=False)
@_video
@pass_terminal
def export(terminal: Terminal, target: Path | None, video: str | None) -> None:
    """Write the memories as JSON lines to TARGET or to stdout."""
    with _book(terminal, video) as book:
        text = "".join(f"{line}\n" for line in book.export_lines())
    if target is None:
        terminal.document(text)
        return
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as exc:
        raise FileProblem(f"{target} cannot be written: {exc.strerror}.") from exc


@memory.command("import")
@click.argument("source", type=click.Path(path_type=Path))
@_video
@pass_terminal
def import_memories(terminal: Terminal, source: Path, video: str | None) -> None:
    """Import memories written by `vidence memory export`."""
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except OSError as exc:
        raise FileProblem(f"{source} cannot be read: {exc.strerror}.") from exc
    except UnicodeDecodeError as exc:
        raise FileProblem(f"{source} is not text. Give a file `vidence memory export` wrote.") from exc
    with _book(terminal, video) as book:
        new, known = book.import_lines(lines)
    terminal.out.print(f"{new} added, {known} known already")


@memory.command()
@_video
@_json
@pass_terminal
def stats(terminal: Terminal, video: str | None, as_json: bool) -> None:
    """Show the number of memories and the search method."""
    with _book(terminal, video) as book:
        counts = {
            "scope": book.scope,
            "memories": book.memories.count(book.scope),
            "superseded": book.memories.count(book.scope, "superseded"),
            "forgotten": book.memories.count(book.scope, "forgotten"),
            "embedder": book.embedder.model_id if book.embedder else None,
            "search": "words and meaning" if book.embedder else "words alone",
        }
    if as_json:
        terminal.json(counts)
        return
    for name, value in counts.items():
        terminal.out.print(f"{name}: {value}")


def memory_line(row: Memory, *, max_chars: int = 300) -> str:
    """Return a memory in one line: its id, day, type, state where it is not active, and words."""
    when = datetime.fromtimestamp(row.said_at or row.created_at).strftime("%Y-%m-%d")
    state = "" if row.state == "active" else f" ({row.state})"
    who = f"{row.speaker}: " if row.speaker else ""
    return f"{row.memory_id}  {when}  {row.memory_type}{state}  {who}{cut(row.content, max_chars)}"


def _print(terminal: Terminal, row: Memory, lead: str = "") -> None:
    terminal.out.print(f"{lead}{memory_line(row)}", markup=False)
