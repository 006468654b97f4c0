"""What the routes of one server share, and the bridge from job threads to the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from vidence.app import Workspace
from vidence.app.jobs import JobRunner
from vidence.app.paths import allowed_path
from vidence.app.uploads import Uploads
from vidence.errors import FileProblem

__all__ = ["Changes", "ServerState", "State"]


class Changes:
    """Wakes the coroutines that follow a job, or all jobs, when something changed."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self.followers = 0

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Use this loop from now on."""
        self._loop = loop

    def told(self, job_id: str) -> None:
        """Wake those who wait for a job; called from any thread."""
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # The loop is closed while a server stops.
                loop.call_soon_threadsafe(self._wake, job_id)

    @asynccontextmanager
    async def following(self, key: str) -> AsyncIterator[asyncio.Event]:
        """Yield an event that is set whenever the job changed; `*` follows all jobs."""
        event = asyncio.Event()
        self._waiting.setdefault(key, set()).add(event)
        self.followers += 1
        try:
            yield event
        finally:
            self.followers -= 1
            group = self._waiting[key]
            group.discard(event)
            if not group:
                del self._waiting[key]

    def _wake(self, job_id: str) -> None:
        for key in (job_id, "*"):
            for event in self._waiting.get(key, ()):
                event.set()


@dataclass
class ServerState:
    """One server: its workspace, its jobs and its limits."""

    workspace: Workspace
    runner: JobRunner
    uploads: Uploads
    roots: tuple[Path, ...] = ()
    """Folders that videos may be added from; empty for any."""
    allows_paths: bool = True
    """Whether videos may be added by their path on this machine."""
    changes: Changes = field(default_factory=Changes)

    def allowed(self, text: str) -> Path:
        """Return a path that may be added; links are followed before it is judged."""
        if not self.allows_paths:
            raise FileProblem(
                "This server takes uploads only. Start it with --library FOLDER to add by path."
            )
        return allowed_path(text, self.roots)


def _state(request: Request) -> ServerState:
    state: ServerState = request.app.state.server
    return state


State = Annotated[ServerState, Depends(_state)]
