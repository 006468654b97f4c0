"""Captions alone answer when one of them tells, and say so when none does."""

from __future__ import annotations

import pytest

from tests.embedded.test_solver import embed
from vidence.embedded.captions import answer_from_captions, fills_question
from vidence.embedded.checker import PASSING
from vidence.embedded.recipes.recipe import Finding
from vidence.language.question import read_question
from vidence.schema.agent import MemoryUnit

ENGLISH = (
    "a man opens a red door",
    "three people sit at a long table",
    "a woman is holding a cup of tea",
    "a dog sleeps under the bench",
)
CHINESE = ("一个男人打开红色的门", "三个人坐在桌子旁", "一个女人拿着一杯茶", "狗在长椅下面睡觉")


def told(question: str, captions: tuple[str, ...] = ENGLISH) -> Finding:
    units = [MemoryUnit(frame_id=place, caption=text) for place, text in enumerate(captions, 1)]
    return answer_from_captions(read_question(question).form, units, embed)


@pytest.mark.parametrize(
    ("question", "word", "frame"),
    [
        ("What colour is the door?", "red", 1),
        ("How many people sit at the table?", "three", 2),
        ("What is the woman holding?", "cup", 3),
        ("Where does the dog sleep?", "bench", 4),
        ("Does a dog sleep under the bench?", "Yes", 4),
    ],
)
def test_what_a_caption_tells_is_an_answer_that_passes(question: str, word: str, frame: int) -> None:
    found = told(question)
    assert word.lower() in found.answer.lower()
    assert found.probability >= PASSING
    assert found.claims[0].citations[0].record_id == f"frame_{frame}"


def test_chinese_captions_answer_chinese_questions() -> None:
    found = told("女人拿着什么？", CHINESE)
    assert "茶" in found.answer
    assert found.probability >= PASSING
    assert told("门是什么颜色的？", CHINESE).answer.startswith("红")


@pytest.mark.parametrize(
    "question",
    ["What is the name of the ship?", "How many elephants are there?", "What colour is the bench?"],
)
def test_what_no_caption_tells_cannot_be_told_or_is_unsure(question: str) -> None:
    found = told(question)
    assert found.cannot_tell or found.probability < PASSING


def test_nothing_is_told_without_captions() -> None:
    assert told("Where is the dog?", ()).cannot_tell


@pytest.mark.parametrize(
    ("question", "sentence", "is_filled"),
    [
        ("What is the man holding?", "a man holding a cup", True),
        ("What is the man holding?", "a man is holding", False),
        ("What is the girl standing on?", "a girl standing on a bridge", True),
        ("What is the girl standing on?", "a girl standing with an umbrella", False),
        ("What type of bus is this?", "a bus drives down a street", False),
        ("Where is the cat?", "a cat sleeps on the sofa", True),
        ("Where is the cat?", "a black cat", False),
        ("男人在吃什么？", "男人在吃苹果", True),
    ],
)
def test_a_sentence_fills_the_place_of_the_question_word(
    question: str, sentence: str, is_filled: bool
) -> None:
    assert fills_question(read_question(question).form, sentence) is is_filled
