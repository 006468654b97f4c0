"""Numbers of things in words, whichever language the thing is named in."""

from __future__ import annotations

import pytest

from vidence.embedded.recipes.wording import counted
from vidence.language.question import Target
from vidence.schema.agent import AnswerLanguage


@pytest.mark.parametrize(
    ("value", "head", "language", "words"),
    [
        (1, "dog", "en", "1 dog"),
        (2, "dog", "en", "2 dogs"),
        (3, "city", "en", "3 cities"),
        (2, "boy", "en", "2 boys"),
        (4, "person", "en", "4 people"),
        (2, "glasses", "en", "2 glasses"),
        (0, "猫", "en", "0 猫"),
        (2, "瓶子", "zh", "2 个瓶子"),
    ],
)
def test_things_are_counted_in_the_answers_language(
    value: int, head: str, language: AnswerLanguage, words: str
) -> None:
    assert counted(value, Target(text=head, head=head), language) == words
