"""Files as pages: text, Markdown, HTML, PDF, DOCX, subtitles, and exports of other services."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from vidence.errors import FileProblem
from vidence.intel.byline import read_byline
from vidence.intel.html import as_date, read_html
from vidence.intel.passages import plain_text
from vidence.language.identify import has_han, text_language
from vidence.schema.topics import Page

__all__ = ["READABLE", "read_file"]

_MAX_BYTES = 30_000_000
_MAX_UNPACKED = 100_000_000
_MAX_PAGES = 2000
_LONGEST_TITLE = 160
_FRONT = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_CUE = re.compile(r"^(?:\d+|WEBVTT.*|(?:\d+:)?\d+:\d+[.,]\d+ --> .*|NOTE .*)$")
_TAG = re.compile(r"<[^>]+>")
_PARAGRAPH_END = re.compile(rb"</w:p>")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "title": ("title", "标题", "subject", "name"),
    "text": ("text", "content", "body", "正文", "内容", "desc", "description", "note", "answer"),
    "url": ("url", "link", "链接", "href"),
    "author": ("author", "作者", "nickname", "user", "公众号", "account"),
    "published": ("published", "date", "time", "created_at", "publish_time", "发布时间", "日期", "时间"),
}
"""The names that exports of other services give to the parts of a page."""


def read_file(path: Path, *, platform: str = "folder") -> Iterator[Page]:
    """Yield the pages of a file: one, or one for each record of an export."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise FileProblem(f"{path.name} is of no kind that can be read: {', '.join(sorted(READABLE))}.")
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise FileProblem(f"{path.name} is larger than {_MAX_BYTES // 1_000_000} MB and is not read.")
        body = path.read_bytes()
    except OSError as exc:
        raise FileProblem(f"{path.name} cannot be read: {exc.strerror}.") from exc
    yield from reader(body, path.resolve().as_uri(), platform)


def _plain(body: bytes, url: str, platform: str) -> Iterator[Page]:
    text = _decoded(body)
    front = _FRONT.match(text)
    fields = _fields(front[1]) if front else {}
    text = text[front.end() :] if front else text
    stated = read_byline(text)
    first = next((line for line in plain_text(text).splitlines() if line), "")
    yield _page(
        fields.get("url") or stated.url or url,
        fields.get("title") or _headline(first),
        text,
        platform,
        author=fields.get("author", "") or stated.author,
        published=as_date(fields.get("published", "")) or stated.published or as_date(_stem(url)),
    )


def _headline(line: str) -> str:
    """Return the first line of a text as its title; of a paragraph only its beginning."""
    longest = _LONGEST_TITLE // 3 if has_han(line) else _LONGEST_TITLE
    if len(line) <= longest:
        return line
    cut = line[: longest // 2]
    return f"{cut if has_han(cut) or ' ' not in cut else cut[: cut.rfind(' ')]}…"


def _html(body: bytes, url: str, platform: str) -> Iterator[Page]:
    yield read_html(_decoded(body), url, platform=platform)


def _pdf(body: bytes, url: str, platform: str) -> Iterator[Page]:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(body))
        parts = [sheet.extract_text() for sheet in reader.pages[:_MAX_PAGES]]
        known = reader.metadata
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OSError) as exc:
        raise FileProblem(f"{_stem(url)}.pdf is damaged or locked and cannot be read: {exc}.") from exc
    created = str(known.get("/CreationDate", "")) if known else ""
    digits = re.match(r"D:(\d{4})(\d{2})(\d{2})", created)
    yield _page(
        url,
        str((known and known.title) or _stem(url)),
        "\n\n".join(_joined_lines(part) for part in parts),
        platform,
        author=str((known and known.author) or ""),
        published=as_date("-".join(digits.groups())) if digits else None,
    )


def _docx(body: bytes, url: str, platform: str) -> Iterator[Page]:
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            document = _unpacked(archive, "word/document.xml")
            core = (
                _unpacked(archive, "docProps/core.xml") if "docProps/core.xml" in archive.namelist() else b""
            )
    except (zipfile.BadZipFile, KeyError, OSError, RuntimeError) as exc:
        raise FileProblem(f"{_stem(url)}.docx is damaged and cannot be read: {exc}.") from exc
    text = _unescaped(_TAG.sub("", _PARAGRAPH_END.sub(b"\n", document).decode(errors="replace")))
    yield _page(
        url,
        _element(core, "title") or _stem(url),
        text,
        platform,
        author=_element(core, "creator"),
        published=as_date(_element(core, "modified")),
    )


