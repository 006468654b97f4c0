"""Numbers of things in words, whichever language the thing is named in."""

from __future__ import annotations

import pytest

from vidence.embedded.recipes.wording import (
    article,
    between,
    colours,
    counted,
    in_picture,
    joined,
    quoted,
    sentence,
)
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


@pytest.mark.parametrize(
    ("words", "language", "text"),
    [
        ([], "en", ""),
        (["a"], "en", "a"),
        (["a", "b"], "en", "a and b"),
        (["a", "b", "c"], "en", "a, b and c"),
        (["猫", "狗", "马"], "zh", "猫、狗和马"),
    ],
)
def test_lists_are_joined_in_words(words: list[str], language: AnswerLanguage, text: str) -> None:
    assert joined(words, language) == text


@pytest.mark.parametrize(
    ("noun", "text"),
    [
        ("cup", "a cup"),
        ("apple", "an apple"),
        ("the cup", "the cup"),
        ("shoes", "shoes"),
        ("glass", "a glass"),
        ("music", "music"),
        ("running water", "running water"),
    ],
)
def test_nouns_get_an_article_where_they_take_one(noun: str, text: str) -> None:
    assert article(noun) == text


@pytest.mark.parametrize(
    ("span", "language", "text"),
    [
        ((1.0, 2.5), "en", "1.0–2.5 s"),
        ((1.0, 2.5), "zh", "1.0–2.5 秒"),
        ((1.0, 1.05), "en", "1.0 s"),
    ],
)
def test_spans_are_given_in_seconds(span: tuple[float, float], language: AnswerLanguage, text: str) -> None:
    assert between(*span, language) == text


@pytest.mark.parametrize(
    ("text", "language", "ended"),
    [
        ("a dog", "en", "A dog."),
        ("a dog.", "en", "A dog."),
        ("一只狗", "zh", "一只狗。"),
        ("“Stop!”", "en", "“Stop!”"),
        ("", "en", ""),
    ],
)
def test_a_sentence_has_a_capital_and_one_full_stop(text: str, language: AnswerLanguage, ended: str) -> None:
    assert sentence(text, language) == ended


def test_a_long_quotation_is_cut_at_a_word() -> None:
    words = quoted("word " * 100)
    assert words.startswith("“word word")
    assert words.endswith("word …”")
    assert len(words) < 210


def test_colours_are_named_in_the_language() -> None:
    assert colours("brown and white", "en") == "brown and white"
    assert colours("brown and white", "zh") == "棕色和白色"


@pytest.mark.parametrize(
    ("value", "language", "text"),
    [
        (1, "en", "At 2.0 s 1 dog is in the picture."),
        (0, "en", "At 2.0 s 0 dogs are in the picture."),
        (2, "zh", "2.0 秒时画面中有 2 只dog。"),
    ],
)
def test_a_count_is_said_with_its_time(value: int, language: AnswerLanguage, text: str) -> None:
    assert in_picture(value, Target("dog", "dog", category="dog"), 2.0, language) == text
