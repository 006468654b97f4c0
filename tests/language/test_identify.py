"""A question has one language: it is read in it and answered in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vidence.language.identify import (
    HAN,
    count_han,
    has_han,
    one_form,
    question_language,
    spoken_language,
    text_language,
)
from vidence.schema.agent import AnswerLanguage

ENGLISH = [
    "What colour is the dog?",
    "who says 你好?",
    "What colour is the 狗?",
    "What does 小明 hold?",
    "Is 小明 in the room?",
    "How many 人 are there?",
    "Describe 这个视频",
    "What is on the 茶几?",
    "WHAT IS 这个",
    "what is 他在做什么 in the video?",
    "the man in a 红色 shirt",
    "Who says 什么?",
    'What does the sign "出口" say?',
    "Who says ‘我们走吧’ at the end?",
    "Where is '小明同学' written?",
    "Who is in 《西游记》?",
    "Ｗｈａｔ　ｉｓ　ｔｈｅ　狗？",
    "¿Qué color tiene el perro?",
    "Какого цвета собака?",
    "개는 몇 마리입니까?",
]
CHINESE = [
    "视频里有几只狗？",
    "視頻裡有幾隻狗",
    "视频里的 dog 是什么颜色",
    "有几个 people？",
    "Tom 说了什么？",
    "Will 是谁？",
    "iPhone 是什么颜色？",
    "Dr. Who 什么时候出现？",
    "GPU CPU RAM OpenCV YOLO ONNX 是什么",
    "谁说了 I am the king of the world?",
    "谁说了 what is this?",
    "描述 the red car",
    "Tesla 的介绍",
    "他有没有 dog",
    '牌子上写的 "EXIT NOW PLEASE" 在哪里？',
    "“what is your name”是谁说的",
    "《Frozen》里唱了什么歌？",
    "ＡＢＣ 是什么？",
    "在 00:10 到 00:20 之间 red car 出现了多少次",
    "狗",
]


@pytest.mark.parametrize("question", ENGLISH)
def test_a_question_asked_in_english_is_english_whatever_it_names(question: str) -> None:
    assert question_language(question) == "en"


@pytest.mark.parametrize("question", CHINESE)
def test_a_question_asked_in_chinese_is_chinese_whatever_it_names(question: str) -> None:
    assert question_language(question) == "zh"


@pytest.mark.parametrize(
    ("question", "language"),
    [('"你好"', "zh"), ("“你好”？", "zh"), ('"hello"', "en"), ("《西游记》 12?", "zh")],
)
def test_a_quotation_counts_where_nothing_else_is_there(question: str, language: str) -> None:
    assert question_language(question) == language


@pytest.mark.parametrize("question", ["これは何ですか", "犬は何匹いますか", "男の人はどこにいますか"])
def test_japanese_is_no_chinese(question: str) -> None:
    assert question_language(question) == "en"


def test_kana_in_a_chinese_question_does_not_matter() -> None:
    assert question_language("视频里说的 ありがとう 是什么意思？") == "zh"


@pytest.mark.parametrize("text", ["", " ", "12345", "?!", "。，、！", "３：２０", "🐕", "''", "《》"])
def test_without_a_letter_it_is_english(text: str) -> None:
    assert question_language(text) == "en"
    assert text_language(text) == "unknown"


@settings(deadline=None)
@given(st.text())
def test_every_text_has_a_language(text: str) -> None:
    assert question_language(text) in ("en", "zh")
    assert has_han(text) == (count_han(text) > 0) == bool(re.search(f"[{HAN}]", text))


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="ascii")))
def test_ascii_is_never_chinese(text: str) -> None:
    assert question_language(text) == "en"
    assert text_language(text) in ("en", "unknown")


@settings(deadline=None)
@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1))
def test_han_alone_is_always_chinese(text: str) -> None:
    assert question_language(text) == "zh"
    assert text_language(text) == "zh"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The dog with the long brown tail is called 旺财.", "en"),
        ("这只 dog 叫旺财，很可爱", "zh"),
        ("I like 北京烤鸭 a lot", "mixed"),
        ("ありがとう", "unknown"),
    ],
)
def test_a_text_is_in_the_language_most_of_it_is_written_in(text: str, language: str) -> None:
    assert text_language(text) == language


@pytest.mark.parametrize(
    ("text", "number"), [("", 0), ("dog", 0), ("かな", 0), ("、。「」", 0), ("a狗b", 1), ("㐀豈鿿", 3)]
)
def test_chinese_characters_are_counted(text: str, number: int) -> None:
    assert count_han(text) == number


@pytest.mark.parametrize(
    ("question", "language", "plain"),
    [
        ("Ｗｈａｔ　ｉｓ　ｉｔ？", "en", "What is it?"),
        ("What is the cat’s name？", "en", "What is the cat's name?"),
        ("视频里有几只ｄｏｇ？", "zh", "视频里有几只dog？"),
        ("在（左边）有什么，谁？", "zh", "在（左边）有什么，谁？"),
    ],
)
def test_a_question_has_one_form_of_each_character(
    question: str, language: AnswerLanguage, plain: str
) -> None:
    assert one_form(question, language) == plain


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We have the opportunity to take this great company with us.", "English"),
        ("也就是如果是一天一千个播放的话,大概就是收入一块钱", "Chinese"),
        ("これはペンです。今日は天気がいい。", "Japanese"),
        ("안녕하세요 반갑습니다", "Korean"),
        ("Ich bin sehr froh, Sie hier zu sehen.", None),
        ("", None),
    ],
)
def test_a_transcript_tells_its_language(text: str, name: str | None) -> None:
    found = spoken_language(text)
    assert (found[0] if found else None) == name
