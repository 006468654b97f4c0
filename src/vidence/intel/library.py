"""The pages of a workspace's sources: kept up to date and searched by words and meaning."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from vidence.intel.passages import passage_terms, plain_text, split_passages
from vidence.language.tokens import query_terms
from vidence.schema.topics import FoundPage, Page
from vidence.store import PassageHit, Topics

__all__ = ["DateRange", "Library"]

_WEIGHTS = (1.0, 0.3, 0.1)
"""What the best, second and third passage of a page add to its score."""
_SHOWN = 3
_MOST_CHARS = 400_000
"""The longest text of a page that is kept; what comes after is cut off."""


@dataclass(frozen=True)
class DateRange:
    """The days from `since` to `until`, both included; None leaves that end open."""

    since: date | None = None
    until: date | None = None

    def holds(self, day: date | None) -> bool:
        """Tell whether a day lies in the range; an unknown day may."""
        if day is None:
            return True
        return (self.since is None or day >= self.since) and (self.until is None or day <= self.until)


class Library:
    """The stored pages and their full-text index in both languages."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics

    def keep(self, source: str, page: Page, *, stamp: str | None = None) -> Page:
        """Store a page of a source and return it as it is kept."""
        cut = page.model_copy(update={"text": page.text[:_MOST_CHARS]})
        passages = [passage_terms(one, cut.title) for one in split_passages(cut.text)]
        self._topics.put_page(source, cut, stamp=stamp or stamp_of(cut), passages=passages)
        return cut

    def stamps(self, source: str) -> dict[str, str]:
        """Return the stamp of every page of a source by its address."""
        return self._topics.stamps(source)

    def remove(self, source: str, urls: Iterable[str]) -> None:
        """Remove pages that their source no longer has."""
        self._topics.remove_pages(source, urls)

    def page(self, url: str, sources: Sequence[str] | None = None) -> Page | None:
        """Return a stored page by its address."""
        return self._topics.page(url, sources)

    def count(self, sources: Sequence[str] | None = None) -> int:
        """Return how many pages are stored."""
        return self._topics.count_pages(sources)

    def search(
        self,
        query: str,
        limit: int = 10,
        *,
        sources: Sequence[str] | None = None,
        days: DateRange | None = None,
    ) -> list[FoundPage]:
        """Return the pages that fit a query best, each with its best passages."""
        span = days or DateRange()
        hits = self._topics.search_passages(
            query_terms(query), sources=sources, since=span.since, until=span.until
        )
        ranked = sorted(_by_page(hits).items(), key=lambda item: (-_score(item[1]), item[0]))
        return [
            found
            for (source, url), passages in ranked[:limit]
            if (found := self._found(source, url, passages)) is not None
        ]

    def _found(self, source: str, url: str, hits: Sequence[PassageHit]) -> FoundPage | None:
        page = self._topics.page(url, [source])
        if page is None:
            return None
        passages = split_passages(page.text)
        shown = [passages[hit.place] for hit in hits[:_SHOWN] if hit.place < len(passages)]
        return FoundPage(
            url=url,
            title=page.title,
            platform=page.platform,
            source=source,
            published=page.published,
            author=page.author,
            language=page.language,
            passages=tuple(plain_text(one) for one in shown),
            score=round(_score(hits), 4),
        )


def stamp_of(page: Page) -> str:
    """Return a stamp that changes with what a page says."""
    return hashlib.sha256(f"{page.title}\0{page.text}".encode(errors="replace")).hexdigest()[:32]


def _by_page(hits: Iterable[PassageHit]) -> dict[tuple[str, str], list[PassageHit]]:
    pages: dict[tuple[str, str], list[PassageHit]] = defaultdict(list)
    for hit in hits:
        pages[hit.source, hit.url].append(hit)
    return pages


def _score(hits: Sequence[PassageHit]) -> float:
    return sum(weight * hit.score for weight, hit in zip(_WEIGHTS, hits, strict=False))