def _subtitles(body: bytes, url: str, platform: str) -> Iterator[Page]:
    lines = (line.strip() for line in _decoded(body).splitlines())
    said = [_TAG.sub("", line) for line in lines if line and not _CUE.match(line)]
    yield _page(url, _stem(url), " ".join(dict.fromkeys(said)), platform, published=as_date(_stem(url)))


def _json(body: bytes, url: str, platform: str) -> Iterator[Page]:
    try:
        value = json.loads(_decoded(body))
    except (ValueError, RecursionError) as exc:
        raise FileProblem(f"{_stem(url)}.json is not valid JSON.") from exc
    if isinstance(value, dict):
        value = next((part for part in value.values() if isinstance(part, list)), [value])
    yield from _records(value if isinstance(value, list) else [], url, platform)


def _json_lines(body: bytes, url: str, platform: str) -> Iterator[Page]:
    rows = []
    for line in _decoded(body).splitlines():
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    yield from _records(rows, url, platform)


def _csv(body: bytes, url: str, platform: str) -> Iterator[Page]:
    yield from _records(list(csv.DictReader(io.StringIO(_decoded(body)))), url, platform)


def _records(rows: list[Any], url: str, platform: str) -> Iterator[Page]:
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            continue
        plain = {str(key).strip().lower(): str(value) for key, value in row.items() if value is not None}
        part = {
            name: next((plain[one] for one in names if plain.get(one)), "") for name, names in _NAMES.items()
        }
        text = part["text"] if "<p" not in part["text"] else _unescaped(_TAG.sub("\n", part["text"]))
        if text.strip():
            yield _page(
                part["url"] or f"{url}#{number}",
                part["title"] or text[:80],
                text,
                platform,
                author=part["author"],
                published=as_date(part["published"]),
            )


def _page(
    url: str, title: str, text: str, platform: str, *, author: str = "", published: date | None = None
) -> Page:
    return Page(
        url=url,
        title=" ".join(title.split()),
        text=text,
        platform=platform,
        author=" ".join(author.split()),
        published=published,
        language=text_language(text[:5000]),
    )


def _fields(front: str) -> dict[str, str]:
    """Return the parts of a page that the head of a Markdown file names."""
    rows = (line.partition(":") for line in front.splitlines())
    plain = {key.strip().lower(): value.strip().strip("\"'") for key, _, value in rows}
    return {name: plain[one] for name, names in _NAMES.items() for one in names if plain.get(one)}


def _joined_lines(text: str) -> str:
    """Return the text of a sheet with the line breaks inside its paragraphs removed."""
    return re.sub(r"-\n(?=[a-z])", "", re.sub(r"(?<![.!?。！？:：])\n(?=\S)", " ", text))


def _unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as file:
        body = file.read(_MAX_UNPACKED + 1)
    if len(body) > _MAX_UNPACKED:
        raise zipfile.BadZipFile("it unpacks to more than any document needs")
    return body


def _element(xml: bytes, name: str) -> str:
    match = re.search(rf"<(?:\w+:)?{name}\b[^>]*>([^<]*)<".encode(), xml)
    return _unescaped(match[1].decode(errors="replace")).strip() if match else ""


def _unescaped(text: str) -> str:
    return unescape(text)


def _decoded(body: bytes) -> str:
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return body.decode(encoding)
        except UnicodeDecodeError:
            continue
    return body.decode("latin-1")


def _stem(url: str) -> str:
    return Path(unquote(url.partition("#")[0])).stem


_READERS: dict[str, Callable[[bytes, str, str], Iterator[Page]]] = {
    ".txt": _plain, ".md": _plain, ".markdown": _plain, ".rst": _plain, ".html": _html, ".htm": _html,
    ".xhtml": _html, ".pdf": _pdf, ".docx": _docx, ".srt": _subtitles, ".vtt": _subtitles, ".json": _json,
    ".jsonl": _json_lines, ".csv": _csv,
}  # fmt: skip
READABLE = frozenset(_READERS)
"""The endings of the files that can be read."""
