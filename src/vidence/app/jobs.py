"""The job runner: long work in threads, kept in the store, so that a reload or a restart loses nothing."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from vidence.app.workspace import Workspace
from vidence.errors import BackendError, UserError, VidenceError
from vidence.registry import Registry
from vidence.schema.jobs import ACTIVE, JobEvent, JobRow

__all__ = ["KINDS", "JobContext", "JobRunner"]

KINDS = Registry(
    "job",
    {
        "index": "vidence.app.job_kinds:index_video",
        "ask": "vidence.app.job_kinds:answer_question",
        "monitor": "vidence.app.job_kinds:watch_topic",
        "story": "vidence.app.job_kinds:answer_from_story",
        "story_add": "vidence.app.job_kinds:read_story",
    },
)
"""What a job can do: functions from (workspace, job, context) to the job's result."""

_LANES = {"index": ("index", 1), "story_add": ("index", 1), "monitor": ("topics", 1)}
_ANSWERS = ("answers", 2)
"""The threads of a kind: indexing uses every core, so there is one at a time; answers run two at a time, and
a monitor, which mostly waits for pages, holds up neither."""
_PIECE_S = 0.08
"""Pieces of thinking that arrive faster than this are told together."""
_PROGRESS_S = 0.4
_KEPT_EVENTS = 4000
"""Events of a running job held in memory for those who follow it."""
_STOP_S = 5.0

_log = logging.getLogger(__name__)
Follower = Callable[[str], None]
"""Called from any thread with the id of a job that has something new to tell."""


@dataclass
class _Live:
    """A job that is queued or running in this process."""

    row: JobRow
    stop: threading.Event = field(default_factory=threading.Event)
    lock: threading.RLock = field(default_factory=threading.RLock)
    events: list[JobEvent] = field(default_factory=list)


class JobContext:
    """What a running job may do besides its work: tell, show progress, and see that it should stop."""

    def __init__(self, runner: JobRunner, live: _Live) -> None:
        self._runner, self._live = runner, live
        self._pieces, self._told_at = "", 0.0
        self._shares: dict[str, float] = {}
        self._progress_at = 0.0

    def is_stopped(self) -> bool:
        """Return whether the work should end as soon as it can."""
        return self._live.stop.is_set()

    def tell(self, kind: str, data: Mapping[str, JsonValue]) -> None:
        """Keep an event and pass it on; pieces of thinking are joined."""
        with self._live.lock:
            if kind == "thinking":
                self._pieces += str(data.get("text", ""))
                if time.monotonic() - self._told_at < _PIECE_S:
                    return
            self.flush()
            if kind != "thinking":
                self._runner._append(self._live, kind, data)

    def flush(self) -> None:
        """Tell the thinking that is held back."""
        with self._live.lock:
            if self._pieces:
                text, self._pieces = self._pieces, ""
                self._runner._append(self._live, "thinking", {"text": text})
            self._told_at = time.monotonic()

    def progress(self, what: str, fraction: float) -> None:
        """Note how far a part of the work is; told a few times a second at most."""
        with self._live.lock:
            self._shares[what] = min(max(fraction, 0.0), 1.0)
            now = time.monotonic()
            if fraction < 1.0 and now - self._progress_at < _PROGRESS_S:
                return
            self._progress_at = now
            overall = sum(self._shares.values()) / len(self._shares)
            self._runner._change(self._live, progress=round(overall, 4), note=what)
            self._runner._append(self._live, "progress", {"stages": dict(self._shares)})


