"""The registry resolves lazily and says what is near an unknown name."""

from __future__ import annotations

import pytest

from vidence.errors import BackendError, UnknownName
from vidence.registry import Registry

ROWS = Registry("number", {"pi": "math:pi", "gone": "math:no_such", "away": "no_such_module:x"})


def test_a_name_becomes_what_its_row_says() -> None:
    assert round(ROWS.resolve("pi"), 2) == 3.14


def test_names_can_be_listed_without_importing() -> None:
    assert list(ROWS) == ["pi", "gone", "away"]
    assert "pi" in ROWS
    assert "tau" not in ROWS


def test_an_unknown_name_suggests_near_ones() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'gone'") as caught:
        ROWS.resolve("gonee")
    assert caught.value.suggestions == ["gone"]


@pytest.mark.parametrize("name", ["gone", "away"])
def test_a_row_that_cannot_be_loaded_says_which(name: str) -> None:
    with pytest.raises(BackendError, match=name):
        ROWS.resolve(name)
