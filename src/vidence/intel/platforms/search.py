"""Search services: SearXNG and others that answer with JSON, and the indexed videos and stories."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any
from urllib.parse import quote, urlsplit

from vidence.errors import ErrorType, ServiceError, UnknownName, UserError
from vidence.intel.html import as_date
from vidence.intel.library import stamp_of
from vidence.intel.platforms.protocol import Found, Platform, PlatformContext, SearchVideos
from vidence.intel.web.crawler import Crawler
from vidence.language.identify import text_language
from vidence.schema.topics import Page
from vidence.store.stories import Stories

__all__ = [
    "JsonSearchPlatform",
    "StoriesPlatform",
    "VideosPlatform",
    "build_api",
    "build_searxng",
    "build_stories",
    "build_videos",
]

_SEARXNG = "{base}/search?q={query}&format=json"


class JsonSearchPlatform:
    """A search service that answers a GET with JSON; its results are links, read by their own addresses."""

    is_collection = False

    def __init__(
        self, source: str, template: str, crawler: Crawler, *, name: str, fields: Mapping[str, str]
    ) -> None:
        self.source, self.name = source, name
        self._template, self._crawler, self._fields = template, crawler, fields

    def find(
        self, query: str, *, since: date | None, limit: int, known: Mapping[str, str]
    ) -> Iterator[Found]:
        """Yield the links that the service finds, with their excerpts left out: only pages are proof."""
        address = self._template.replace("{query}", quote(query))
        answer = self._crawler.get(address, obey_robots=False)
        for row in self._rows(answer.body)[:limit]:
            url = str(row.get(self._fields.get("url", "url"), ""))
            if urlsplit(url).scheme in ("http", "https"):
                page = Page(
                    url=url,
                    title=" ".join(str(row.get(self._fields.get("title", "title"), "")).split()),
                    platform=self.name,
                    published=as_date(str(row.get(self._fields.get("published", "publishedDate"), ""))),
                )
                yield page, ""

    def _rows(self, body: bytes) -> list[dict[str, Any]]:
        try:
            value = json.loads(body)
            for part in self._fields.get("results", "results").split("."):
                value = value[part]
        except (ValueError, KeyError, TypeError, RecursionError) as exc:
            raise ServiceError(
                f"{self.source} did not answer with the JSON that a search gives.",
                ErrorType.INVALID_REPLY,
                service=self.source,
            ) from exc
        return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


class StoriesPlatform:
    """The chapters of the workspace's stories, of all of them or of one."""

    name = "stories"
    is_collection = True

    def __init__(self, story: str, stories: Stories) -> None:
        self.source = f"stories:{story}"
        self._story, self._stories = story, stories

    def find(
        self, query: str, *, since: date | None, limit: int, known: Mapping[str, str]
    ) -> Iterator[Found]:
        """Yield every chapter; one that did not change comes without its text."""
        names = self._stories.names()
        if self._story and self._story not in names:
            raise UnknownName("story", self._story, names, remedy="See: vidence story list")
        for story in [self._story] if self._story else names:
            for head in self._stories.heads(story):
                url = f"story:{quote(story)}/{quote(head.document)}#{head.index + 1}"
                is_known = known.get(url) == head.sha256
                text = "" if is_known else self._stories.chapter(story, head).text
                title = " · ".join(dict.fromkeys(part for part in (story, head.label, head.title) if part))
                page = Page(
                    url=url,
                    title=title,
                    text=text,
                    platform=self.name,
                    language=text_language(text[:5000]) if text else "",
                )
                yield page, head.sha256


class VideosPlatform:
    """What is said, written and seen in the workspace's indexed videos."""

    name = "videos"
    source = "videos:"
    is_collection = False

    def __init__(self, search: SearchVideos) -> None:
        self._search = search

    def find(
        self, query: str, *, since: date | None, limit: int, known: Mapping[str, str]
    ) -> Iterator[Found]:
        """Yield what the videos hold about a query, one page a video."""
        yield from ((page, stamp_of(page)) for page in self._search(query, limit))


def build_searxng(source: str, context: PlatformContext) -> Platform:
    """Return the search of a SearXNG that the user runs or may use, by its address."""
    return JsonSearchPlatform(
        f"searxng:{source}",
        _SEARXNG.replace("{base}", source.rstrip("/")),
        context.crawler,
        name="searxng",
        fields={},
    )


def build_api(source: str, context: PlatformContext) -> Platform:
    """Return a search service of the settings: `[monitor.options.NAME]` with `address` and field names."""
    options = context.options.get(source)
    if not options or "{query}" not in options.get("address", ""):
        raise UserError(
            f"api:{source} is not set up. Write [monitor.options.{source}] with "
            'address = "https://…?q={query}" in the vidence.toml of your home folder.'
        )
    key = os.environ.get(options.get("key_env", ""), "")
    address = options["address"].replace("{key}", quote(key))
    return JsonSearchPlatform(f"api:{source}", address, context.crawler, name=source, fields=options)


def build_stories(source: str, context: PlatformContext) -> Platform:
    """Return the stories of the workspace as a platform, or the one that is named."""
    if context.stories is None:
        raise UserError("There are no stories here to search.")
    return StoriesPlatform(source, context.stories)


def build_videos(source: str, context: PlatformContext) -> Platform:
    """Return the indexed videos as a platform."""
    if context.search_videos is None:
        raise UserError("There are no indexed videos here to search.")
    return VideosPlatform(context.search_videos)