class JobRunner:
    """Runs the jobs of a workspace; only one runner works on a workspace at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._jobs = workspace.store.jobs
        self._live: dict[str, _Live] = {}
        self._lock = threading.Lock()
        self._followers: set[Follower] = set()
        self._queues: dict[str, queue.SimpleQueue[str | None]] = {}
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the threads and go on with what a stopped server left."""
        for name, count in dict([*_LANES.values(), _ANSWERS]).items():
            self._queues[name] = queue.SimpleQueue()
            for number in range(count):
                thread = threading.Thread(
                    target=self._work, args=(name,), name=f"job-{name}-{number}", daemon=True
                )
                thread.start()
                self._threads.append(thread)
        left, _ = self._jobs.page(states=ACTIVE, limit=100_000)
        for row in reversed(left):
            self._enqueue(row.model_copy(update={"state": "queued", "note": ""}))

    def close(self) -> None:
        """Stop the running jobs; they go on when a runner is started again."""
        self._closing.set()
        for live in list(self._live.values()):
            live.stop.set()
        for name, count in dict([*_LANES.values(), _ANSWERS]).items():
            for _ in range(count):
                self._queues[name].put(None)
        deadline = time.monotonic() + _STOP_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def submit(
        self, kind: str, given: Mapping[str, JsonValue], *, subject: str = "", thread: str = ""
    ) -> JobRow:
        """Store a job and run it when its turn comes."""
        KINDS.resolve(kind)
        row = self._jobs.add(kind, given, subject=subject, thread=thread)
        self._enqueue(row)
        return row

    def get(self, job_id: str) -> JobRow:
        """Return a job as it stands now."""
        live = self._live.get(job_id)
        return live.row if live is not None else self._jobs.get(job_id)

    def cancel(self, job_id: str) -> JobRow:
        """Ask a job to stop; one that has ended stays as it is."""
        live = self._live.get(job_id)
        if live is None:
            return self._jobs.get(job_id)
        live.stop.set()
        with live.lock:
            if live.row.state == "queued":
                self._finish(live, state="cancelled")
        return live.row

    def remove(self, job_id: str) -> None:
        """Delete a job that has ended."""
        if self.get(job_id).is_active:
            raise UserError(f"The job {job_id} is still {self.get(job_id).state}. Stop it first.")
        self._jobs.remove(job_id)

    def recent(self, job_id: str, *, after: int = 0) -> list[JobEvent] | None:
        """Return what a job told after an event; None where only the store knows."""
        live = self._live.get(job_id)
        events = [] if live is None else live.events
        if not events or events[0].number > after + 1:
            return None
        return events[after - events[0].number + 1 :]

    def history(self, job_id: str) -> list[JobEvent]:
        """Return the first events of a job, from the store."""
        return self._jobs.events(job_id, limit=_KEPT_EVENTS)

    def active(self, kind: str, subject: str) -> JobRow | None:
        """Return the job of a kind that is under way for something."""
        rows = (live.row for live in list(self._live.values()))
        return next((row for row in rows if (row.kind, row.subject) == (kind, subject)), None)

    def all_active(self) -> list[JobRow]:
        """Return the jobs that are queued or running, the oldest first."""
        return sorted((live.row for live in list(self._live.values())), key=lambda row: row.created_at)

    def follow(self, follower: Follower) -> Callable[[], None]:
        """Call `follower` on every change; return what ends that."""
        with self._lock:
            self._followers.add(follower)

        def unfollow() -> None:
            with self._lock:
                self._followers.discard(follower)

        return unfollow

    def _enqueue(self, row: JobRow) -> None:
        live = _Live(row)
        if row.attempts:
            live.events = self._jobs.events(row.job_id, limit=_KEPT_EVENTS)
        self._live[row.job_id] = live
        self._jobs.update(row)
        self._queues[_LANES.get(row.kind, _ANSWERS)[0]].put(row.job_id)
        self._notify(row.job_id)

    def _work(self, lane: str) -> None:
        while (job_id := self._queues[lane].get()) is not None:
            live = self._live.get(job_id)
            if self._closing.is_set():
                return
            if live is not None and not live.stop.is_set():
                self._run(live)

    def _run(self, live: _Live) -> None:
        row = live.row
        self._change(live, state="running", started_at=time.time(), attempts=row.attempts + 1)
        if row.attempts:
            self._append(live, "restarted", {"attempt": row.attempts + 1})
        context = JobContext(self, live)
        try:
            result = KINDS.resolve(row.kind)(self.workspace, row, context)
            context.flush()
            if live.stop.is_set():
                self._stopped(live, result)
            else:
                self._finish(live, state="done", progress=1.0, result=result)
        except BaseException as exc:
            try:
                context.flush()
                self._failed(live, exc)
            except BackendError:
                # The store was closed first; the job is still noted as running, so it goes on later.
                if not self._closing.is_set():
                    raise

    def _stopped(self, live: _Live, result: JsonValue) -> None:
        if self._closing.is_set():
            # It goes on when the next server starts.
            self._change(live, state="queued")
        else:
            self._finish(live, state="cancelled", result=result)

    def _failed(self, live: _Live, exc: BaseException) -> None:
        if live.stop.is_set():
            self._stopped(live, None)
        else:
            known = isinstance(exc, VidenceError)
            if not known:
                _log.error("job %s failed", live.row.job_id, exc_info=exc)
            error = str(exc) if known else f"An unexpected error, {type(exc).__name__}: {exc}"
            self._finish(live, state="failed", error=error)

    def _finish(self, live: _Live, **changes: object) -> None:
        self._change(live, ended_at=time.time(), note="", **changes)
        # The row is in the store now; whoever asks gets it from there.
        self._live.pop(live.row.job_id, None)
        self._notify(live.row.job_id)

    def _change(self, live: _Live, **changes: object) -> None:
        with live.lock:
            live.row = live.row.model_copy(update=changes)
            self._jobs.update(live.row)
        self._notify(live.row.job_id)

    def _append(self, live: _Live, kind: str, data: Mapping[str, JsonValue]) -> None:
        with live.lock:
            event = self._jobs.append(live.row.job_id, kind, data)
            # A new list each time: those who read it need no lock.
            live.events = [*live.events[-_KEPT_EVENTS:], event]
        self._notify(live.row.job_id)

    def _notify(self, job_id: str) -> None:
        with self._lock:
            followers = list(self._followers)
        for follower in followers:
            try:
                follower(job_id)
            except Exception as exc:
                # Whoever follows must not stop the work.
                _log.error("a follower of jobs failed", exc_info=exc)
