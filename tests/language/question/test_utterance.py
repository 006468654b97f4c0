"""Questions, statements, corrections and small talk told apart."""

from __future__ import annotations

import pytest

from vidence.language.question import read_question


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        ("my dog is called Rex", "statement", "my dog is called Rex"),
        ("我的狗叫雷克斯", "statement", "我的狗叫雷克斯"),
        ("Remember that Anna is allergic to nuts", "statement", "Anna is allergic to nuts"),
        ("请记住：小红对花生过敏", "statement", "小红对花生过敏"),
        ("what is my dog called?", "question", "what is my dog called?"),
        ("How many people are there", "question", "How many people are there"),
        ("describe the scene", "question", "describe the scene"),
        ("我的狗叫什么", "question", "我的狗叫什么"),
        ("那之后呢", "question", "那之后呢"),
        ("Do you remember my dog?", "question", "Do you remember my dog?"),
        ("No, my dog is called Max", "correction", "my dog is called Max"),
        ("不对，我的狗叫麦克斯", "correction", "我的狗叫麦克斯"),
        ("thanks!", "small_talk", "thanks!"),
        ("play the video", "small_talk", "play the video"),
        ("stop", "small_talk", "stop"),
        ("ok then count the cars", "question", "ok then count the cars"),
        ("Could you remember that I like green tea?", "statement", "I like green tea"),
        ("你好", "small_talk", "你好"),
    ],
)
def test_words_are_told_apart(said: str, kind: str, text: str) -> None:
    found = read_question(said).utterance
    assert (found.kind, found.text) == (kind, text)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is my dog called?", True),
        ("我上次说我对什么过敏？", True),
        ("How many people are in the video?", False),
        ("What does the man do?", False),
        ("我的狗在视频里出现了吗？", False),
    ],
)
def test_questions_about_what_was_told_are_known(question: str, told: bool) -> None:
    assert read_question(question).is_about_the_talk is told
