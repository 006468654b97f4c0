"""Uploads in pieces: kept in the workspace, so that one that was cut off can go on, even after a restart."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import threading
import time
from contextlib import suppress
from pathlib import Path

from vidence.app.paths import VIDEO_SUFFIXES
from vidence.app.workspace import Workspace
from vidence.errors import BackendError, NotAVideo, UnknownName, UserError, VidenceError
from vidence.schema.catalogue import VideoRecord
from vidence.schema.frozen import Frozen

__all__ = ["Upload", "Uploads"]

_ID = re.compile(r"up_[0-9a-f]{24}")
_RESERVE_BYTES = 512 << 20
"""Space that is left free for the database."""
_KEPT_S = 7 * 86400.0
_MOST_OPEN = 200


class Upload(Frozen):
    """A file on its way here."""

    upload_id: str
    name: str
    size_bytes: int
    offset: int
    """The bytes that have arrived; the next piece begins here."""


class Uploads:
    """The uploads of a workspace: pieces in `uploads/partial`, finished files in `uploads`."""

    def __init__(self, workspace: Workspace, *, max_bytes: int) -> None:
        self._workspace, self.max_bytes = workspace, max_bytes
        self._folder = workspace.settings.home / "uploads"
        self._partial = self._folder / "partial"
        self._lock = threading.Lock()
        self._busy: set[str] = set()

    def begin(self, name: str, size_bytes: int) -> Upload:
        """Reserve an upload; the name and the size are checked before any byte is sent."""
        clean = _clean(name)
        if not 0 < size_bytes <= self.max_bytes:
            raise UserError(
                f"{clean!r} has {size_bytes:,} bytes; files of 1 to {self.max_bytes:,} bytes are taken."
            )
        self._partial.mkdir(parents=True, exist_ok=True)
        self._sweep()
        if len(list(self._partial.glob("*.json"))) >= _MOST_OPEN:
            raise UserError(f"There are {_MOST_OPEN} unfinished uploads. Finish or delete some first.")
        if shutil.disk_usage(self._folder).free < size_bytes + _RESERVE_BYTES:
            raise BackendError(f"There is no space for {size_bytes:,} bytes. Free some and try again.")
        upload_id = f"up_{secrets.token_hex(12)}"
        self._meta(upload_id).write_text(json.dumps({"name": clean, "size_bytes": size_bytes}), "utf-8")
        self._data(upload_id).touch()
        return self.get(upload_id)

    def get(self, upload_id: str) -> Upload:
        """Return how far an upload is."""
        if not _ID.fullmatch(upload_id) or not self._meta(upload_id).is_file():
            raise UnknownName("upload", upload_id)
        meta = json.loads(self._meta(upload_id).read_text("utf-8"))
        return Upload(upload_id=upload_id, offset=self._data(upload_id).stat().st_size, **meta)

    def write(self, upload_id: str, offset: int, piece: bytes) -> Upload:
        """Append a piece that begins where the upload stands."""
        with self._lock:
            if upload_id in self._busy:
                raise UserError("Another piece of this upload is being written. Wait for it.")
            self._busy.add(upload_id)
        try:
            upload = self.get(upload_id)
            if offset != upload.offset:
                raise UserError(f"The upload stands at {upload.offset}, not at {offset}. Go on from there.")
            if offset + len(piece) > upload.size_bytes:
                raise UserError(f"More bytes came than the {upload.size_bytes:,} that were announced.")
            try:
                with self._data(upload_id).open("ab") as file:
                    file.write(piece)
            except OSError as exc:
                raise BackendError(f"The upload could not be written: {exc.strerror}.") from exc
            return self.get(upload_id)
        finally:
            with self._lock:
                self._busy.discard(upload_id)

    def finish(self, upload_id: str) -> VideoRecord:
        """Check that a whole upload is a video and add it; what is not one is deleted."""
        upload = self.get(upload_id)
        if upload.offset != upload.size_bytes:
            raise UserError(
                f"{upload.name!r} is not whole: {upload.offset:,} of {upload.size_bytes:,} bytes."
            )
        target = self._free_name(upload.name)
        self._data(upload_id).replace(target)
        self._meta(upload_id).unlink(missing_ok=True)
        try:
            added = self._workspace.add(target)
        except VidenceError as exc:
            target.unlink(missing_ok=True)
            if isinstance(exc, NotAVideo):
                raise NotAVideo(f"{upload.name!r} is not a video. Choose another file.") from exc
            raise
        if not added.is_new and added.video.path != target and added.video.path.is_file():
            # The same bytes were here before; one copy is enough.
            target.unlink(missing_ok=True)
        return added.video

    def remove(self, upload_id: str) -> None:
        """Give up an upload."""
        self.get(upload_id)
        self._data(upload_id).unlink(missing_ok=True)
        self._meta(upload_id).unlink(missing_ok=True)

    def _free_name(self, name: str) -> Path:
        stem, suffix = os.path.splitext(name)  # noqa: PTH122
        for number in range(10_000):
            path = self._folder / (f"{stem} ({number}){suffix}" if number else name)
            with suppress(FileExistsError):
                path.touch(exist_ok=False)
                return path
        raise UserError(f"There are too many files called {name!r}.")

    def _sweep(self) -> None:
        for meta in self._partial.glob("*.json"):
            if time.time() - meta.stat().st_mtime > _KEPT_S:
                meta.with_suffix(".part").unlink(missing_ok=True)
                meta.unlink(missing_ok=True)

    def _meta(self, upload_id: str) -> Path:
        return self._partial / f"{upload_id}.json"

    def _data(self, upload_id: str) -> Path:
        return self._partial / f"{upload_id}.part"


def _clean(name: str) -> str:
    """Return a file name that stays in its folder, refusing what is no video by its ending."""
    base = re.split(r"[/\\]", name)[-1]
    clean = "".join(char for char in base if char.isprintable() and char not in '<>:"|?*').strip(" .")
    stem, suffix = os.path.splitext(clean)  # noqa: PTH122
    if suffix.lower() not in VIDEO_SUFFIXES or not stem.strip(". "):
        raise NotAVideo(f"{base!r} does not end like a video. Choose a file such as talk.mp4.")
    while len(stem.encode()) > 180:
        stem = stem[:-1]
    return f"{stem}{suffix}"
