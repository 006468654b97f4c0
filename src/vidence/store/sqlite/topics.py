"""Pages with their full-text index, monitors, and the runs of monitors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from vidence.errors import UnknownName
from vidence.schema.topics import MonitorRecord, Page, TopicRun
from vidence.store.sqlite.database import Database, readable
from vidence.store.topics import PassageHit

__all__ = ["SqliteTopics"]

_PASSAGES = 4096
"""The most passages of one page; later ones are not indexed."""
_RUN_COLUMNS = "run_id, monitor_id, started_at, status, given, briefing"


@readable
class SqliteTopics:
    """The topics' tables; passages are searched by FTS5's BM25 over terms that the caller made."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def put_page(self, source: str, page: Page, *, stamp: str, passages: Sequence[str]) -> None:
        """Store a page in the place of what its address held; `passages` are terms joined by spaces."""
        with self.db.transaction() as tx:
            self._delete(source, [page.url])
            cursor = tx.execute(
                "INSERT INTO topic_pages (source, url, platform, published, stamp, body) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (
                    source,
                    page.url,
                    page.platform,
                    page.published.isoformat() if page.published else None,
                    stamp,
                    page.model_dump_json(),
                ),
            )
            first = int(cursor.lastrowid or 0) * _PASSAGES
            tx.executemany(
                "INSERT INTO topic_passages (rowid, terms) VALUES (?, ?)",
                [(first + place, terms) for place, terms in enumerate(passages[:_PASSAGES])],
            )

    def stamps(self, source: str) -> dict[str, str]:
        """Return the stamp of every page of a source by its address."""
        rows = self.db.rows("SELECT url, stamp FROM topic_pages WHERE source = ?", (source,))
        return {row["url"]: row["stamp"] for row in rows}

    def remove_pages(self, source: str, urls: Iterable[str]) -> None:
        """Remove pages of a source."""
        with self.db.transaction():
            self._delete(source, urls)

    def page(self, url: str, sources: Sequence[str] | None = None) -> Page | None:
        """Return the page last stored under an address, of one of the sources where given."""
        where, values = _among("source", sources)
        row = self.db.row(
            f"SELECT body FROM topic_pages WHERE url = ?{where} ORDER BY page_id DESC LIMIT 1", (url, *values)
        )
        return None if row is None else Page.model_validate_json(row["body"])

    def search_passages(
        self,
        terms: Sequence[str],
        *,
        sources: Sequence[str] | None = None,
        since: date | None = None,
        until: date | None = None,
        limit: int = 400,
    ) -> list[PassageHit]:
        """Return the passages that hold any of the terms, the best first; undated pages are in any range."""
        if not terms:
            return []
        where, values = _among("source", sources)
        dates: list[str] = []
        for day, comparison in ((since, ">="), (until, "<=")):
            if day is not None:
                where += f" AND (published IS NULL OR published {comparison} ?)"
                dates.append(day.isoformat())
        asked = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        rows = self.db.rows(
            "SELECT found.passage, found.score, pages.source, pages.url FROM "
            "(SELECT rowid AS passage, -bm25(topic_passages) AS score FROM topic_passages "
            "WHERE topic_passages MATCH ?) AS found "
            f"JOIN topic_pages AS pages ON pages.page_id = found.passage / {_PASSAGES} "
            f"WHERE 1{where} ORDER BY found.score DESC, pages.url, found.passage LIMIT ?",
            (asked, *values, *dates, limit),
        )
        return [
            PassageHit(row["source"], row["url"], row["passage"] % _PASSAGES, row["score"]) for row in rows
        ]

    def count_pages(self, sources: Sequence[str] | None = None) -> int:
        """Return how many pages are stored, of some sources where given."""
        where, values = _among("source", sources)
        row = self.db.row(f"SELECT count(*) AS number FROM topic_pages WHERE 1{where}", values)
        return 0 if row is None else int(row["number"])

    def save_monitor(self, monitor: MonitorRecord) -> None:
        """Write a monitor, in the place of the one with its id."""
        self.db.execute(
            "INSERT INTO topic_monitors (monitor_id, created_at, body) VALUES (?, ?, ?) "
            "ON CONFLICT (monitor_id) DO UPDATE SET body = excluded.body",
            (monitor.monitor_id, monitor.created_at, monitor.model_dump_json()),
        )

    def monitors(self) -> list[MonitorRecord]:
        """Return every monitor, the oldest first."""
        rows = self.db.rows("SELECT body FROM topic_monitors ORDER BY created_at, monitor_id")
        return [MonitorRecord.model_validate_json(row["body"]) for row in rows]

    def save_run(self, run: TopicRun) -> None:
        """Write a run; the journal of one that is over is dropped."""
        with self.db.transaction() as tx:
            tx.execute(
                f"INSERT INTO topic_runs ({_RUN_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (run_id) DO UPDATE SET status = excluded.status, briefing = excluded.briefing",
                (run.run_id, run.monitor_id, run.started_at, run.status, run.given, run.briefing),
            )
            if run.status != "running":
                tx.execute("DELETE FROM topic_journal WHERE run_id = ?", (run.run_id,))

    def run(self, run_id: str) -> TopicRun:
        """Return one run."""
        row = self.db.row(f"SELECT {_RUN_COLUMNS} FROM topic_runs WHERE run_id = ?", (run_id,))
        if row is None:
            known = [one["run_id"] for one in self.db.rows("SELECT run_id FROM topic_runs")]
            raise UnknownName("run", run_id, known, remedy="See: vidence monitor list")
        return TopicRun.model_validate(dict(row))

    def runs(self, monitor_id: str) -> list[TopicRun]:
        """Return the runs of a monitor, the oldest first."""
        rows = self.db.rows(
            f"SELECT {_RUN_COLUMNS} FROM topic_runs WHERE monitor_id = ? ORDER BY started_at, run_id",
            (monitor_id,),
        )
        return [TopicRun.model_validate(dict(row)) for row in rows]

    def note(self, run_id: str, entry: str, body: str) -> None:
        """Write what a run got from outside; the first of two is kept."""
        self.db.execute(
            "INSERT OR IGNORE INTO topic_journal (run_id, entry, body) VALUES (?, ?, ?)",
            (run_id, entry, body),
        )

    def noted(self, run_id: str, entry: str) -> str | None:
        """Return what a run got from outside before it was interrupted."""
        row = self.db.row("SELECT body FROM topic_journal WHERE run_id = ? AND entry = ?", (run_id, entry))
        return None if row is None else str(row["body"])

    def _delete(self, source: str, urls: Iterable[str]) -> None:
        with self.db.transaction() as tx:
            for url in urls:
                gone = tx.execute(
                    "DELETE FROM topic_pages WHERE source = ? AND url = ? RETURNING page_id", (source, url)
                ).fetchall()
                for row in gone:
                    first = row["page_id"] * _PASSAGES
                    tx.execute(
                        "DELETE FROM topic_passages WHERE rowid >= ? AND rowid < ?",
                        (first, first + _PASSAGES),
                    )


def _among(column: str, values: Sequence[str] | None) -> tuple[str, tuple[str, ...]]:
    """Return a condition on a column, and its values; none where anything goes."""
    if values is None:
        return "", ()
    return f" AND {column} IN ({', '.join('?' * len(values))})", tuple(values)
