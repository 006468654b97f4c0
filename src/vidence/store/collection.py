"""The vectors of one stage of every video as one mapped file, for searches over the whole library."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vidence.store.nearest import Nearest, write_vectors
from vidence.store.store import Store

__all__ = ["best_videos", "videos_naming"]

_READ_ROWS = 4096


@dataclass(frozen=True)
class _Collection:
    """Which videos' vectors follow each other in the file, and how many each has."""

    path: Path
    videos: tuple[str, ...]
    counts: tuple[int, ...]


def best_videos(store: Store, stage: str, query: NDArray[np.float32], *, depth: int) -> list[str]:
    """Return the videos that hold the `depth` vectors nearest to a query, the best first.

    The file is made anew when a video came, went or was indexed again.
    """
    found = _describe(store, stage, len(query))
    if not found.videos:
        return []
    if not found.path.is_file():
        for old in found.path.parent.glob(f"{stage}-*.npy"):
            with suppress(OSError):
                old.unlink()
        write_vectors(found.path, _blocks(store, stage, found), rows=sum(found.counts), dim=len(query))
    rows = Nearest.open(found.path).search(query[None], depth).rows[0]
    owners = np.searchsorted(np.cumsum(found.counts), rows, side="right")
    return list(dict.fromkeys(found.videos[int(owner)] for owner in owners))


def _describe(store: Store, stage: str, dim: int) -> _Collection:
    query = (
        "SELECT v.video_id, COUNT(*) AS n, s.fingerprint, s.updated_at FROM vectors v "
        "JOIN stages s ON s.video_id = v.video_id AND s.stage = v.stage AND s.state = 'done' "
        "WHERE v.stage = ? AND v.dim = ? GROUP BY v.video_id ORDER BY v.video_id"
    )
    with store.db.read() as reader:
        rows = [tuple(row) for row in reader.execute(query, (stage, dim)).fetchall()]
    stamp = hashlib.sha256(repr((dim, rows)).encode()).hexdigest()[:16]
    path = store.blobs.root.parent / "vectors" / f"{stage}-{stamp}.npy"
    return _Collection(path, tuple(row[0] for row in rows), tuple(row[1] for row in rows))


def _blocks(store: Store, stage: str, collection: _Collection) -> Iterator[NDArray[np.float32]]:
    query = "SELECT body FROM vectors WHERE video_id = ? AND stage = ? ORDER BY position LIMIT ? OFFSET ?"
    for video_id, count in zip(collection.videos, collection.counts, strict=True):
        for first in range(0, count, _READ_ROWS):
            with store.db.read() as reader:
                rows = reader.execute(query, (video_id, stage, _READ_ROWS, first)).fetchall()
            yield np.stack([np.frombuffer(row["body"], np.float16) for row in rows]).astype(np.float32)


def videos_naming(store: Store, words: str, stages: Sequence[str], *, limit: int) -> list[str]:
    """Return videos whose rows of some stages hold the words, those that hold them most often first."""
    pattern = "%" + "".join(f"\\{char}" if char in "%_\\" else char for char in words) + "%"
    marks = ", ".join("?" for _ in stages)
    with store.db.read() as reader:
        rows = reader.execute(
            f"SELECT video_id FROM observations WHERE stage IN ({marks}) AND body LIKE ? ESCAPE '\\' "
            "GROUP BY video_id ORDER BY COUNT(*) DESC LIMIT ?",
            (*stages, pattern, limit),
        ).fetchall()
    return [row["video_id"] for row in rows]
