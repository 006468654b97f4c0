"""A large scope's index saved to a file, so that opening it does not read every memory.

It is only a copy: what it lacks is read from the store, and without it everything is.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidence.language.tokens import IndexedText
from vidence.memory.hybrid_retriever import HybridRetriever

__all__ = ["WORTH_KEEPING", "Snapshot", "SnapshotFolder"]

WORTH_KEEPING = 5000
"""Smaller scopes are read fast enough."""
_VERSION = 1


@dataclass(frozen=True)
class Snapshot:
    """The state of the store a snapshot was made from."""

    revision: int
    numbers: NDArray[np.int64]
    """The number of the memory at each place of the index."""
    positions: tuple[int, int]
    """The positions of the first and the last of them in the store: no other scope ever had these."""


@dataclass(frozen=True)
class SnapshotFolder:
    """The snapshots of one scope, one file per embedding model."""

    folder: Path
    scope: str
    model_id: str

    def save(self, snapshot: Snapshot, retriever: HybridRetriever) -> None:
        """Write the index; a disk that refuses it loses nothing."""
        stamp = {"version": _VERSION, "scope": self.scope}
        meta = {**stamp, "revision": snapshot.revision, "at": snapshot.positions}
        arrays: dict[str, NDArray[Any]] = {
            **retriever.to_arrays(),
            "numbers": snapshot.numbers,
            "meta": np.frombuffer(json.dumps(meta).encode(), np.uint8),
        }
        partial = self._path.with_name(f"{self._path.stem}.{os.getpid()}.part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with partial.open("wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            partial.replace(self._path)
        except OSError:
            _remove(partial)

    def load(
        self,
        retriever: HybridRetriever,
        *,
        is_current: Callable[[Snapshot], bool],
        text: Callable[[int], str],
        terms: Callable[[int], IndexedText],
    ) -> Snapshot | None:
        """Fill an empty retriever from the snapshot; None, and nothing filled, when there is no good one."""
        try:
            with self._path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                meta = json.loads(archive["meta"].tobytes())
                first, last = meta["at"]
                snapshot = Snapshot(int(meta["revision"]), archive["numbers"], (int(first), int(last)))
                if meta["version"] != _VERSION or meta["scope"] != self.scope or not is_current(snapshot):
                    return None
                arrays = {name: archive[name] for name in archive.files}
            retriever.fill(arrays, text=text, terms=terms)
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
            return None
        return snapshot

    def drop(self) -> None:
        """Remove the scope's snapshots: what was forgotten must not survive in one."""
        for path in self.folder.glob(f"{_name(self.scope)}-*"):
            _remove(path)

    def sweep(self, scopes: Sequence[str]) -> None:
        """Remove the snapshots of scopes that no longer exist."""
        known = {_name(scope) for scope in scopes}
        for path in self.folder.glob("*.npz"):
            if path.name.partition("-")[0] not in known:
                _remove(path)

    @property
    def _path(self) -> Path:
        model = hashlib.sha256(self.model_id.encode()).hexdigest()[:8]
        return self.folder / f"{_name(self.scope)}-{model}.npz"


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _name(scope: str) -> str:
    return hashlib.sha256(scope.encode()).hexdigest()[:16]
