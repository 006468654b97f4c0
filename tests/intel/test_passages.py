"""Passages and sentences of pages."""

from __future__ import annotations

import pytest

from vidence.intel.passages import is_statement, page_sentences, split_passages


def test_passages_hold_the_whole_text_in_order() -> None:
    text = "\n".join(f"Paragraph {number} says something of its own. " * 5 for number in range(20))
    passages = split_passages(text)
    assert all(len(passage) <= 1500 for passage in passages)
    assert "".join("".join(passages).split()) == "".join(text.split())


def test_a_paragraph_without_end_is_cut() -> None:
    passages = split_passages("word " * 2000)
    assert len(passages) > 5
    assert all(len(passage) <= 1500 for passage in passages)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("DeepSeek released its R1 model on 20 January 2025.", True),
        ("深度求索在一月二十日发布了新一代推理模型。", True),
        ("He said that it would be released soon after all.", False),
        ("Home | About | Contact | Privacy policy and more.", False),
        ("Is DeepSeek going to release another model this year?", False),
        ("Subscribe to our newsletter", False),
        ("Accept cookies to read the whole of this fine article.", False),
    ],
)
def test_only_whole_sentences_stand_in_a_briefing(line: str, expected: bool) -> None:
    assert is_statement(line) is expected


def test_sentences_lose_the_marks_of_markdown() -> None:
    text = '- **DeepSeek** released [its R1 model](https://x.org/a "R1") on 20 January 2025.[3]'
    assert page_sentences(text) == ["DeepSeek released its R1 model on 20 January 2025."]
