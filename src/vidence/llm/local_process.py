"""The process in which a local model runs: started when first needed, killed when a call is stopped.

llama.cpp's server takes over Ctrl-C, cannot be stopped while it reads a prompt, and aborts the whole process
on some failures. In a process of its own none of that reaches the program that asks. Both ends are here:
`LocalProcess` asks; `python -m vidence.llm.local_process` answers, with one request a line on stdin and one
event a line on stdout.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, TextIO

from vidence.errors import BackendError
from vidence.llm.prompt_states import PromptStates

__all__ = ["LocalProcess", "WorkerConfig", "WorkerDied"]


_PROMPT_CACHE_MIB = 256
"""Prompts kept besides the last one: of a few videos, some 30 kB a token."""


class WorkerDied(Exception):
    """The process ended or could not load the model; the message is the last line it printed."""


@dataclass(frozen=True)
class WorkerConfig:
    """What the process needs to load a model."""

    path: str
    context_tokens: int
    threads: int
    """At most; fewer are used when the machine is busy as the process starts."""
    states: str = ""
    """The folder that keeps what was read; "" keeps nothing."""


class LocalProcess:
    """One process with one model; one call at a time."""

    def __init__(self, config: WorkerConfig) -> None:
        self._config = config
        self._process: subprocess.Popen[str] | None = None
        self._stderr: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._turn = threading.Lock()

    @property
    def pid(self) -> int | None:
        """The id of the running process, if any."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    def start(self) -> None:
        """Start the process if it does not run; a failure is left for the first request to report."""
        with self._turn, contextlib.suppress(WorkerDied, BackendError, OSError):
            self._running()

    def ask(self, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Send a request and yield the pieces of its answer; leaving the loop early kills the process."""
        finished = False
        with self._turn:
            process = self._running()
            try:
                for piece in self._pieces(process, body):
                    # An error comes last, when the process is ready for another request.
                    finished = "error" in piece
                    yield piece
                finished = True
            except (OSError, ValueError) as exc:
                raise WorkerDied(self._last_line()) from exc
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
            stderr, self._stderr = self._stderr, None
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
        if stderr is not None:
            stderr.close()

    def _running(self) -> subprocess.Popen[str]:
        with self._lock:
            if self._process is not None and self._process.poll() is None:
                return self._process
        self.stop()
        if find_spec("xllamacpp") is None:
            raise BackendError("The local engine needs xllamacpp, a part of vidence. Reinstall vidence.")
        try:
            stderr = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the process)
        except OSError as exc:
            raise BackendError("The local model cannot be started: the disk is full.") from exc
        config = {**asdict(self._config), "threads": min(self._config.threads, _idle_cores())}
        command = [sys.executable, "-m", "vidence.llm.local_process", json.dumps(config)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        with self._lock:
            self._process, self._stderr = process, stderr
        next(iter(self._events(process)))
        return process

    def _events(self, process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
        assert process.stdout is not None
        for line in process.stdout:
            event: dict[str, Any] = json.loads(line)
            if event["event"] == "failed":
                raise WorkerDied(event["message"])
            yield event
        raise WorkerDied(self._last_line())

    def _last_line(self) -> str:
        with self._lock:
            stderr = self._stderr
        if stderr is None:
            return "it was stopped"
        try:
            stderr.seek(0)
            lines = stderr.read().decode("utf-8", "replace").strip().splitlines()
        except (OSError, ValueError):
            return "it was stopped"
        return lines[-1][:200] if lines else "it ended without a word"


def _idle_cores() -> int:
    """Return the number of idle cores, at least one.

    llama.cpp's threads wait for each other after every layer: with other programs on the cores two of them
    were several times slower than one.
    """
    cores = os.cpu_count() or 1
    try:
        busy = os.getloadavg()[0]
    except (OSError, AttributeError):
        return cores
    return max(cores - int(busy), 1)


def _serve(config: dict[str, Any]) -> None:
    """Load the model and answer requests until stdin closes."""
    # What C++ prints must not get into the protocol: file number 1 becomes stderr, the pipe gets another.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    requests = sys.stdin
    with tempfile.TemporaryDirectory(prefix="vidence-llm-") as folder:
        address, api_key = Path(folder) / "socket.sock", os.urandom(16).hex()
        try:
            server = _load(config, address, api_key)
            states = PromptStates(Path(config["states"]), address, api_key) if config["states"] else None
        except Exception as exc:
            _say(out, {"event": "failed", "message": str(exc) or type(exc).__name__})
            return
        _say(out, {"event": "ready"})
        for line in requests:
            _answer(server, json.loads(line), out, states)


def _load(config: dict[str, Any], address: Path, api_key: str) -> Any:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = config["path"]
    params.n_ctx = config["context_tokens"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = config["threads"]
    # Threads that spin while they wait slow down each other and every other program.
    params.cpuparams.poll = params.cpuparams_batch.poll = 0
    # A second copy of the weights in another layout takes 600 MB and reads no faster.
    params.no_extra_bufts = True
    params.cache_ram_mib = _PROMPT_CACHE_MIB
    params.n_parallel, params.warmup, params.verbosity = 1, False, -1
    # The server must listen: on a socket in a private folder, not on a port that any web page can reach.
    params.hostnames, params.ui = [str(address)], False
    params.api_keys = [api_key]
    if config["states"]:
        params.endpoint_slots, params.slot_save_path = True, f"{config['states']}{os.sep}"
    return xllamacpp.Server(params)


def _answer(server: Any, body: dict[str, Any], out: TextIO, states: PromptStates | None) -> None:
    source, read_ms = body.pop("source", ""), 0.0

    def told(piece: Any) -> bool:
        nonlocal read_ms
        read_ms = piece.get("timings", {}).get("prompt_ms", read_ms)
        _say(out, {"event": "piece", "data": piece})
        return False

    try:
        if states is not None and source:
            states.load(source)
        server.handle_chat_completions(body, told)
    except Exception as exc:
        _say(out, {"event": "failed", "message": str(exc) or type(exc).__name__})
        return
    _say(out, {"event": "done"})
    if states is not None:
        states.keep(source, read_ms)


def _say(out: TextIO, event: dict[str, Any]) -> None:
    out.write(json.dumps(event, ensure_ascii=True) + "\n")
    out.flush()


def _watch(parent: int) -> None:
    """Exit when the parent has gone, even in the middle of a prompt."""
    while os.getppid() == parent:
        threading.Event().wait(1.0)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    _serve(json.loads(sys.argv[1]))
