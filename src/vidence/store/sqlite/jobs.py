"""Jobs and their events, so that a server that was stopped goes on where it was."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from vidence.errors import UnknownName
from vidence.schema.jobs import JobEvent, JobRow, JobState
from vidence.store.protocols import Jobs
from vidence.store.sqlite.database import Table, readable

__all__ = ["SqliteJobs"]

_COLUMNS = tuple(JobRow.model_fields)
_JSON = ("given", "result")


@readable
class SqliteJobs(Table, Jobs):
    """One table of jobs and one of their events."""

    def add(
        self, kind: str, given: Mapping[str, JsonValue], *, subject: str = "", thread: str = ""
    ) -> JobRow:
        job = JobRow(
            job_id=f"job_{secrets.token_hex(8)}",
            kind=kind,
            subject=subject,
            thread=thread,
            given=dict(given),
            created_at=time.time(),
        )
        places = ", ".join("?" * len(_COLUMNS))
        self._db.execute(f"INSERT INTO jobs ({', '.join(_COLUMNS)}) VALUES ({places})", _values(job))
        return job

    def get(self, job_id: str) -> JobRow:
        row = self._db.row("SELECT * FROM jobs WHERE job_id = ?", (job_id,))
        if row is None:
            raise UnknownName("job", job_id)
        return _job(row)

    def update(self, job: JobRow) -> None:
        changes = ", ".join(f"{name} = ?" for name in _COLUMNS)
        self._db.execute(f"UPDATE jobs SET {changes} WHERE job_id = ?", (*_values(job), job.job_id))

    def page(
        self,
        *,
        kind: str | None = None,
        states: Sequence[JobState] = (),
        subject: str | None = None,
        thread: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> tuple[tuple[JobRow, ...], int]:
        exact = {"kind": kind, "subject": subject, "thread": thread}
        terms = [(f"{name} = ?", [value]) for name, value in exact.items() if value is not None]
        if states:
            terms.append((f"state IN ({', '.join('?' * len(states))})", list(states)))
        where = f" WHERE {' AND '.join(term for term, _ in terms)}" if terms else ""
        values = [value for _, some in terms for value in some]
        with self._db.read() as reader:
            total = reader.execute(f"SELECT count(*) FROM jobs{where}", values).fetchone()[0]
            rows = reader.execute(
                f"SELECT * FROM jobs{where} ORDER BY created_at DESC, job_id LIMIT ? OFFSET ?",
                (*values, limit, offset),
            ).fetchall()
        return tuple(_job(row) for row in rows), int(total)

    def remove(self, job_id: str) -> None:
        self._db.execute("DELETE FROM jobs WHERE job_id = ?", (job_id,))

    def append(self, job_id: str, kind: str, data: Mapping[str, JsonValue]) -> JobEvent:
        with self._db.transaction() as tx:
            last = tx.execute("SELECT max(number) FROM job_events WHERE job_id = ?", (job_id,)).fetchone()[0]
            event = JobEvent(
                job_id=job_id, number=(last or 0) + 1, kind=kind, data=dict(data), at=time.time()
            )
            tx.execute(
                "INSERT INTO job_events (job_id, number, kind, data, at) VALUES (?, ?, ?, ?, ?)",
                (job_id, event.number, kind, json.dumps(event.data, ensure_ascii=False), event.at),
            )
        return event

    def events(self, job_id: str, *, after: int = 0, limit: int = 1000) -> list[JobEvent]:
        rows = self._db.rows(
            "SELECT * FROM job_events WHERE job_id = ? AND number > ? ORDER BY number LIMIT ?",
            (job_id, after, limit),
        )
        return [JobEvent.model_validate({**dict(row), "data": json.loads(row["data"])}) for row in rows]


def _values(job: JobRow) -> tuple[object, ...]:
    body = job.model_dump(mode="json")
    return tuple(
        json.dumps(body[name], ensure_ascii=False) if name in _JSON else body[name] for name in _COLUMNS
    )


def _job(row: sqlite3.Row) -> JobRow:
    return JobRow.model_validate({**dict(row), **{name: json.loads(row[name]) for name in _JSON}})
