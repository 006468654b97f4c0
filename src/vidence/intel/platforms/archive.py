"""Archives of the web: WARC files, and ZIM files such as those of Wikipedia."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from vidence.errors import BackendError, FileProblem
from vidence.intel.html import as_date, read_html
from vidence.intel.library import stamp_of
from vidence.intel.platforms.protocol import Found, Platform, PlatformContext
from vidence.language.tables import words_of
from vidence.schema.topics import Page

__all__ = ["WarcPlatform", "ZimPlatform", "build_warc", "build_zim"]

_MOST_BYTES = 5_000_000
_MOST_PAGES = 50_000
_WORD = re.compile(r"\w[\w'’-]*")
_STOP = words_of("stop_words.tsv", "any", "matching")


class WarcPlatform:
    """The HTML pages of a WARC file, plain or gzipped."""

    name = "warc"
    is_collection = True

    def __init__(self, source: str) -> None:
        self.source = f"warc:{source}"
        self._path = Path(source).expanduser()

    def find(
        self, query: str, *, since: date | None, limit: int, known: Mapping[str, str]
    ) -> Iterator[Found]:
        """Yield every page; a file that did not change is not read again."""
        stamp = _file_stamp(self._path)
        if known and set(known.values()) == {stamp}:
            yield from ((Page(url=url, platform=self.name), stamp) for url in known)
            return
        for number, page in enumerate(self._pages()):
            if number == _MOST_PAGES:
                return
            yield page, stamp

    def _pages(self) -> Iterator[Page]:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed

        with self._path.open("rb") as file:
            try:
                for record in ArchiveIterator(file):
                    page = _warc_page(record, self.name)
                    if page is not None and page.text:
                        yield page
            except ArchiveLoadFailed as exc:
                raise FileProblem(f"{self._path.name} is damaged and cannot be read on: {exc}.") from exc


def _warc_page(record: Any, platform: str) -> Page | None:
    url = record.rec_headers.get_header("WARC-Target-URI")
    headers = record.http_headers
    if record.rec_type != "response" or not url or headers is None:
        return None
    if headers.get_statuscode() != "200" or "html" not in (headers.get_header("Content-Type") or ""):
        return None
    body = record.content_stream().read(_MOST_BYTES)
    charset = re.search(r"charset=([\w-]+)", headers.get_header("Content-Type") or "")
    page = read_html(_decoded(body, charset[1] if charset else "utf-8"), url, platform=platform)
    day = page.published or as_date(record.rec_headers.get_header("WARC-Date") or "")
    return page.model_copy(update={"published": day})


def _decoded(body: bytes, charset: str) -> str:
    for name in (charset, "utf-8", "gb18030"):
        try:
            return body.decode(name)
        except (LookupError, UnicodeDecodeError):
            continue
    return body.decode("latin-1")


class ZimPlatform:
    """A ZIM file, searched by its own index; the reader `libzim` is GPL and installed by the user."""

    name = "zim"
    is_collection = False

    def __init__(self, source: str) -> None:
        self.source = f"zim:{source}"
        self._path = Path(source).expanduser()

    def find(
        self, query: str, *, since: date | None, limit: int, known: Mapping[str, str]
    ) -> Iterator[Found]:
        """Yield the articles that the file's own full-text index finds; without one, by their titles."""
        _file_stamp(self._path)
        try:
            from libzim.reader import Archive  # type: ignore[import-not-found]
        except ImportError as exc:
            raise BackendError(
                f"{self._path.name} needs libzim to be read. It is GPL-3 and not part of vidence; "
                "install it yourself: pip install libzim"
            ) from exc
        try:
            archive = Archive(self._path)
            for path in _zim_paths(archive, query, limit):
                item = archive.get_entry_by_path(path).get_item()
                if item.mimetype.startswith("text/html"):
                    html = bytes(item.content).decode(errors="replace")
                    page = read_html(html, f"zim://{self._path.name}/{item.path}", platform=self.name)
                    yield page, stamp_of(page)
        except (RuntimeError, KeyError) as exc:
            raise FileProblem(f"{self._path.name} is damaged and cannot be read: {exc}.") from exc


def _zim_paths(archive: Any, query: str, limit: int) -> list[str]:
    """Return what a ZIM file finds: articles with all words of a query, then those with single words."""
    from libzim.search import Query, Searcher  # type: ignore[import-not-found]
    from libzim.suggestion import SuggestionSearcher  # type: ignore[import-not-found]

    found: dict[str, None] = {}
    words = [word for word in dict.fromkeys(_WORD.findall(query)) if word.lower() not in _STOP]
    for one in (query, *words):
        if archive.has_fulltext_index:
            hits = Searcher(archive).search(Query().set_query(one))
        else:
            hits = SuggestionSearcher(archive).suggest(one)
        found |= dict.fromkeys(hits.getResults(0, limit))
    return list(found)[:limit]


def _file_stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError as exc:
        raise FileProblem(f"{path} cannot be read: {exc.strerror}.") from exc
    return f"{found.st_size}-{found.st_mtime_ns}"


def build_warc(source: str, context: PlatformContext) -> Platform:
    """Return the platform of a WARC file."""
    return WarcPlatform(source)


def build_zim(source: str, context: PlatformContext) -> Platform:
    """Return the platform of a ZIM file."""
    return ZimPlatform(source)
