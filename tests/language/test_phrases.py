"""What vidence itself says to a person."""

from __future__ import annotations

import re
from typing import get_args

from vidence.language.phrases import phrase
from vidence.language.question import Kind
from vidence.language.tables import read_table


def test_a_phrase_holds_its_value_in_both_languages() -> None:
    assert phrase("steps", "en", 3) == "The limit of 3 steps was reached."
    assert phrase("steps", "zh", 3) == "已达到 3 步的上限。"


def test_both_languages_take_the_same_values() -> None:
    rows = list(read_table("phrases.tsv"))
    assert rows
    places = {name: [set(re.findall(r"\{\w+\}", text)) for text in texts] for name, *texts in rows}
    assert [name for name, (english, chinese) in places.items() if english != chinese] == []


def test_no_phrase_is_given_twice() -> None:
    names = [row[0] for row in read_table("phrases.tsv")]
    assert len(names) == len(set(names))


def test_every_kind_of_question_has_a_purpose() -> None:
    assert all(phrase(f"purpose_{kind}", "en").startswith("To ") for kind in get_args(Kind))
