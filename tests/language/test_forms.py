"""The forms of English words."""

from __future__ import annotations

import pytest

from vidence.language.forms import base_form, has_one_form, is_plural, lookup_forms, plural, singular, stem


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("dogs", "dog"),
        ("buses", "bus"),
        ("canoes", "canoe"),
        ("ladies", "lady"),
        ("benches", "bench"),
        ("people", "person"),
        ("shelves", "shelf"),
        ("dining tables", "dining table"),
    ],
)
def test_singular_and_plural_undo_each_other(several: str, one: str) -> None:
    assert singular(several) == one
    assert plural(one) == several
    assert is_plural(several)
    assert not is_plural(one)


@pytest.mark.parametrize("word", ["glass", "bus", "tennis", "this", "sheep", "gas"])
def test_words_that_only_look_like_plurals_stay(word: str) -> None:
    assert singular(word) == word
    assert not is_plural(word)


def test_pairs_have_only_a_plural() -> None:
    assert plural("trousers") == singular("trousers") == "trousers"
    assert is_plural("trousers")
    assert has_one_form("trousers")
    assert has_one_form("sheep")
    assert not has_one_form("dog")


def test_a_phrase_is_looked_up_as_written_first() -> None:
    assert lookup_forms("wine glasses") == ("wine glasses", "wine glasse", "wine glass")
    assert lookup_forms("knives")[1] == "knife"
    assert lookup_forms("猫") == ("猫",)


@pytest.mark.parametrize(
    ("form", "base"),
    [("ran", "run"), ("running", "run"), ("carries", "carry"), ("taken", "take"), ("cup", None)],
)
def test_base_of_a_verb(form: str, base: str | None) -> None:
    assert base_form(form) == base


def test_stored_stems_keep_their_irregular_forms() -> None:
    assert stem("gave") == stem("give")
    assert stem("color") == stem("colour")
    assert stem("ground") == "ground"
    # Stored memory terms were made with these, so they must not change.
    assert stem("ground", stored=True) == "grind"
    assert stem("color", stored=True) == "color"
    assert stem("shelves", stored=True) == "shelv"


def test_plurals_are_english() -> None:
    assert [plural(word) for word in ("bus", "person", "wine glass", "butterfly", "monkey", "sheep")] == [
        "buses", "people", "wine glasses", "butterflies", "monkeys", "sheep",
    ]  # fmt: skip
