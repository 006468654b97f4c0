"""Local folders and files: text, Markdown, HTML, PDF, DOCX, subtitles and exports."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path

from vidence.errors import FileProblem
from vidence.intel.files import READABLE, read_file
from vidence.intel.platforms.protocol import Found, Platform, PlatformContext
from vidence.schema.evidence import hash_of
from vidence.schema.topics import FailedSource, Page

__all__ = ["FolderPlatform", "build"]

_MOST_FILES = 100_000


class FolderPlatform:
    """Every readable file below a folder; hidden ones and links that lead elsewhere are left out."""

    name = "folder"
    is_collection = True

    def __init__(self, source: str, *, platform: str = "folder") -> None:
        self.source = source
        self.name = platform
        self._root = Path(os.path.expanduser(source)).absolute()  # noqa: PTH111

    def find(
        self, query: str, *, since: date | None, limit: int, known: Mapping[str, str]
    ) -> Iterator[Found]:
        """Yield the pages of all files; those of files that did not change come without text."""
        if not self._root.exists():
            raise FileProblem(f"The source {self.source} is not there.")
        unchanged: dict[str, list[str]] = {}
        for url, stamp in known.items():
            unchanged.setdefault(stamp, []).append(url)
        for path in self._files():
            stamp = _stamp(path)
            if stamp in unchanged:
                yield from ((Page(url=url, platform=self.name), stamp) for url in unchanged[stamp])
                continue
            try:
                yield from ((page, stamp) for page in read_file(path, platform=self.name))
            except FileProblem as exc:
                yield FailedSource(source=str(path), problem=str(exc))

    def _files(self) -> Iterator[Path]:
        if self._root.is_file():
            yield self._root
            return
        number = 0
        for folder, inner, names in os.walk(self._root):
            inner[:] = sorted(one for one in inner if not one.startswith("."))
            for name in sorted(names):
                path = Path(folder, name)
                if name.startswith(".") or path.is_symlink() or path.suffix.lower() not in READABLE:
                    continue
                number += 1
                if number > _MOST_FILES:
                    return
                yield path


def _stamp(path: Path) -> str:
    """Return a stamp of a file's name, size and time of change."""
    found = path.stat()
    return hash_of([str(path), found.st_size, found.st_mtime_ns])[:32]


def build(source: str, context: PlatformContext) -> Platform:
    """Return the platform of a folder or a file."""
    return FolderPlatform(source)
