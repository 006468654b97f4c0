"""The job runner: long work in a process of its own, kept in the store, so that a restart loses nothing."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from vidence.app.job_process import KINDS, JobProcess, Message
from vidence.app.workspace import Workspace
from vidence.errors import BackendError, UserError
from vidence.language.identify import question_language
from vidence.schema.jobs import ACTIVE, JobEvent, JobRow

__all__ = ["JobRunner"]

_LANES = {"index": ("index", 1), "story_add": ("index", 1), "monitor": ("topics", 1)}
_ANSWERS = ("answers", 2)
"""The threads of a kind: indexing uses every core, so there is one at a time; answers run two at a time, and
a monitor, which mostly waits for pages, holds up neither."""
_KEPT_EVENTS = 4000
"""Events of a running job held in memory for those who follow it."""

_log = logging.getLogger(__name__)
Follower = Callable[[str], None]
"""Called from any thread with the id of a job that has something new to tell."""


@dataclass
class _Live:
    """A job that is queued or running in this process."""

    row: JobRow
    stop: threading.Event = field(default_factory=threading.Event)
    """Set once it should end: the user cancelled it, or the server stops."""
    is_cancelled: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)
    events: list[JobEvent] = field(default_factory=list)


class JobRunner:
    """Runs the jobs of a workspace; only one runner works on a workspace at a time."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._jobs = workspace.store.jobs
        self._live: dict[str, _Live] = {}
        self._lock = threading.Lock()
        self._joining = threading.Lock()
        """Held from looking for a job to adding it, so that two requests at once make one job."""
        self._followers: set[Follower] = set()
        self._queues: dict[str, queue.SimpleQueue[str | None]] = {}
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()
        self._process = JobProcess(workspace.settings)

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
        self._process.close()
        for name, count in dict([*_LANES.values(), _ANSWERS]).items():
            for _ in range(count):
                self._queues[name].put(None)
        # The process has ended, so each thread has only its job's last state to note.
        for thread in self._threads:
            thread.join()

    def submit(
        self, kind: str, given: Mapping[str, JsonValue], *, subject: str = "", thread: str = ""
    ) -> JobRow:
        """Store a job and run it when its turn comes."""
        KINDS.resolve(kind)
        row = self._jobs.add(kind, given, subject=subject, thread=thread)
        self._enqueue(row)
        return row

    def join(self, kind: str, given: Mapping[str, JsonValue], *, subject: str, same: bool = False) -> JobRow:
        """Return the job of a kind that is under way for something, else submit one.

        Args:
            same: only a job that was given the same will do.
        """
        with self._joining:
            row = self.active(kind, subject, given if same else None)
            return row or self.submit(kind, given, subject=subject)

    def get(self, job_id: str) -> JobRow:
        """Return a job as it stands now."""
        live = self._live.get(job_id)
        return live.row if live is not None else self._jobs.get(job_id)

    def cancel(self, job_id: str) -> JobRow:
        """Ask a job to stop; one that has ended stays as it is."""
        live = self._live.get(job_id)
        if live is None:
            return self._jobs.get(job_id)
        with live.lock:
            live.is_cancelled = True
            live.stop.set()
            if live.row.state == "queued":
                self._finish(live, state="cancelled")
        self._process.stop(job_id)
        return live.row

    def make_way(self, question: str, videos: Sequence[str]) -> None:
        """Stop reading ahead that a question would only wait for: other videos, or another language."""
        useful = {"language": question_language(question)}
        for row in self.all_active():
            is_useful = row.subject in videos and useful.items() <= row.given.items()
            if row.kind == "prepare" and not is_useful:
                self.cancel(row.job_id)

    def remove(self, job_id: str) -> None:
        """Delete a job that has ended."""
        row = self.get(job_id)
        if row.is_active:
            raise UserError(f"The job {job_id} is still {row.state}. Stop it first.")
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

    def active(self, kind: str, subject: str, given: Mapping[str, JsonValue] | None = None) -> JobRow | None:
        """Return the job of a kind that is under way for something; one that was told to stop is not."""
        rows = (live.row for live in list(self._live.values()) if not live.stop.is_set())
        mine = (row for row in rows if row.is_active and (row.kind, row.subject) == (kind, subject))
        return next((row for row in mine if given is None or row.given == given), None)

    def all_active(self) -> list[JobRow]:
        """Return the jobs that are queued or running, the oldest first."""
        rows = [live.row for live in list(self._live.values())]
        return sorted((row for row in rows if row.is_active), key=lambda row: row.created_at)

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
        with live.lock:
            # Cancelled while it was taken from the queue: it has ended already.
            if live.stop.is_set():
                return
            self._change(live, state="running", started_at=time.time(), attempts=row.attempts + 1)
        if row.attempts:
            self._append(live, "restarted", {"attempt": row.attempts + 1})
        try:
            for message in self._process.run(row):
                self._take(live, message)
        except BackendError as exc:
            self._end(live, error=str(exc))

    def _take(self, live: _Live, message: Message) -> None:
        """Keep one thing a job told."""
        if "event" in message:
            self._append(live, message["event"], message["data"])
        elif "progress" in message:
            self._change(live, progress=message["progress"], note=message["note"])
            self._append(live, "progress", {"stages": message["stages"]})
        elif "started" in message:
            # It may have been stopped before its process knew of it.
            if live.stop.is_set():
                self._process.stop(live.row.job_id)
        else:
            self._end(live, result=message.get("result"), error=message.get("problem"))

    def _end(self, live: _Live, *, result: JsonValue = None, error: str | None = None) -> None:
        if live.is_cancelled:
            self._finish(live, state="cancelled", result=result)
        elif live.stop.is_set():
            # The server stops; it goes on when the next one starts.
            self._change(live, state="queued")
        elif error is not None:
            self._finish(live, state="failed", error=error)
        else:
            self._finish(live, state="done", progress=1.0, result=result)

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
