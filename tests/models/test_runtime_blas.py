"""Matrix products keep to one thread while an index is made, and get their threads back."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.models import runtime
from vidence.models.runtime import single_threaded_blas


def test_the_thread_count_comes_back_when_the_last_user_is_done() -> None:
    library = runtime._blas()
    if library is None:
        pytest.skip("NumPy came without OpenBLAS")
    count, _ = library
    before = count()
    with single_threaded_blas():
        with single_threaded_blas():
            assert count() == 1
        assert count() == 1
    assert count() == before


def test_the_thread_count_comes_back_after_an_error() -> None:
    library = runtime._blas()
    if library is None:
        pytest.skip("NumPy came without OpenBLAS")
    count, _ = library
    before = count()
    with pytest.raises(ZeroDivisionError), single_threaded_blas():
        _ = 1 / 0
    assert count() == before


def test_products_are_the_same_inside() -> None:
    left, right = np.arange(12, dtype=np.float32).reshape(3, 4), np.ones((4, 2), np.float32)
    with single_threaded_blas():
        np.testing.assert_allclose(left @ right, [[6, 6], [22, 22], [38, 38]])
