"""The error tree is drawn as it is, and messages name the remedy."""

from __future__ import annotations

import inspect
import re

import pytest

from vidence import errors
from vidence.errors import MissingExtra, UnknownName, VidenceError

TREE = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, VidenceError)]


@pytest.mark.parametrize("cls", TREE)
def test_the_drawn_tree_shows_every_error_at_its_depth(cls: type[VidenceError]) -> None:
    assert errors.__doc__ is not None
    found = re.search(rf"^([│├└─ ]*){cls.__name__}\b", errors.__doc__, re.MULTILINE)
    assert found is not None, f"{cls.__name__} is missing in the tree"
    depth = cls.__mro__.index(VidenceError)
    assert len(found.group(1)) == 4 * depth


def test_an_unknown_name_suggests_similar_ones_and_the_remedy() -> None:
    error = UnknownName("engine", "opnai", ["openai", "local"], remedy="Known: openai, local.")
    assert str(error) == "Unknown engine 'opnai'. Did you mean 'openai'? Known: openai, local."


def test_a_missing_extra_says_how_to_install_it() -> None:
    assert "pip install 'vidence[openai]'" in str(MissingExtra("The engine", "openai"))


def test_usage_errors_exit_with_2() -> None:
    wrong = {cls.__name__ for cls in TREE if cls.exit_code == 2}
    assert wrong == {"SettingsError", "OpRetry"}
