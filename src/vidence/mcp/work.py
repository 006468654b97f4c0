"""Running slow work beside the protocol: progress is reported, a cancelled call stops the work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from vidence.errors import VidenceError

__all__ = ["Worker", "run_work"]

Found = TypeVar("Found")
_REPORT_S = 0.4


class Worker:
    """What work in a thread may use: it shows its progress and sees that it should stop."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._latest: tuple[float, str] | None = None

    def progress(self, what: str, fraction: float) -> None:
        """Note how far the work is."""
        self._latest = (min(max(fraction, 0.0), 1.0), what)

    def is_stopped(self) -> bool:
        """Return whether the call was cancelled."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Ask the work to end."""
        self._stop.set()

    def news(self) -> tuple[float, str] | None:
        """Return the latest progress, once."""
        latest, self._latest = self._latest, None
        return latest


async def run_work(context: Context, work: Callable[[Worker], Found]) -> Found:
    """Run `work` in a thread, report its progress, and stop it when the call is cancelled."""
    worker = Worker()
    done = anyio.Event()
    found: list[Found] = []
    problems: list[VidenceError] = []

    async def run() -> None:
        try:
            found.append(await anyio.to_thread.run_sync(work, worker, abandon_on_cancel=True))
        except VidenceError as exc:
            problems.append(exc)
        finally:
            done.set()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(run)
            steps = 0
            while not done.is_set():
                with anyio.move_on_after(_REPORT_S):
                    await done.wait()
                news = worker.news()
                if news is not None:
                    # Progress must grow with each report, whatever stage it is about.
                    steps += 1
                    await context.report_progress(steps, None, f"{news[1]} {news[0]:.0%}")
    finally:
        worker.stop()
    if problems:
        raise ToolError(str(problems[0])) from problems[0]
    return found[0]
