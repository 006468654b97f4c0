"""A citation must bear on what is asked, not only hold the words of the answer."""

from __future__ import annotations

import pytest

from vidence.runs.verify.bearing import is_denial
from vidence.runs.verify.content import Content
from vidence.runs.verify.relevance import bears_on


@pytest.mark.parametrize(
    ("question", "held", "bears"),
    [
        ("What does the dog do?", "a knock or bang", False),
        ("What does the dog do?", "A brown dog runs", True),
        ("狗在做什么？", "一辆汽车停在路边", False),
        ("狗在做什么？", "一只狗在跑", True),
        ("What is he wearing?", "A person dressed in black", True),
        ("What does the guy say?", "Good morning.", True),
        ("What does the dog do?", "一只狗在跑", True),
    ],
)
def test_what_is_cited_speaks_of_what_is_named(question: str, held: str, bears: bool) -> None:
    assert bears_on(question, [Content(texts=[held])]) is bears


def test_what_was_looked_for_counts() -> None:
    assert bears_on("Is there a dog?", [Content(asked=["dog"], is_empty=True)])


def test_nothing_to_compare_is_no_fault() -> None:
    assert bears_on("What does the dog do?", [Content()])


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        ("画面中没有狗", True),
        ("未看到任何人", True),
        ("他不说话", True),
        ("There is no dog.", True),
        ("他谈到公司的未来", False),
        ("一架无人机在飞", False),
        ("颜色非常不同", False),
    ],
)
def test_only_words_that_deny_make_a_denial(text: str, denies: bool) -> None:
    assert is_denial(text) == denies
