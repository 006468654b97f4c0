"""`AgentOrchestrator`: a monitor's run as an asynchronous stream of thought steps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor

from vidence.schema.briefing import Briefing
from vidence.schema.events import Briefed, Listener, StepEvent, Thought
from vidence.schema.thought import ThoughtStep

__all__ = ["AgentOrchestrator", "RunCommand", "StreamCallback"]

RunCommand = Callable[[str, Listener, Callable[[], bool]], object]
"""Runs a command, telling the listener every event, until it is done or the last argument says stop."""
StreamCallback = Callable[[ThoughtStep], None]


class AgentOrchestrator:
    """Runs the loop of a monitor and streams its thoughts; `briefing` is there when the stream ends."""

    def __init__(self, run_command: RunCommand) -> None:
        self._run_command = run_command
        self.briefing: Briefing | None = None

    async def run(
        self, command: str, stream_callback: StreamCallback | None = None
    ) -> AsyncGenerator[ThoughtStep, None]:
        """Run the loop in a thread and yield its steps as they happen; closing the stream stops the run."""
        loop = asyncio.get_running_loop()
        steps: asyncio.Queue[ThoughtStep | None] = asyncio.Queue()
        stopped = threading.Event()

        def heard(event: StepEvent) -> None:
            if isinstance(event, Thought):
                if stream_callback is not None:
                    stream_callback(event.thought)
                loop.call_soon_threadsafe(steps.put_nowait, event.thought)
            elif isinstance(event, Briefed):
                self.briefing = event.briefing

        def work() -> None:
            try:
                self._run_command(command, heard, stopped.is_set)
            finally:
                loop.call_soon_threadsafe(steps.put_nowait, None)

        with ThreadPoolExecutor(1, thread_name_prefix="monitor") as pool:
            running = loop.run_in_executor(pool, work)
            try:
                while (step := await steps.get()) is not None:
                    yield step
                await running
            finally:
                stopped.set()
