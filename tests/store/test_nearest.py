from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from vidence.errors import FileProblem, UserError
from vidence.store import nearest
from vidence.store.nearest import Nearest, write_vectors


def _vectors(rows: int, dim: int = 8) -> NDArray[np.float32]:
    return np.random.default_rng(rows).standard_normal((rows, dim)).astype(np.float32)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("queries", [1, 5])
@pytest.mark.parametrize("rows", [1, 7, 3000])
def test_finds_what_a_full_sort_finds(
    rows: int, queries: int, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "_BLOCK_BYTES", 1)  # Blocks of 1,024 rows.
    matrix, asked = _vectors(rows).astype(dtype), _vectors(queries)
    found = Nearest(matrix).search(asked, 10)
    scores = asked @ matrix.astype(np.float32).T
    order = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    assert np.array_equal(found.rows, order)
    assert np.allclose(found.scores, np.take_along_axis(scores, order, axis=1), atol=1e-5)


def test_of_equals_the_lower_row_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_BLOCK_BYTES", 1)
    matrix = np.ones((5000, 4), np.float32)
    assert Nearest(matrix).search(np.ones((1, 4), np.float32), 3).rows.tolist() == [[0, 1, 2]]
    assert Nearest(matrix).search(np.ones((2, 4), np.float32), 3).rows.tolist() == [[0, 1, 2], [0, 1, 2]]


def test_a_mapped_file_gives_the_same(tmp_path: Path) -> None:
    matrix = _vectors(500)
    path = tmp_path / "vectors" / "all.npy"
    write_vectors(path, [matrix[:300], matrix[300:]], rows=500, dim=8)
    opened = Nearest.open(path)
    assert len(opened) == 500
    assert np.array_equal(opened.search(matrix[:3], 4).rows, Nearest(matrix).search(matrix[:3], 4).rows)
    assert [file.name for file in path.parent.iterdir()] == ["all.npy"]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    def blocks() -> list[NDArray[np.float32]]:
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        write_vectors(tmp_path / "v.npy", (block for block in blocks()), rows=1, dim=1)
    assert list(tmp_path.iterdir()) == []


def test_mistakes_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Index the videos again"):
        Nearest(_vectors(3)).search(_vectors(1, dim=5), 1)
    with pytest.raises(UserError, match="float16 or float32"):
        Nearest(np.zeros((3, 3), np.float64))  # type: ignore[arg-type]
    (tmp_path / "bad.npy").write_bytes(b"nothing")
    with pytest.raises(FileProblem, match=r"bad\.npy"):
        Nearest.open(tmp_path / "bad.npy")
    assert Nearest(_vectors(3)).search(_vectors(1), 0).rows.shape == (1, 0)
