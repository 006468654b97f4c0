"""The catalogue of videos, each known by its content and the places its file was seen at."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from vidence.errors import BackendError, UnknownName
from vidence.schema.catalogue import Added, ContentId, VideoLocation, VideoRecord
from vidence.schema.media import MediaInfo
from vidence.store.content import stat_file
from vidence.store.lookup import (
    absolute_path,
    confirm,
    find_known,
    find_moved,
    is_unchanged,
    missing,
    replaced,
    resolve_name,
    subfolders,
)
from vidence.store.protocols import Blobs, Catalogue
from vidence.store.sqlite.database import Database, readable
from vidence.store.sqlite.results import drop_unused, hashes_of

__all__ = ["SqliteCatalogue"]

_log = logging.getLogger(__name__)


class _UnreadableRecord(BackendError):
    """A stored video record that this version of vidence cannot read."""


@readable
class SqliteCatalogue(Catalogue):
    """Every video of a workspace, with its locations in a second table."""

    def __init__(self, db: Database, blobs: Blobs) -> None:
        self._db = db
        self._blobs = blobs

    def add(self, path: Path, info: MediaInfo, content: ContentId) -> Added:
        place = absolute_path(path)
        with self._db.transaction() as tx:
            known = tx.execute("SELECT sha256 FROM videos WHERE video_id = ?", (content.video_id,)).fetchone()
            if known is not None and known["sha256"] != content.sha256:
                raise BackendError(
                    f"Two different files share the id {content.video_id}; remove one of them first."
                )
            tx.execute(
                "INSERT INTO videos (video_id, sha256, size_bytes, info, added_at) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (video_id) DO UPDATE SET info = excluded.info",
                (content.video_id, content.sha256, content.size_bytes, info.model_dump_json(), time.time()),
            )
            self._tell_replaced(tx, place, content)
            self._see(tx, place, content)
            return Added(self.get(content.video_id), is_new=known is None)

    def known(self, path: Path) -> VideoRecord | None:
        found = stat_file(path)
        place = absolute_path(path)
        try:
            here = self._load("JOIN video_locations USING (video_id) WHERE path = ?", place)
        except _UnreadableRecord:
            # Adding the file writes the record again.
            return None
        vouched = [
            (spot.seen_at, video)
            for video in here
            for spot in video.locations
            if str(spot.path) == place and is_unchanged(spot, found)
        ]
        return max(vouched, key=lambda row: row[0])[1] if vouched else None

    def at(self, path: Path) -> VideoRecord | None:
        if (video := self.known(path)) is not None:
            return video
        found = stat_file(path)
        former = self._load("JOIN video_locations USING (video_id) WHERE path = ?", absolute_path(path))
        same = next((video for video in former if confirm(path, found, video)), None)
        if same is None and former:
            raise replaced(path, former[-1])
        return same

    def get(self, video_id: str) -> VideoRecord:
        videos = self._load("WHERE video_id = ?", video_id)
        if not videos:
            raise UnknownName("video", video_id, self._ids(), remedy="`vidence list` shows what there is.")
        return videos[0]

    def list(self) -> tuple[VideoRecord, ...]:
        return self._load("")

    def page(self, *, offset: int, limit: int, name: str = "") -> tuple[tuple[VideoRecord, ...], int]:
        escaped = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        clause = (
            "WHERE video_id IN (SELECT video_id FROM video_locations WHERE path LIKE ? ESCAPE '\\')"
            if name
            else ""
        )
        values = (f"%{escaped}%",) if name else ()
        with self._db.read() as reader:
            total = reader.execute(f"SELECT count(*) FROM videos {clause}", values).fetchone()[0]
            rows = reader.execute(
                f"SELECT * FROM videos {clause} ORDER BY added_at DESC, video_id LIMIT ? OFFSET ?",
                (*values, limit, offset),
            ).fetchall()
            return tuple(_record(row, self._locations(reader, row["video_id"])) for row in rows), int(total)

    def resolve(self, ref: str) -> VideoRecord:
        # Not Path.expanduser(): that one raises for the home of a user who does not exist.
        place = absolute_path(Path(os.path.expanduser(ref)))  # noqa: PTH111
        if exact := self._load("WHERE video_id = ?", ref):
            return exact[0]
        return resolve_name(ref, place=place, videos=self.list())

    def locate(self, video_id: str) -> Path:
        video = self.get(video_id)
        found = find_known(video) or find_moved(video, self._folders(video), self._taken(video_id))
        if found is None:
            raise missing(video)
        if found.content is not None:
            with self._db.transaction() as tx:
                self._see(tx, str(found.path), found.content)
        return found.path

    def remove(self, video_id: str) -> None:
        with self._db.transaction() as tx:
            self.get(video_id)
            hashes = hashes_of(tx, video_id)
            tx.execute("DELETE FROM videos WHERE video_id = ?", (video_id,))
            drop_unused(tx, hashes)
        self._drop_blobs([video_id])

    def sweep(self) -> None:
        """Delete the blobs of videos whose removal was cut short."""
        # Blobs are listed first: a video is catalogued before it has any.
        present = set(self._blobs.videos())
        if orphans := present - set(self._ids()):
            try:
                self._drop_blobs(orphans)
            except BackendError as exc:
                # Blobs that stay only cost space; that must not keep the workspace from opening.
                _log.warning("Blobs of removed videos could not be deleted: %s", exc)

    def _drop_blobs(self, video_ids: Iterable[str]) -> None:
        # The write lock keeps others from adding the video again, with new blobs, in the meantime.
        with self._db.transaction():
            for video_id in set(video_ids) - set(self._ids()):
                self._blobs.remove_video(video_id)

    @staticmethod
    def _tell_replaced(tx: sqlite3.Connection, place: str, content: ContentId) -> None:
        here = [row[0] for row in tx.execute("SELECT video_id FROM video_locations WHERE path = ?", (place,))]
        if here and content.video_id not in here:
            _log.warning(
                "%r holds another video than before: it was %s and is %s now.",
                place,
                here[-1],
                content.video_id,
            )

    @staticmethod
    def _see(tx: sqlite3.Connection, place: str, content: ContentId) -> None:
        # The video that was here before is not here any more; keep its last known path for messages.
        tx.execute(
            "DELETE FROM video_locations WHERE path = ? AND video_id <> ? "
            "AND video_id IN (SELECT video_id FROM video_locations WHERE path <> ?)",
            (place, content.video_id, place),
        )
        tx.execute(
            "INSERT OR REPLACE INTO video_locations (video_id, path, size_bytes, mtime_ns, seen_at) "
            "VALUES (?, ?, ?, ?, ?)",
            (content.video_id, place, content.size_bytes, content.mtime_ns, time.time()),
        )

    def _ids(self) -> tuple[str, ...]:
        return tuple(row[0] for row in self._db.rows("SELECT video_id FROM videos ORDER BY added_at"))

    def _folders(self, video: VideoRecord) -> tuple[Path, ...]:
        """Return the video's own folders, the folders right inside them, then every other known folder."""
        own = [location.path.parent for location in video.locations]
        inside = [child for folder in own for child in subfolders(folder)]
        rows = self._db.rows("SELECT path FROM video_locations ORDER BY seen_at DESC")
        return tuple(dict.fromkeys([*own, *inside, *(Path(row["path"]).parent for row in rows)]))

    def _taken(self, video_id: str) -> frozenset[tuple[str, int, int]]:
        query = "SELECT path, size_bytes, mtime_ns FROM video_locations WHERE video_id <> ?"
        return frozenset((row[0], row[1], row[2]) for row in self._db.rows(query, (video_id,)))

    def _load(self, clause: str, *values: str) -> tuple[VideoRecord, ...]:
        with self._db.read() as reader:
            rows = reader.execute(f"SELECT videos.* FROM videos {clause} ORDER BY added_at, video_id", values)
            return tuple(_record(row, self._locations(reader, row["video_id"])) for row in rows.fetchall())

    @staticmethod
    def _locations(reader: sqlite3.Connection, video_id: str) -> tuple[VideoLocation, ...]:
        rows = reader.execute(
            "SELECT path, size_bytes, mtime_ns, seen_at FROM video_locations WHERE video_id = ? "
            "ORDER BY seen_at DESC, rowid DESC",
            (video_id,),
        )
        return tuple(
            VideoLocation(path=Path(path), size_bytes=size, mtime_ns=mtime_ns, seen_at=seen_at)
            for path, size, mtime_ns, seen_at in rows
        )


def _record(row: sqlite3.Row, locations: tuple[VideoLocation, ...]) -> VideoRecord:
    try:
        info = MediaInfo.model_validate_json(row["info"])
    except ValidationError as exc:
        raise _UnreadableRecord(
            f"What is stored about {row['video_id']} cannot be read. Run `vidence add` on its file again: "
            f"{str(locations[0].path)!r}."
        ) from exc
    return VideoRecord(
        video_id=row["video_id"],
        sha256=row["sha256"],
        size_bytes=row["size_bytes"],
        info=info.model_copy(update={"path": locations[0].path}),
        added_at=row["added_at"],
        locations=locations,
    )
