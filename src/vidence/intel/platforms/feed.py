"""RSS and Atom feeds, and platforms that are read through the feeds of the user's RSSHub."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from html import unescape
from time import struct_time
from typing import Any

from vidence.errors import ErrorType, ServiceError, UserError
from vidence.intel.html import as_date, read_html
from vidence.intel.library import stamp_of
from vidence.intel.platforms.folder import FolderPlatform
from vidence.intel.platforms.protocol import Found, Platform, PlatformContext
from vidence.intel.web.crawler import Crawler
from vidence.language.identify import text_language
from vidence.schema.topics import Page

__all__ = ["FeedPlatform", "build", "build_via_rsshub"]

_MOST_ENTRIES = 500


class FeedPlatform:
    """The entries of one feed; the address is the user's own and may lie anywhere that is public."""

    is_collection = True

    def __init__(self, source: str, address: str, crawler: Crawler, *, name: str = "feed") -> None:
        self.source, self.name = source, name
        self._address, self._crawler = address, crawler

    def find(
        self, query: str, *, since: date | None, limit: int, known: Mapping[str, str]
    ) -> Iterator[Found]:
        """Yield the entries of the feed; those that an older feed held stay known."""
        for url in known:
            # A feed forgets its old entries; the library does not.
            yield Page(url=url, platform=self.name), known[url]
        for entry in _entries(self._crawler.get(self._address, obey_robots=False).body, self._address):
            page = _page(entry, self._address, self.name)
            if page is not None:
                yield page, stamp_of(page)


def _entries(body: bytes, address: str) -> list[Any]:
    import feedparser

    # The bytes were fetched by us: given an address, it would fetch by itself.
    parsed = feedparser.parse(body, sanitize_html=True)
    entries = list(parsed.entries)[:_MOST_ENTRIES]
    if not entries and parsed.bozo and not parsed.feed:
        raise ServiceError(
            f"{address} is no feed that can be read.", ErrorType.INVALID_REPLY, service=address
        )
    return entries


def _page(entry: Any, address: str, platform: str) -> Page | None:
    url = str(entry.get("link") or entry.get("id") or "")
    contents = [str(one.get("value", "")) for one in entry.get("content", [])]
    html = max([*contents, str(entry.get("summary", ""))], key=len)
    title = " ".join(str(entry.get("title", "")).split())
    if not url or not (html or title):
        return None
    read = read_html(f"<html><body><article>{html}</article></body></html>", url, platform=platform)
    text = read.text if len(read.text) > len(title) else _bare(html) or title
    return Page(
        url=url,
        title=title,
        text=text,
        platform=platform,
        published=_day(entry.get("published_parsed") or entry.get("updated_parsed"))
        or as_date(str(entry.get("published", ""))),
        author=" ".join(str(entry.get("author", "")).split()),
        language=text_language(text[:5000]),
    )


def _bare(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", html)).strip()


def _day(stamp: struct_time | None) -> date | None:
    return date(stamp.tm_year, stamp.tm_mon, stamp.tm_mday) if stamp else None


def build(source: str, context: PlatformContext) -> Platform:
    """Return the platform of a feed's address."""
    return FeedPlatform(f"feed:{source}", source, context.crawler)


def build_via_rsshub(name: str, route: str) -> Callable[[str, PlatformContext], Platform]:
    """Return the builder of a platform that is read by its RSSHub route, or from an export of the user."""

    def build_platform(source: str, context: PlatformContext) -> Platform:
        if source.startswith(("http://", "https://")):
            return FeedPlatform(f"{name}:{source}", source, context.crawler, name=name)
        if (
            "/" not in source.strip("/")
            and not source.endswith((".json", ".jsonl", ".csv"))
            and context.rsshub
        ):
            address = f"{context.rsshub.rstrip('/')}/{route.format(source)}"
            return FeedPlatform(f"{name}:{source}", address, context.crawler, name=name)
        if source.startswith(("/", ".", "~")) or source.endswith((".json", ".jsonl", ".csv")):
            return FolderPlatform(source, platform=name)
        raise UserError(
            f"{name}:{source} needs an address of a feed, a file or folder of your own export, or the "
            "setting monitor.rsshub with the address of your RSSHub."
        )

    return build_platform


build_wechat = build_via_rsshub("wechat", "wechat/mp/msgalbum/{}")
build_zhihu = build_via_rsshub("zhihu", "zhihu/people/activities/{}")
build_xiaohongshu = build_via_rsshub("xiaohongshu", "xiaohongshu/user/{}/notes")
build_douyin = build_via_rsshub("douyin", "douyin/user/{}")
