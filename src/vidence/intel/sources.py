"""The sources of one monitor: read when first searched, and searched together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from vidence.errors import ErrorType, OpRetry, ServiceError, VidenceError
from vidence.intel.library import DateRange, Library, stamp_of
from vidence.intel.platforms.catalogue import open_platform
from vidence.intel.platforms.protocol import Platform, PlatformContext
from vidence.intel.web.crawler import Crawler
from vidence.schema.topics import FailedSource, FoundPage, Page

__all__ = ["Searched", "TopicSources"]

Progress = Callable[[str, float], None]
_MOST_FOUND = 50
"""Links taken from one search service for one query."""
_MOST_FAILURES = 50
_WEB = "web"
"""The source of pages that were fetched by their address alone."""


@dataclass(frozen=True)
class Searched:
    """What a search of the sources found, and what could not be searched."""

    found: tuple[FoundPage, ...] = ()
    sources: tuple[str, ...] = ()
    failed: tuple[FailedSource, ...] = ()


class TopicSources:
    """Folders, feeds, archives and search services behind one search."""

    def __init__(
        self,
        sources: Sequence[str],
        library: Library,
        crawler: Crawler,
        context: PlatformContext,
        *,
        progress: Progress | None = None,
    ) -> None:
        self.names = tuple(dict.fromkeys(sources))
        self._library, self._crawler, self._context = library, crawler, context
        self._progress = progress
        self._failures: dict[str, tuple[FailedSource, ...]] = {}
        """Of the collections read so far, what could not be read."""

    @property
    def library(self) -> Library:
        """The stored pages."""
        return self._library

    def search(
        self,
        query: str,
        *,
        platforms: Sequence[str] | None = None,
        days: DateRange | None = None,
        limit: int = 10,
    ) -> Searched:
        """Search the sources, or those of some platforms; a source that fails is named, the others go on."""
        failed: list[FailedSource] = []
        stored: list[str] = []
        links: list[FoundPage] = []
        used: list[str] = []
        for source in self._chosen(platforms):
            used.append(source)
            try:
                platform = open_platform(source, self._context)
                if platform.is_collection:
                    failed += self._read_once(source, platform)
                    stored.append(source)
                else:
                    links += self._links(source, platform, query, days, failed)
            except VidenceError as exc:
                failed.append(_failure(source, exc))
        found = self._library.search(query, limit, sources=stored, days=days) if stored else []
        return Searched(tuple(_woven(found, links)[:limit]), tuple(used), tuple(failed))

    def scrape(self, url: str) -> Page:
        """Return the text of a page: a stored one of these sources, else fetched from its public address."""
        known = self._library.page(url, [*self.names, _WEB])
        if known is not None and known.text:
            return known
        if urlsplit(url).scheme not in ("http", "https"):
            raise OpRetry(f"{url} is not among the sources, and only http and https addresses are fetched.")
        page = self._crawler.read(url)
        if not page.text.strip():
            raise ServiceError(f"{url} has no text to read.", ErrorType.INVALID_REPLY, service=page.site)
        return self._library.keep(_WEB, page)

    def _chosen(self, platforms: Sequence[str] | None) -> list[str]:
        if not platforms:
            return list(self.names)
        wanted = set(platforms)
        chosen = [name for name in self.names if name in wanted or name.partition(":")[0] in wanted]
        return chosen or [name for name in self.names if open_platform(name, self._context).name in wanted]

    def _read_once(self, source: str, platform: Platform) -> tuple[FailedSource, ...]:
        """Bring the stored pages of a collection up to date; only the first call reads it."""
        if source in self._failures:
            return self._failures[source]
        known = self._library.stamps(source)
        seen: set[str] = set()
        failed: list[FailedSource] = []
        for one in platform.find("", since=None, limit=0, known=known):
            if isinstance(one, FailedSource):
                failed.append(one)
                continue
            page, stamp = one
            seen.add(page.url)
            if page.text and known.get(page.url) != stamp:
                self._library.keep(source, page, stamp=stamp)
            self._tell(source, len(seen))
        self._library.remove(source, known.keys() - seen)
        self._failures[source] = tuple(failed[:_MOST_FAILURES])
        return self._failures[source]

    def _links(
        self,
        source: str,
        platform: Platform,
        query: str,
        days: DateRange | None,
        failed: list[FailedSource],
    ) -> list[FoundPage]:
        span = days or DateRange()
        found: list[FoundPage] = []
        for one in platform.find(query, since=span.since, limit=_MOST_FOUND, known={}):
            if isinstance(one, FailedSource):
                failed.append(one)
            elif span.holds(one[0].published):
                found.append(_as_found(one[0], source, rank=len(found)))
                if one[0].text:
                    # It has no address to fetch it from again.
                    self._library.keep(source, one[0], stamp=stamp_of(one[0]))
        return found

    def _tell(self, source: str, number: int) -> None:
        if self._progress is not None and number % 20 == 0:
            self._progress(f"reading {source}: {number} pages", 0.0)


def _woven(found: Sequence[FoundPage], links: Sequence[FoundPage]) -> list[FoundPage]:
    """Return stored pages and links in turns, best first: their scores do not compare."""
    woven = [one for pair in zip(found, links, strict=False) for one in pair]
    shorter = min(len(found), len(links))
    kept: dict[str, FoundPage] = {}
    for one in [*woven, *found[shorter:], *links[shorter:]]:
        kept.setdefault(one.url, one)
    return list(kept.values())


def _as_found(page: Page, source: str, *, rank: int) -> FoundPage:
    return FoundPage(
        url=page.url,
        title=page.title,
        platform=page.platform,
        source=source,
        published=page.published,
        author=page.author,
        language=page.language,
        passages=(page.text[:1000],) if page.text else (),
        score=round(1 / (rank + 1), 4),
        is_stored=False,
    )


def _failure(source: str, exc: VidenceError) -> FailedSource:
    kind = exc.error_type if isinstance(exc, ServiceError) else None
    return FailedSource(source=source, problem=str(exc), error_type=kind)
