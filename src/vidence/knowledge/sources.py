"""Reading the documents of a story: plain text, Markdown, EPUB and subtitles, in any common encoding."""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from vidence.errors import FileProblem, UserError
from vidence.index.subtitles.identify import decode_text
from vidence.index.subtitles.read import read_subtitle_file
from vidence.schema.speech import Utterance
from vidence.schema.story import Moment, SourceKind

__all__ = ["STORY_SUFFIXES", "SourceText", "expand_folder", "read_document", "transcript_document"]

STORY_SUFFIXES: Final = frozenset({".txt", ".text", ".md", ".markdown", ".epub", ".srt", ".vtt"})
_MAX_BYTES = 256 << 20
"""A longer text is a mistake more often than a book."""
_MAX_UNPACKED = 256 << 20
_TAG = re.compile(r"<[^>]+>")
_BLOCK = re.compile(r"</?(?:p|div|br|h\d|li|tr|blockquote|section)\b[^>]*>", re.IGNORECASE)
_HEADING = re.compile(r"<h([1-3])\b[^>]*>(.*?)</h\1>", re.IGNORECASE | re.DOTALL)
_SCRIPT = re.compile(r"<(script|style|head)\b.*?</\1>", re.IGNORECASE | re.DOTALL)
_INDEX_TAG = re.compile(r"<(?:\w+:)?(item|itemref)\b([^>]*)>")
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*["']([^"']*)["']""")
_SPACES = re.compile(r"[ \t\xa0\u3000]+")
_TURN_GAP_S = 2.0
"""A pause this long begins a new paragraph of a transcript."""


@dataclass(frozen=True)
class SourceText:
    """The text of one file or transcript, with its times where it has any."""

    name: str
    text: str
    kind: SourceKind = "text"
    moments: tuple[Moment, ...] = ()
    video_id: str | None = None


def expand_folder(path: Path) -> list[Path]:
    """Return the files of a story: the path itself, or every readable text of a folder by name."""
    if not path.is_dir():
        return [path]
    found = sorted(
        (one for one in path.rglob("*") if one.is_file() and one.suffix.lower() in STORY_SUFFIXES),
        key=lambda one: [_natural(part) for part in one.relative_to(path).parts],
    )
    if not found:
        raise UserError(f"{path} holds no text. Give .txt, .md, .epub, .srt or .vtt files.")
    return found


def read_document(path: Path, *, name: str | None = None) -> SourceText:
    """Read a file as one document of a story."""
    suffix = path.suffix.lower()
    title = name or path.name
    if suffix in (".srt", ".vtt"):
        return transcript_document(title, read_subtitle_file(path).utterances, kind="subtitles")
    data = _read(path)
    text = _epub(path) if suffix == ".epub" else decode_text(data)
    if text is None:
        raise UserError(f"{path} is not text in a known encoding.")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if not any(character.isalnum() for character in text):
        raise UserError(f"{path} is empty: it holds no words.")
    return SourceText(title, text)


def transcript_document(
    name: str, utterances: Sequence[Utterance], *, kind: SourceKind = "video", video_id: str | None = None
) -> SourceText:
    """Return speech as a document: a line an utterance, its speaker before it, each with its time."""
    lines: list[str] = []
    moments: list[Moment] = []
    offset, last_end = 0, 0.0
    for one in utterances:
        text = " ".join(one.text.split())
        if not text:
            continue
        line = f"{one.speaker}: {text}" if one.speaker and kind == "subtitles" else text
        if lines and one.start_time - last_end > _TURN_GAP_S:
            lines.append("")
            offset += 1
        moments.append(Moment(offset=offset, time_s=round(one.start_time, 3), end_s=round(one.end_time, 3)))
        lines.append(line)
        offset += len(line) + 1
        last_end = one.end_time
    if not lines:
        raise UserError(f"{name} holds no words.")
    return SourceText(name, "\n".join(lines), kind, tuple(moments), video_id)


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > _MAX_BYTES:
            raise UserError(
                f"{path} has {size / 2**20:.0f} MiB; a document may have {_MAX_BYTES >> 20} MiB. Split it."
            )
        return path.read_bytes()
    except FileNotFoundError as exc:
        raise FileProblem(f"{path} does not exist.") from exc
    except OSError as exc:
        raise FileProblem(f"{path} cannot be read: {exc.strerror}.") from exc


def _epub(path: Path) -> str:
    """Return the text of a book in reading order; its headings stand on lines of their own."""
    try:
        with zipfile.ZipFile(path) as book:
            if sum(one.file_size for one in book.infolist()) > _MAX_UNPACKED:
                raise UserError(f"{path} unpacks to more than {_MAX_UNPACKED >> 20} MiB.")
            return "\n\n".join(_page(book.read(name)) for name in _spine(book))
    except (zipfile.BadZipFile, KeyError, StopIteration, EOFError, NotImplementedError, RuntimeError) as exc:
        raise UserError(
            f"{path} is not a readable EPUB: {str(exc) or 'its table of contents is missing'}."
        ) from exc


def _spine(book: zipfile.ZipFile) -> Iterator[str]:
    """Yield the pages of a book in reading order.

    The two index files are read by pattern: an XML parser would expand the entities of a hostile book.
    """
    container = decode_text(book.read("META-INF/container.xml")) or ""
    package = next(found[1] for found in re.finditer(r'full-path\s*=\s*["\']([^"\']+)', container))
    index = decode_text(book.read(package)) or ""
    tags = [(found[1], dict(_ATTRIBUTE.findall(found[2]))) for found in _INDEX_TAG.finditer(index)]
    items = {one["id"]: one["href"] for tag, one in tags if tag == "item" and {"id", "href"} <= one.keys()}
    folder, known = PurePosixPath(package).parent, set(book.namelist())
    for tag, one in tags:
        name = str(folder / html.unescape(items.get(one.get("idref", ""), ""))) if tag == "itemref" else ""
        if name in known:
            yield name


def _page(data: bytes) -> str:
    source = _SCRIPT.sub("", decode_text(data) or "")
    source = _HEADING.sub(lambda found: f"\n\n# {_TAG.sub('', found[2]).strip()}\n\n", source)
    plain = html.unescape(_TAG.sub("", _BLOCK.sub("\n", source)))
    return "\n".join(_SPACES.sub(" ", line).strip() for line in plain.splitlines())


def _natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key by which chapter2 stands before chapter10."""
    return [
        (0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", text) if part
    ]
