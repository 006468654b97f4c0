"""Words to search by, in two languages and beyond."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.language.tokens import (
    ABOUT_HEARER,
    ABOUT_SPEAKER,
    IndexedText,
    clean,
    has_words,
    index_text,
    query_terms,
    sentences,
    stems,
    term_id,
    terms,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [("running", "runs"), ("gave", "give"), ("children", "child"), ("ＡＢＣ", "abc"), ("Anna’s", "Anna's")],
)
def test_forms_of_a_word_are_one_term(one: str, other: str) -> None:
    assert list(terms(one)) == list(terms(other))


def test_chinese_is_cut_into_pairs_and_short_runs() -> None:
    assert list(terms("三国演义")) == ["三国", "国演", "演义", "三国演义"]
    assert "github" in list(terms("我在GitHub上看代码"))


@pytest.mark.parametrize("text", ["3.5", "2023", "שלום", "مرحبا", "😀", "naïve", "日"])
def test_numbers_other_scripts_and_emoji_are_terms(text: str) -> None:
    assert list(terms(text))


@pytest.mark.parametrize("text", ["", "   ", "\0\0", "…!?"])
def test_nothing_to_search_by_is_no_term(text: str) -> None:
    assert list(terms(text)) == []


def test_a_question_keeps_what_it_is_about() -> None:
    assert query_terms("How did Anna feel after the race?") == list(terms("anna race"))
    assert query_terms("what happened") == list(terms("happened"))


def test_who_a_sentence_is_about() -> None:
    text = index_text("I painted a bowl. Your garden is lovely. Where is Tom?")
    about = dict(zip(text.terms.tolist(), text.about.tolist(), strict=True))
    assert about[term_id("bowl")] == ABOUT_SPEAKER
    assert about[term_id("garden")] == ABOUT_HEARER
    assert about[term_id("tom")] == 0


def test_what_is_stored_reads_back_the_same() -> None:
    text = index_text("A cat, a dog and a cat.", subject="Pets")
    again = IndexedText.from_bytes(text.to_bytes())
    for name in ("terms", "counts", "about"):
        assert np.array_equal(getattr(text, name), getattr(again, name))


def test_terms_have_the_same_number_on_every_machine() -> None:
    assert term_id("cat") == 3429664268601861939


def test_sentences_end_in_both_languages() -> None:
    assert sentences("One. Two! 三。四") == ["One.", "Two!", "三。", "四"]


def test_forms_of_a_word_share_a_stem() -> None:
    assert stems("The women were running") == stems("a woman runs")
    assert stems("红色杯子") == ["红色", "色杯", "杯子"]


def test_control_characters_and_emoji_are_no_words() -> None:
    assert clean("a\x00b\u202ec\n d") == "a b c d"
    assert not has_words(clean("🐱 !?\x07"))
    assert has_words("猫")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("made of glass", ["make", "glass"]),
        ("1,250 fans for 3.5 days", ["1,250", "fan", "3.5", "day"]),
        ("ｄｏｇ", ["dog"]),
        ("ありがとう", ["あり", "りが", "がと", "とう"]),
        ("some color", ["colour"]),
    ],
)
def test_words_are_matched_by_their_stems(text: str, found: list[str]) -> None:
    assert stems(text) == found


def test_stored_terms_do_not_change() -> None:
    # These are hashed into every stored memory; a change would make old memories unfindable.
    text = "She gave the children some grey shelves on 3.5.2024, 他很喜欢红色杯子"
    assert list(terms(text)) == [
        "give", "child", "some", "grey", "shelv", "3.5.2024",
        "他很", "很喜", "喜欢", "欢红", "红色", "色杯", "杯子",
    ]  # fmt: skip
