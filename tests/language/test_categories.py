"""The categories of the detector and the words that mean them."""

from __future__ import annotations

import pytest

from vidence.errors import UnknownName
from vidence.language.categories import categories, resolve_category, same_thing


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cat", {"cat"}),
        ("猫", {"cat"}),
        ("Phones", {"cell phone"}),
        ("people", {"person"}),
        ("person", {"person"}),
    ],
)
def test_categories_answer_to_both_languages(text: str, expected: set[str]) -> None:
    assert resolve_category(text) == expected


def test_groups_hold_their_members() -> None:
    assert {"car", "bus", "bicycle"} <= resolve_category("vehicle")
    assert resolve_category("动物") == resolve_category("animals")


def test_unknown_category_suggests() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'bicycle'"):
        resolve_category("bicicle")


def test_the_table_has_the_80_categories() -> None:
    assert len(categories()) == 80
    assert len({c.chinese for c in categories().values()}) == 80


@pytest.mark.parametrize(
    ("noun", "label", "same"),
    [
        ("young people", "person", True),
        ("个杯子", "cup", True),
        ("knives", "knife", True),
        ("sofa", "couch", True),
        ("dog", "cat", False),
        ("dogs", "person", False),
    ],
)
def test_a_noun_means_the_label_or_not(noun: str, label: str, same: bool) -> None:
    assert same_thing(noun, label) is same
