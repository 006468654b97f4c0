"""The embeddings of every stage, and a search over those of the whole library."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from vidence.errors import BackendError
from vidence.schema.time import TimeRange
from vidence.store.nearest import Nearest, write_vectors
from vidence.store.protocols import Floats, VectorRow, Vectors
from vidence.store.sqlite.database import Database, readable
from vidence.store.sqlite.observations import next_position, overlapping

__all__ = ["SqliteVectors"]

_READ_ROWS = 4096


@readable
class SqliteVectors(Vectors):
    """Half-precision vectors in one table; `folder` holds one mapped file per stage, over all videos."""

    def __init__(self, db: Database, folder: Path) -> None:
        self._db = db
        self._folder = folder

    def append(self, video_id: str, stage: str, rows: Sequence[VectorRow]) -> None:
        with self._db.transaction() as tx:
            start = next_position(tx, "vectors", video_id, stage)
            tx.executemany(
                "INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (video_id, stage, start + n, row.start_time, row.end_time, row.label, len(row.vector),
                     row.vector.astype(np.float16).tobytes())
                    for n, row in enumerate(rows)
                ],
            )  # fmt: skip

    def load(self, video_id: str, stage: str, *, span: TimeRange | None = None) -> list[VectorRow]:
        where, values = overlapping(span)
        rows = self._db.rows(
            "SELECT start_time, end_time, label, body FROM vectors "
            f"WHERE video_id = ? AND stage = ?{where} ORDER BY start_time, position",
            (video_id, stage, *values),
        )
        return [
            VectorRow(start_time, end_time, label, np.frombuffer(body, np.float16).astype(np.float32))
            for start_time, end_time, label, body in rows
        ]

    def clear(self, video_id: str, stage: str) -> None:
        self._db.execute("DELETE FROM vectors WHERE video_id = ? AND stage = ?", (video_id, stage))

    def best_videos(self, stage: str, query: Floats, *, depth: int) -> list[str]:
        dim = len(query)
        stored = self._db.rows(
            "SELECT v.video_id, COUNT(*) AS n, s.fingerprint, s.updated_at FROM vectors v "
            "JOIN stages s ON s.video_id = v.video_id AND s.stage = v.stage AND s.state = 'done' "
            "WHERE v.stage = ? AND v.dim = ? GROUP BY v.video_id ORDER BY v.video_id",
            (stage, dim),
        )
        if not stored:
            return []
        counts = {row["video_id"]: int(row["n"]) for row in stored}
        # The name changes when a video is added, removed or indexed again; then the file is written again.
        digest = hashlib.sha256(repr((dim, [tuple(row) for row in stored])).encode()).hexdigest()[:16]
        path = self._folder / f"{stage}-{digest}.npy"
        if not path.is_file():
            for old in self._folder.glob(f"{stage}-*.npy"):
                with suppress(OSError):
                    old.unlink()
            try:
                write_vectors(path, self._blocks(stage, counts), rows=sum(counts.values()), dim=dim)
            except BackendError:
                # A full disk: the vectors are searched from memory this once.
                return _owners(Nearest(np.concatenate([*self._blocks(stage, counts)])), query, depth, counts)
        return _owners(Nearest.open(path), query, depth, counts)

    def _blocks(self, stage: str, counts: dict[str, int]) -> Iterator[Floats]:
        query = "SELECT body FROM vectors WHERE video_id = ? AND stage = ? ORDER BY position LIMIT ? OFFSET ?"
        for video_id, count in counts.items():
            for first in range(0, count, _READ_ROWS):
                rows = self._db.rows(query, (video_id, stage, _READ_ROWS, first))
                yield np.stack([np.frombuffer(row["body"], np.float16) for row in rows]).astype(np.float32)


def _owners(nearest: Nearest, query: Floats, depth: int, counts: dict[str, int]) -> list[str]:
    """Return the videos of the nearest vectors, the nearest first."""
    found = nearest.search(query[None], depth).rows[0]
    owners = np.searchsorted(np.cumsum(list(counts.values())), found, side="right")
    videos = list(counts)
    return list(dict.fromkeys(videos[int(owner)] for owner in owners))
