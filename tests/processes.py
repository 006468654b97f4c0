"""Waiting for other processes and interrupting them, on machines that may be busy with other things."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import AnyStr

PATIENCE_S = 240.0
"""For what takes seconds at most on a machine that has nothing else to do."""
_BETWEEN_PRESSES_S = 60.0


def wait_until(ready: Callable[[], object]) -> None:
    """Return once `ready` says so."""
    deadline = time.monotonic() + PATIENCE_S
    while not ready():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def press_ctrl_c(process: subprocess.Popen[AnyStr]) -> AnyStr:
    """Send what the terminal turns the key into until the process ends; return what it wrote.

    Python can lose an interrupt: one that comes just before it waits for a key, or where nothing may raise.
    Whoever sits there presses again, long after a first one that was heard would have done its work.
    """
    for _ in range(4):
        process.send_signal(signal.SIGINT)
        try:
            return process.communicate(timeout=_BETWEEN_PRESSES_S)[0]
        except subprocess.TimeoutExpired:
            continue
    process.kill()
    raise AssertionError("four interrupts were not heard")


def job_processes(server: int | None = None) -> set[int]:
    """Return the ids of the processes in which a server, by default this process, runs its jobs."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if (
                int(parent) == (server or os.getpid())
                and b"vidence.app.job_process" in (folder / "cmdline").read_bytes()
            ):
                found.add(int(folder.name))
    return found


@contextmanager
def frozen(processes: set[int]) -> Iterator[None]:
    """Hold processes still while the block runs, so that what they do lasts as long as a test needs it to."""
    for one in processes:
        os.kill(one, signal.SIGSTOP)
    try:
        yield
    finally:
        for one in processes:
            os.kill(one, signal.SIGCONT)
