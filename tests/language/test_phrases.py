"""What vidence itself says to a person."""

from __future__ import annotations

from typing import get_args

from vidence.language.phrases import phrase
from vidence.language.question import Kind
from vidence.language.tables import read_table


def test_a_phrase_holds_its_value_in_both_languages() -> None:
    assert phrase("steps", "en", 3) == "The limit of 3 steps was reached."
    assert phrase("steps", "zh", 3) == "已达到 3 步的上限。"


def test_both_languages_take_the_same_value() -> None:
    rows = list(read_table("phrases.tsv"))
    assert rows
    assert [name for name, english, chinese in rows if ("{value}" in english) != ("{value}" in chinese)] == []


def test_every_kind_of_question_has_a_purpose() -> None:
    assert all(phrase(f"purpose_{kind}", "en").startswith("To ") for kind in get_args(Kind))
