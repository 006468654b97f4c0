"""What a question wants found out is said once, in the question's language."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from vidence.language.question import Kind, read_question


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
    assert read_question(question).form.purpose == purpose


@pytest.mark.parametrize("kind", get_args(Kind))
def test_every_kind_has_a_purpose_in_both_languages(kind: Kind) -> None:
    form = replace(read_question("hm").form, kind=kind)
    english, chinese = replace(form, language="en").purpose, replace(form, language="zh").purpose
    assert english.startswith("To ")
    assert chinese.startswith("为了")


def test_at_most_three_things_are_named() -> None:
    form = read_question("Are there a dog, a cat, a horse, a cow and a bird?").form
    assert len(form.targets) > 3
    assert form.things == "a dog, a cat, a horse"
