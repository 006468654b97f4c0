"""Passages and sentences of pages."""

from __future__ import annotations

import pytest

from vidence.intel.passages import is_statement, page_sentences, plain_text, split_passages


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
    assert page_sentences(plain_text(text)) == ["DeepSeek released its R1 model on 20 January 2025."]


def test_lines_that_were_wrapped_are_joined_and_lists_are_not() -> None:
    text = (
        "The monitor keeps the pages of its sources in a full-text\nindex, and reads "
        "`snake_case` names as they stand\nthere.\n\n"
        "- one item of the list that is long enough to be wrapped\n- another item\n\n"
        "深度求索公司在杭州发布了新一代推理模型，并且宣布\n接口价格下调。"
    )
    joined = plain_text(text).splitlines()
    assert joined[0].endswith("snake_case names as they stand there.")
    assert "another item" in joined
    assert joined[-1] == "深度求索公司在杭州发布了新一代推理模型，并且宣布接口价格下调。"


def test_what_is_quoted_stands_in_the_plain_text() -> None:
    text = (
        "## News\n\n1. **DeepSeek** released *its* [R1 model](https://x.org) on 20 January 2025.\n> Quoted."
    )
    plain = plain_text(text)
    assert all(one in plain for one in page_sentences(plain))
    assert page_sentences(plain)
