"""The memories of a workspace: general ones, or those of one video."""

from __future__ import annotations

from vidence.app.workspace import Workspace
from vidence.memory import MemoryBook, open_book
from vidence.ops.write_memory import video_scope

__all__ = ["open_memory"]

_GENERAL = "main"


def open_memory(workspace: Workspace, video: str | None = None) -> tuple[MemoryBook, str | None]:
    """Return the book of a video or the general one, and a note when it must do without an embedder."""
    memories, shelf = workspace.store.memories, workspace.indexer.shelf
    if video is None:
        return open_book(memories, _GENERAL, embedder=lambda: shelf.text)
    video_id = workspace.resolve(video).video_id
    return open_book(memories, video_scope(video_id), embedder=lambda: shelf.text, video_id=video_id)
