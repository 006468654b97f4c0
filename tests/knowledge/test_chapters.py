"""Chapters and passages keep every character and name their place."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tests.knowledge.stories import MILL, RIVER
from vidence.knowledge.chapters import passages, quote_at, sentence_spans, split_chapters
from vidence.knowledge.sources import SourceText


def test_english_chapters_are_found_and_lose_no_character() -> None:
    chapters = split_chapters(SourceText("mill.txt", MILL))
    assert [one.label for one in chapters] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert "".join(one.text for one in chapters) == MILL


def test_chinese_chapters_have_their_titles() -> None:
    chapters = split_chapters(SourceText("river.txt", RIVER * 2))
    assert [one.label for one in chapters][:3] == ["第一回", "第二回", "第三回"]
    assert chapters[0].title == "渔夫得子"


def test_a_table_of_contents_is_no_chapter() -> None:
    contents = "Chapter 1\nChapter 2\nChapter 3\n\n"
    chapters = split_chapters(SourceText("mill.txt", contents + MILL))
    assert [one.label for one in chapters][-3:] == ["Chapter 1", "Chapter 2", "Chapter 3"]
    assert len(chapters) <= 4


def test_a_long_text_without_chapters_is_cut_at_paragraphs() -> None:
    text = "\n".join("A sentence about nothing much. " * 20 for _ in range(300))
    chapters = split_chapters(SourceText("plain.txt", text))
    assert len(chapters) > 2
    assert chapters[0].label == "plain, Part 1"
    assert "".join(one.text for one in chapters) == text


def test_a_quotation_names_its_place() -> None:
    chapter = split_chapters(SourceText("mill.txt", MILL))[1]
    start = chapter.text.index("Robert married")
    quote = quote_at(chapter, start, start + len("Robert married Lucy Hale"))
    assert (quote.text, quote.chapter, quote.label, quote.paragraph) == (
        "Robert married Lucy Hale", 2, "Chapter 2", 2,
    )  # fmt: skip
    assert chapter.text[quote.start : quote.end] == quote.text


def test_sentences_keep_speech_with_its_speaker_and_titles_whole() -> None:
    text = '"Where is he?" asked Mr. Grey. He went home. It cost 3.5 crowns!'
    found = [text[start:end] for start, end in sentence_spans(text)]
    assert found == ['"Where is he?" asked Mr. Grey.', "He went home.", "It cost 3.5 crowns!"]


@given(st.text(alphabet='ab。.!? \n"“”第一回Chapter 1李', max_size=400))
def test_any_text_gives_ordered_passages(text: str) -> None:
    found = passages(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(first.end <= second.start for first, second in itertools.pairwise(found))
