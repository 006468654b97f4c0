"""`vidence bench search`: exact vector search at 10 k, 100 k and 1 M vectors beside faiss-flat."""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from vidence.bench.report import output, print_json, print_table
from vidence.bench.shared import require
from vidence.errors import MissingExtra
from vidence.store.nearest import Nearest, write_vectors

__all__ = ["Timed", "command"]

_DIM, _K, _BLOCK = 512, 10, 20_000
_REPEATS = 7
_CLUSTERS = 1000
_LAST_BIT = 5e-7


@dataclass(frozen=True)
class Timed:
    """One method at one size."""

    vectors: int
    queries: int
    method: str
    ms: float
    """Median over several searches of fresh queries."""
    times_faiss: float
    identical: bool
    """Same rows in the same order as faiss for every query, except for equal scores in float32."""
    cold_ms: float | None
    """From opening the file to the first answer, with a warm page cache."""


@click.command("search")
@click.option("--size", "sizes", type=int, multiple=True, help="How many vectors (default 10 k, 100 k, 1 M).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(sizes: tuple[int, ...], as_json: bool) -> None:
    """Time exact search and faiss-flat on the same vectors and queries in the same run.

    \b
    Example:
      vidence bench search --size 100000
    """
    require("The comparison with faiss", "faiss")
    with tempfile.TemporaryDirectory(prefix="vidence-bench-") as folder:
        found = [
            one for size in sizes or (10_000, 100_000, 1_000_000) for one in _measure(Path(folder), size)
        ]
    if as_json:
        print_json(output(), [asdict(one) for one in found])
        return
    headings = ("vectors", "queries", "method", "ms", "× faiss", "same", "cold ms")
    rows = [
        (o.vectors, o.queries, o.method, o.ms, o.times_faiss, "yes" if o.identical else "no", o.cold_ms)
        for o in found
    ]
    print_table(output(), f"Nearest {_K} of {_DIM}-number vectors", headings, rows)


def _measure(folder: Path, size: int) -> Iterator[Timed]:
    path, half = folder / f"{size}.npy", folder / f"{size}-half.npy"
    write_vectors(path, _vectors(size), rows=size, dim=_DIM)
    write_vectors(half, _vectors(size), rows=size, dim=_DIM, dtype="float16")
    for count in (1, 32):
        yield from _compare(path, half, size, count)
    for done in (path, half):
        done.unlink()


def _compare(path: Path, half: Path, size: int, count: int) -> Iterator[Timed]:
    queries = [_unit(np.random.default_rng(900 + n).standard_normal((count, _DIM))) for n in range(_REPEATS)]
    for name, file in (("float32", path), ("float16", half)):
        started = time.perf_counter()
        ours = Nearest.open(file)
        ours.search(queries[0], _K)
        cold_ms = (time.perf_counter() - started) * 1000
        peer = _faiss(np.load(file, mmap_mode="r"))
        ours_ms, peer_ms, same = _side_by_side(ours, peer, queries)
        yield Timed(size, count, f"ours, {name}", ours_ms, ours_ms / peer_ms, same, cold_ms)
        yield Timed(size, count, f"faiss, {name}", peer_ms, 1.0, True, None)


def _side_by_side(ours: Nearest, peer: Any, queries: list[NDArray[np.float32]]) -> tuple[float, float, bool]:
    """Time both in turns, so that other load on the machine affects both."""
    times = []
    same = True
    for query in queries:
        started = time.perf_counter()
        found = ours.search(query, _K)
        between = time.perf_counter()
        scores, rows = peer.search(query, _K)
        times.append((between - started, time.perf_counter() - between))
        # Where rounding decides the order, either order is right.
        same &= bool(np.all((found.rows == rows) | (np.abs(found.scores - scores) < _LAST_BIT)))
    ours_s, peer_s = np.median(times, axis=0)
    return float(ours_s * 1000), float(peer_s * 1000), same


def _faiss(matrix: NDArray[Any]) -> Any:
    try:
        faiss = importlib.import_module("faiss")
    except ImportError as exc:
        raise MissingExtra("The comparison with faiss", "bench") from exc
    index = faiss.IndexFlatIP(matrix.shape[1])
    for first in range(0, len(matrix), _BLOCK):
        index.add(np.ascontiguousarray(matrix[first : first + _BLOCK], np.float32))
    return index


def _vectors(size: int) -> Iterator[NDArray[np.float32]]:
    """Yield clustered unit vectors, like those of the frames of real videos."""
    centres = np.random.default_rng(7).standard_normal((_CLUSTERS, _DIM), np.float32)
    for first in range(0, size, _BLOCK):
        rng = np.random.default_rng(first)
        count = min(_BLOCK, size - first)
        noise = rng.standard_normal((count, _DIM), np.float32)
        yield _unit(centres[rng.integers(0, _CLUSTERS, count)] + noise)


def _unit(rows: NDArray[Any]) -> NDArray[np.float32]:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
