"""A large scope's index kept beside the database, so that opening it does not read every memory.

It is a copy and nothing more: what it lacks is read from the database, and without it everything is.
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

__all__ = ["WORTH_KEEPING", "Snapshot", "drop_snapshots", "load_snapshot", "save_snapshot", "sweep_snapshots"]

WORTH_KEEPING = 5000
"""Smaller scopes are read in no time."""
_VERSION = 1


@dataclass(frozen=True)
class Snapshot:
    """What a snapshot says of itself."""

    revision: int
    numbers: NDArray[np.int64]
    """The number of the memory at each place of the index."""
    positions: tuple[int, int]
    """Where the first and the last of them stand in the database: no other scope ever had these."""


def save_snapshot(
    folder: Path, scope: str, model_id: str, snapshot: Snapshot, retriever: HybridRetriever
) -> bool:
    """Write the index; False when the disk would not take it, which loses nothing."""
    target = _path(folder, scope, model_id)
    meta = {"version": _VERSION, "scope": scope, "revision": snapshot.revision, "at": snapshot.positions}
    arrays: dict[str, NDArray[Any]] = {
        **retriever.to_arrays(),
        "numbers": snapshot.numbers,
        "meta": np.frombuffer(json.dumps(meta).encode(), np.uint8),
    }
    partial = target.with_name(f"{target.stem}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
        partial.replace(target)
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        return False
    return True


def load_snapshot(
    folder: Path,
    scope: str,
    model_id: str,
    retriever: HybridRetriever,
    *,
    is_current: Callable[[Snapshot], bool],
    text: Callable[[int], str],
    terms: Callable[[int], IndexedText],
) -> Snapshot | None:
    """Fill an empty retriever from the snapshot; None, and nothing filled, when there is no good one."""
    try:
        with (
            _path(folder, scope, model_id).open("rb") as file,
            np.load(file, allow_pickle=False) as archive,
        ):
            meta = json.loads(archive["meta"].tobytes())
            first, last = meta["at"]
            snapshot = Snapshot(int(meta["revision"]), archive["numbers"], (int(first), int(last)))
            if meta["version"] != _VERSION or meta["scope"] != scope or not is_current(snapshot):
                return None
            arrays = {name: archive[name] for name in archive.files}
        retriever.fill(arrays, text=text, terms=terms)
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile):
        return None
    return snapshot


def drop_snapshots(folder: Path, scope: str) -> None:
    """Remove the snapshots of a scope: what was forgotten must not live on in one."""
    for path in folder.glob(f"{_name(scope)}-*"):
        with contextlib.suppress(OSError):
            path.unlink()


def sweep_snapshots(folder: Path, scopes: Sequence[str]) -> None:
    """Remove the snapshots of scopes that are no more."""
    known = {_name(scope) for scope in scopes}
    for path in folder.glob("*.npz"):
        if path.name.partition("-")[0] not in known:
            with contextlib.suppress(OSError):
                path.unlink()


def _path(folder: Path, scope: str, model_id: str) -> Path:
    model = hashlib.sha256(model_id.encode()).hexdigest()[:8]
    return folder / f"{_name(scope)}-{model}.npz"


def _name(scope: str) -> str:
    return hashlib.sha256(scope.encode()).hexdigest()[:16]
