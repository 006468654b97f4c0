"""What the other rooms ask of a store about topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from vidence.schema.topics import MonitorRecord, Page, TopicRun

__all__ = ["PassageHit", "Topics"]


@dataclass(frozen=True)
class PassageHit:
    """A passage of a page that a full-text search found."""

    source: str
    url: str
    place: int
    """Which passage of the page, counted from 0."""
    score: float


class Topics(Protocol):
    """Pages with their full-text index, monitors, and the runs of monitors."""

    def put_page(self, source: str, page: Page, *, stamp: str, passages: Sequence[str]) -> None:
        """Store a page in the place of what its address held; `passages` are terms joined by spaces."""

    def stamps(self, source: str) -> dict[str, str]:
        """Return the stamp of every page of a source by its address."""

    def remove_pages(self, source: str, urls: Iterable[str]) -> None:
        """Remove pages of a source."""

    def page(self, url: str, sources: Sequence[str] | None = None) -> Page | None:
        """Return the page last stored under an address, of one of the sources where given."""

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

    def count_pages(self, sources: Sequence[str] | None = None) -> int:
        """Return how many pages are stored, of some sources where given."""

    def save_monitor(self, monitor: MonitorRecord) -> None:
        """Write a monitor, in the place of the one with its id."""

    def monitors(self) -> list[MonitorRecord]:
        """Return every monitor, the oldest first."""

    def save_run(self, run: TopicRun) -> None:
        """Write a run; the journal of one that is over is dropped."""

    def run(self, run_id: str) -> TopicRun:
        """Return one run."""

    def runs(self, monitor_id: str) -> list[TopicRun]:
        """Return the runs of a monitor, the oldest first."""

    def note(self, run_id: str, entry: str, body: str) -> None:
        """Write what a run got from outside; the first of two is kept."""

    def noted(self, run_id: str, entry: str) -> str | None:
        """Return what a run got from outside before it was interrupted."""
