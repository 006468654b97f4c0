"""The process in which jobs run: the server stays free to answer, and a crash ends a job, not the server.

Both ends are here: `JobProcess` sends jobs and hands on what they tell; `python -m vidence.app.job_process`
does the work, each job in a thread. A message is one line of JSON: requests on stdin, answers on stdout.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import IO, Any

from pydantic import JsonValue

from vidence.app.workspace import open_workspace
from vidence.errors import BackendError, VidenceError
from vidence.registry import Registry
from vidence.schema.jobs import JobRow
from vidence.settings import Settings, load_settings

__all__ = ["KINDS", "JobContext", "JobProcess", "Message"]

KINDS = Registry(
    "job",
    {
        "index": "vidence.app.job_kinds:index_video",
        "ask": "vidence.app.job_kinds:answer_question",
        "summarise": "vidence.app.job_kinds:summarise_video",
        "prepare": "vidence.app.job_kinds:read_notes_ahead",
        "monitor": "vidence.app.job_kinds:watch_topic",
        "story": "vidence.app.job_kinds:answer_from_story",
        "story_add": "vidence.app.job_kinds:read_story",
    },
)
"""What a job can do: functions from (workspace, job, context) to the job's result."""

_PIECE_S = 0.08
"""Pieces of thinking that arrive faster than this are told together."""
_PROGRESS_S = 0.4
_END_S = 5.0
"""How long jobs may take to stop when their process is closed."""
_NICENESS = 5
"""Jobs leave the processor to the server, which needs little of it."""

_log = logging.getLogger(__name__)
Message = dict[str, Any]
Say = Callable[[Message], None]


class JobContext:
    """What a running job may do besides its work: tell, show progress, and see that it should stop."""

    def __init__(self, say: Say, stop: threading.Event) -> None:
        self._say, self._stop = say, stop
        self._lock = threading.RLock()
        self._pieces, self._told_at = "", 0.0
        self._shares: dict[str, float] = {}
        self._progress_at = 0.0

    def is_stopped(self) -> bool:
        """Return whether the work should end as soon as it can."""
        return self._stop.is_set()

    def tell(self, kind: str, data: Mapping[str, JsonValue]) -> None:
        """Pass an event on; pieces of thinking are joined."""
        with self._lock:
            if kind == "thinking":
                self._pieces += str(data.get("text", ""))
                if time.monotonic() - self._told_at < _PIECE_S:
                    return
            self.flush()
            if kind != "thinking":
                self._say({"event": kind, "data": dict(data)})

    def flush(self) -> None:
        """Tell the thinking that is held back."""
        with self._lock:
            if self._pieces:
                text, self._pieces = self._pieces, ""
                self._say({"event": "thinking", "data": {"text": text}})
            self._told_at = time.monotonic()

    def progress(self, what: str, fraction: float) -> None:
        """Note how far a part of the work is; told a few times a second at most."""
        with self._lock:
            self._shares[what] = min(max(fraction, 0.0), 1.0)
            now = time.monotonic()
            if fraction < 1.0 and now - self._progress_at < _PROGRESS_S:
                return
            self._progress_at = now
            overall = sum(self._shares.values()) / len(self._shares)
            self._say({"progress": round(overall, 4), "note": what, "stages": dict(self._shares)})


