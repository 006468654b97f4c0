"""Numbers of things in words, whichever language the thing is named in."""

from __future__ import annotations

import pytest

from vidence.agents.embedded.question import Target
from vidence.agents.embedded.recipes.nouns import counted, plural
from vidence.schema.agent import AnswerLanguage


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("dog", "dogs"),
        ("bus", "buses"),
        ("city", "cities"),
        ("boy", "boys"),
        ("person", "people"),
        ("猫", "猫"),
    ],
)
def test_the_plural_of_a_noun(noun: str, several: str) -> None:
    assert plural(noun) == several


@pytest.mark.parametrize(
    ("value", "head", "language", "words"),
    [
        (1, "dog", "en", "1 dog"),
        (2, "dog", "en", "2 dogs"),
        (0, "猫", "en", "0 猫"),
        (2, "瓶子", "zh", "2 个瓶子"),
    ],
)
def test_things_are_counted_in_the_answers_language(
    value: int, head: str, language: AnswerLanguage, words: str
) -> None:
    assert counted(value, Target(text=head, head=head), language) == words
