"""What a question wants found out is said once, in the question's language."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from vidence.language.question import Kind, understand
from vidence.language.question.purpose import purpose_of, things_of


@pytest.mark.parametrize(
    ("question", "purpose"),
    [
        ("How many dogs are there?", "To count (dogs)"),
        ("What colour are the car and the bus?", "To see the colour (the car, the bus)"),
        ("视频里有几只狗？", "为了数清楚（狗）"),
        ("What is said?", "To hear what is said"),
        ("视频里说了什么？", "为了听清说了什么"),
    ],
)
def test_the_purpose_names_the_kind_and_the_things(question: str, purpose: str) -> None:
    assert purpose_of(understand(question)) == purpose


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_has_a_purpose_in_both_languages(kind: Kind) -> None:
    form = replace(understand("hm"), kind=kind)
    english, chinese = purpose_of(replace(form, language="en")), purpose_of(replace(form, language="zh"))
    assert english.startswith("To ")
    assert chinese.startswith("为了")


def test_at_most_three_things_are_named() -> None:
    form = understand("Are there a dog, a cat, a horse, a cow and a bird?")
    assert len(form.targets) > 3
    assert things_of(form) == "a dog, a cat, a horse"
