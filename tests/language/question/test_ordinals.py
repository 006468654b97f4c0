"""Counting to one of several, in both languages."""

from __future__ import annotations

import pytest

from vidence.language.question import Ordinal
from vidence.language.question.form import OrdinalUnit
from vidence.language.question.ordinals import clause_of_time, find_ordinal


@pytest.mark.parametrize(
    ("question", "number", "unit"),
    [
        ("When does the dog appear for the second time?", 2, "time"),
        ("What is said the third time the dog appears?", 3, "time"),
        ("What is in the third shot?", 3, "shot"),
        ("What is in the 12th shot?", 12, "shot"),
        ("What is in the last scene?", -1, "scene"),
        ("What animal is in the second to last shot?", -2, "shot"),
        ("What is the penultimate scene about?", -2, "scene"),
        ("What is the last word said?", -1, "word"),
        ("What is the first sentence that is spoken?", 1, "sentence"),
        ("What is the last thing he says?", -1, "sentence"),
        ("狗第二次出现是什么时候？", 2, "time"),
        ("第三个镜头里是什么？", 3, "shot"),
        ("第十二个场景", 12, "scene"),
        ("倒数第二个镜头里是什么动物？", -2, "shot"),
        ("最后一句话说了什么？", -1, "sentence"),
        ("最后一个镜头", -1, "shot"),
    ],
)
def test_what_is_counted_to(question: str, number: int, unit: OrdinalUnit) -> None:
    assert find_ordinal(question) == Ordinal(number, unit)


@pytest.mark.parametrize(
    "question",
    [
        "When does the dog appear for the first time?",
        "What happens in the last 5 seconds?",
        "What is the last word on the sign?",
        "Who is the second man?",
        "What happens in the second minute?",
        "第 5 秒发生了什么？",
        "第二个人是谁？",
    ],
)
def test_what_needs_no_counting(question: str) -> None:
    assert find_ordinal(question) is None


@pytest.mark.parametrize(
    ("number", "count", "place"), [(1, 3, 0), (3, 3, 2), (4, 3, None), (-1, 3, 2), (-3, 3, 0), (-4, 3, None)]
)
def test_the_place_among_so_many(number: int, count: int, place: int | None) -> None:
    assert Ordinal(number, "shot").of(count) == place


def test_the_clause_that_says_what_happens_then() -> None:
    assert clause_of_time("What is heard the second time the dog appears?") == "the dog appears"
    assert clause_of_time("When does the dog appear?") is None
