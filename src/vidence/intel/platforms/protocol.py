"""The one Protocol of all platforms, and what an adapter is built from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol, runtime_checkable

from vidence.intel.web.crawler import Crawler
from vidence.schema.topics import FailedSource, Page
from vidence.store.stories import Stories

__all__ = ["Found", "Platform", "PlatformContext", "SearchVideos"]

Found = tuple[Page, str] | FailedSource
"""A page with its stamp, or what could not be read. The stamp tells whether a page has changed; a page
without text stands for one that has not, or for a link."""
SearchVideos = Callable[[str, int], list[Page]]
"""Returns what the indexed videos say and show about a query, as pages."""


@dataclass(frozen=True)
class PlatformContext:
    """What an adapter may use."""

    crawler: Crawler
    rsshub: str = ""
    """The address of the user's RSSHub, for platforms that have no feeds of their own."""
    search_videos: SearchVideos | None = None
    stories: Stories | None = None
    options: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Each adapter's own options from the settings, by its name."""


@runtime_checkable
class Platform(Protocol):
    """One source of pages."""

    name: str
    """The kind of platform, such as `folder` or `feed`."""
    source: str
    """The source as the user named it."""
    is_collection: bool
    """True when `find` yields everything there is, whatever the query: it is then read once a run."""

    def find(
        self, query: str, *, since: date | None, limit: int, known: Mapping[str, str]
    ) -> Iterator[Found]:
        """Yield pages, new or changed; `known` has the stamps of those that are stored already."""
        ...
