"""The categories of the detector and the words that mean them."""

from __future__ import annotations

import pytest

from vidence.language.categories import categories, category_words, same_thing
from vidence.language.objects import resolve_asked


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cat", {"cat"}),
        ("猫", {"cat"}),
        ("Phones", {"cell phone"}),
        ("cell_phone", {"cell phone"}),
        ("knives", {"knife"}),
        ("people", {"person"}),
        ("person", {"person"}),
    ],
)
def test_categories_answer_to_both_languages(text: str, expected: set[str]) -> None:
    assert resolve_asked(text) == frozenset(expected)


def test_groups_hold_their_members() -> None:
    assert {"car", "bus", "bicycle"} <= category_words()["vehicle"]
    assert category_words()["水果"] == category_words()["fruit"] < category_words()["food"]
    assert resolve_asked("动物") == resolve_asked("animals") == category_words()["animal"]


def test_an_unknown_word_means_no_category() -> None:
    assert resolve_asked("bicicle") is None


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
