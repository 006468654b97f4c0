"""The weights of I3D come as a pickle, from which nothing but arrays is taken."""

from __future__ import annotations

import io
import pickle
from pathlib import Path

import numpy as np
import pytest

from vidence.errors import BackendError
from vidence.models.convert.i3d import load_arrays


def test_arrays_are_read(tmp_path: Path) -> None:
    path = tmp_path / "w.pickle"
    path.write_bytes(pickle.dumps({"a": {"b": np.ones((2, 3), np.float32)}}, protocol=4))
    branch = load_arrays(path)["a"]
    assert isinstance(branch, dict)
    np.testing.assert_array_equal(branch["b"], np.ones((2, 3)))


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("owned",)


@pytest.mark.parametrize(
    "payload",
    [{"a": Evil()}, io.StringIO, [1], {"a": 1}, {"a": np.array([object()])}, {"a": np.zeros(2, np.float64)}],
)
def test_anything_but_arrays_is_refused(
    payload: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "evil.pickle"
    path.write_bytes(pickle.dumps(payload))
    with pytest.raises(BackendError):
        load_arrays(path)
    assert capsys.readouterr().out == ""


def test_a_damaged_pickle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "w.pickle"
    path.write_bytes(b"\x80\x04junk")
    with pytest.raises(BackendError, match=r"w\.pickle cannot be read"):
        load_arrays(path)
