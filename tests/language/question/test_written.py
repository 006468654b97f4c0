"""Words that a question expects on the screen, without quotation marks."""

from __future__ import annotations

import pytest

from vidence.language.question import read_question
from vidence.language.question.understand import words_named


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Does it say THE END on screen?", ("THE END",)),
        ("Does it say the end on the screen?", ("the end",)),
        ("Is LAUNCH TONIGHT written anywhere?", ("LAUNCH TONIGHT",)),
        ("Do the words big buck bunny appear?", ("big buck bunny",)),
        ("Does the sign say TAXI?", ("TAXI",)),
        ("屏幕上有 THE END 吗？", ("THE END",)),
        ("画面中出现过 GOOD MORNING 这几个字吗？", ("GOOD MORNING",)),
        ("屏幕上写着谢谢观看吗？", ("谢谢观看",)),
    ],
)
def test_the_words_are_found_and_asked_after(question: str, words: tuple[str, ...]) -> None:
    form = read_question(question).form
    assert (form.kind, form.sense, form.quoted) == ("yes_no", "read", words)


@pytest.mark.parametrize(
    "question",
    [
        "Is there a TV on the wall?",
        "Does the CEO speak?",
        "Is there any text on screen?",
        "DOES IT SAY ANYTHING ON SCREEN?",
        "屏幕上有字吗？",
        "视频里有 dog 吗？",
    ],
)
def test_other_questions_name_no_words(question: str) -> None:
    assert words_named(question) == ()


@pytest.mark.parametrize(
    "question", ["What does the sign say?", "屏幕上写着什么？", "Which word is written there?"]
)
def test_what_is_written_stays_a_question_for_words(question: str) -> None:
    assert read_question(question).form.kind == "read"
