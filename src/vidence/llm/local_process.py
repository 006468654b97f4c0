"""Keeping a local model's process: started when first needed, killed when a call is stopped."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from tempfile import TemporaryFile
from typing import IO, Any

from vidence.errors import MissingExtra

__all__ = ["LocalProcess", "WorkerConfig", "WorkerDied"]


class WorkerDied(Exception):
    """The process ended or could not load the model; says what it last printed."""


@dataclass(frozen=True)
class WorkerConfig:
    """What the process needs to load a model."""

    path: str
    context_tokens: int
    threads: int
    """The most; fewer are used on a machine that is busy when the process starts."""


class LocalProcess:
    """One process with one model; one call at a time."""

    def __init__(self, config: WorkerConfig) -> None:
        self._config = config
        self._process: subprocess.Popen[str] | None = None
        self._noise: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._turn = threading.Lock()

    @property
    def pid(self) -> int | None:
        """The process that runs now, if any."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def ask(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Send a request and yield the pieces of its answer; left early, it ends the process."""
        finished = False
        with self._turn:
            process = self._running()
            try:
                for piece in self._pieces(process, body):
                    # What went wrong is told last, when the process is ready for another request.
                    finished = "error" in piece
                    yield piece
                finished = True
            except (OSError, ValueError) as exc:
                raise WorkerDied(self._last_words()) from exc
            finally:
                if not finished:
                    self.stop()

    def _pieces(self, process: subprocess.Popen[str], body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        assert process.stdin is not None
        process.stdin.write(json.dumps(body) + "\n")
        process.stdin.flush()
        problem: dict[str, Any] | None = None
        for event in self._events(process):
            if event["event"] == "done":
                break
            if "error" in event["data"]:
                problem = event["data"]
            else:
                yield event["data"]
        if problem is not None:
            yield problem

    def stop(self) -> None:
        """Kill the process; the next call starts another."""
        with self._lock:
            process, self._process = self._process, None
            noise, self._noise = self._noise, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        if noise is not None:
            noise.close()

    def _running(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return self._process
        self.stop()
        if find_spec("xllamacpp") is None:
            raise MissingExtra("The local engine", "local-llm")
        noise = TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        config = {**asdict(self._config), "threads": min(self._config.threads, _idle_cores())}
        command = [sys.executable, "-m", "vidence.llm.local_worker", json.dumps(config)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=noise,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        with self._lock:
            self._process, self._noise = process, noise
        next(iter(self._events(process)))
        return process

    def _events(self, process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
        assert process.stdout is not None
        for line in process.stdout:
            event: dict[str, Any] = json.loads(line)
            if event["event"] == "failed":
                raise WorkerDied(event["message"])
            yield event
        raise WorkerDied(self._last_words())

    def _last_words(self) -> str:
        with self._lock:
            noise = self._noise
        if noise is None:
            return "it was stopped"
        try:
            noise.seek(0)
            lines = noise.read().decode("utf-8", "replace").strip().splitlines()
        except (OSError, ValueError):
            return "it was stopped"
        return lines[-1][:200] if lines else "it ended without a word"


def _idle_cores() -> int:
    """Return how many cores nobody uses, at least one.

    llama.cpp's threads wait for each other after every layer: with other programs on the cores two of them
    were several times slower than one.
    """
    cores = os.cpu_count() or 1
    try:
        busy = os.getloadavg()[0]
    except (OSError, AttributeError):
        return cores
    return max(cores - int(busy), 1)