class JobProcess:
    """One process that runs the jobs of a workspace; started with the first job, and again after a crash."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._inboxes: dict[str, tuple[subprocess.Popen[str], queue.SimpleQueue[Message]]] = {}
        """By job: the process that runs it, and what it told."""
        self._is_closed = False

    def run(self, row: JobRow) -> Iterator[Message]:
        """Run a job: yield that it started, what it tells, and at last its result or its problem."""
        inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        try:
            with self._lock:
                process = self._running()
                self._inboxes[row.job_id] = (process, inbox)
                self._send(process, {"run": row.model_dump(mode="json")})
            yield {"started": row.job_id}
            while True:
                message = inbox.get()
                yield message
                if "result" in message or "problem" in message:
                    return
        finally:
            self._inboxes.pop(row.job_id, None)

    def stop(self, job_id: str) -> None:
        """Ask a job to end; nothing happens where it does not run."""
        with self._lock, suppress(BackendError, KeyError):
            process, _ = self._inboxes[job_id]
            self._send(process, {"stop": job_id})

    def close(self) -> None:
        """End the process; jobs that do not stop in time are cut off."""
        with self._lock:
            self._is_closed = True
            process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_END_S + 1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    @staticmethod
    def _send(process: subprocess.Popen[str], message: Message) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
        except (OSError, ValueError) as exc:
            raise BackendError("The process that runs the jobs has ended. Try again.") from exc

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        if self._is_closed:
            raise BackendError("The server is stopping.")
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.close()
        # The settings travel by pipe: a list of processes shows arguments to everyone.
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "vidence.app.job_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # Ctrl-C is for the server, which then stops the jobs in order.
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(self._settings.model_dump(mode="json")) + "\n")
        threading.Thread(target=self._listen, args=(process,), name="jobs-listener", daemon=True).start()
        return process

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                message: Message = json.loads(line)
                _, inbox = self._inboxes.get(message["job"], (None, None))
                if inbox is not None:
                    inbox.put(message)
        code = process.wait()
        with self._lock:
            # Another process may have been started by now; its jobs go on.
            mine = [inbox for owner, inbox in self._inboxes.values() if owner is process]
        for inbox in mine:
            inbox.put({"problem": f"The process that runs the jobs ended in the middle (code {code})."})


class _Works:
    """The jobs of the child process."""

    def __init__(self, settings: Settings, out: IO[str]) -> None:
        self._workspace = open_workspace(settings)
        self._out, self._lock = out, threading.Lock()
        self._stops: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []

    def begin(self, row: JobRow) -> None:
        stop = self._stops[row.job_id] = threading.Event()
        thread = threading.Thread(target=self._run, args=(row, stop), name=row.job_id, daemon=True)
        self._threads = [*(one for one in self._threads if one.is_alive()), thread]
        thread.start()

    def stop(self, job_id: str) -> None:
        if job_id in self._stops:
            self._stops[job_id].set()

    def end(self) -> None:
        """Stop all jobs and wait for them, a little."""
        for stop in list(self._stops.values()):
            stop.set()
        deadline = time.monotonic() + _END_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if not any(thread.is_alive() for thread in self._threads):
            self._workspace.close()

    def _run(self, row: JobRow, stop: threading.Event) -> None:
        def say(message: Message) -> None:
            line = json.dumps({"job": row.job_id, **message}) + "\n"
            # A server that has gone hears nothing; its end of stdin closes, which ends this process.
            with self._lock, suppress(OSError, ValueError):
                self._out.write(line)
                self._out.flush()

        context = JobContext(say, stop)
        try:
            result = KINDS.resolve(row.kind)(self._workspace, row, context)
            context.flush()
            say({"result": result})
        except BaseException as exc:
            context.flush()
            known = isinstance(exc, VidenceError)
            if not known:
                _log.error("job %s failed", row.job_id, exc_info=exc)
            say({"problem": str(exc) if known else f"An unexpected error, {type(exc).__name__}: {exc}"})
        finally:
            self._stops.pop(row.job_id, None)


def _serve() -> None:
    """Run jobs until stdin closes."""
    # What a library prints or reads must not touch the protocol: the pipes get other file numbers.
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with open(os.devnull) as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    logging.basicConfig(level=logging.WARNING)
    with suppress(OSError):
        os.nice(_NICENESS)
    works = _Works(load_settings(**json.loads(requests.readline())), out)
    for line in requests:
        message: Message = json.loads(line)
        if "run" in message:
            works.begin(JobRow.model_validate(message["run"]))
        else:
            works.stop(message["stop"])
    works.end()
    # Threads that did not stop in time must not keep the process.
    os._exit(0)


if __name__ == "__main__":
    _serve()
