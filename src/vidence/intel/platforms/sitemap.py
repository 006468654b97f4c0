"""Sitemaps: the pages of a site, each read once and again when its sitemap says that it changed."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from datetime import date
from html import unescape

from vidence.errors import ErrorType, ServiceError
from vidence.intel.html import as_date
from vidence.intel.platforms.protocol import Found, Platform, PlatformContext
from vidence.intel.web.crawler import Crawler
from vidence.schema.topics import FailedSource, Page

__all__ = ["SitemapPlatform", "build"]

_MOST_PAGES = 200
_MOST_MAPS = 20
_ENTRY = re.compile(r"<(url|sitemap)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
_LOCATION = re.compile(r"<loc>\s*(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?\s*</loc>", re.DOTALL | re.IGNORECASE)
_CHANGED = re.compile(r"<lastmod>\s*(.*?)\s*</lastmod>", re.DOTALL | re.IGNORECASE)


class SitemapPlatform:
    """The newest pages of a site by its sitemap."""

    name = "sitemap"
    is_collection = True

    def __init__(self, address: str, crawler: Crawler) -> None:
        self.source = f"sitemap:{address}"
        self._address, self._crawler = address, crawler

    def find(
        self, query: str, *, since: date | None, limit: int, known: Mapping[str, str]
    ) -> Iterator[Found]:
        """Yield the pages of the sitemap, the newest first; unchanged ones without text."""
        entries = sorted(self._entries(), key=lambda one: one[1], reverse=True)[:_MOST_PAGES]
        for url, changed in entries:
            stamp = f"lastmod:{changed}"
            if known.get(url) == stamp:
                yield Page(url=url, platform=self.name), stamp
                continue
            try:
                page = self._crawler.read(url, platform=self.name)
            except ServiceError as exc:
                yield FailedSource(source=url, problem=str(exc), error_type=exc.error_type)
                continue
            day = page.published or as_date(changed)
            yield page.model_copy(update={"published": day}), stamp

    def _entries(self) -> list[tuple[str, str]]:
        """Return every page with its time of change, through sitemaps of sitemaps."""
        waiting, found, seen = [self._address], [], 0
        while waiting and seen < _MOST_MAPS:
            seen += 1
            text = self._read(waiting.pop(0))
            for match in _ENTRY.finditer(text):
                location, changed = _LOCATION.search(match[0]), _CHANGED.search(match[0])
                if location is None:
                    continue
                if match[1].lower() == "sitemap":
                    waiting.append(unescape(location[1]))
                else:
                    found.append((unescape(location[1]), changed[1] if changed else ""))
        if not found:
            raise ServiceError(
                f"{self._address} names no page.", ErrorType.INVALID_REPLY, service=self._address
            )
        return found

    def _read(self, address: str) -> str:
        answer = self._crawler.get(address, obey_robots=False)
        if answer.body[:2] != b"\x1f\x8b":
            return answer.text
        try:
            return zlib.decompressobj(wbits=31).decompress(answer.body, 50_000_000).decode(errors="replace")
        except zlib.error as exc:
            raise ServiceError(f"{address} is damaged.", ErrorType.INVALID_REPLY, service=address) from exc


def build(source: str, context: PlatformContext) -> Platform:
    """Return the platform of a sitemap's address."""
    return SitemapPlatform(source, context.crawler)
