"""Contradictions between sentences."""

from __future__ import annotations

import pytest

from vidence.intel.critic.conflict import find_conflict


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        (
            "Training the DeepSeek R1 model cost 5.6 million dollars in total.",
            "Training the DeepSeek R1 model cost 1.3 billion dollars in total.",
            "number",
        ),
        (
            "The company released the reasoning model to the public on 20 January 2025.",
            "The company released the reasoning model to the public on 20 March 2024.",
            "date",
        ),
        (
            "Liang Wenfeng founded the company DeepSeek in Hangzhou in 2023.",
            "Jack Ma founded the company DeepSeek in Hangzhou in 2023.",
            "name",
        ),
        (
            "The data authority of Italy has blocked the DeepSeek app for all users.",
            "The data authority of Italy has not blocked the DeepSeek app for all users.",
            "negation",
        ),
        (
            "第六届立法会共有70个议席，经2016年9月4日的选举产生。",
            "第六届立法会共有170个议席，经2016年9月4日的选举产生。",
            "number",
        ),
        ("本片由原著作者郭敬明担当编剧并执导。", "本片由原著作者韩寒担当编剧并执导。", "name"),
    ],
)
def test_one_thing_that_differs_is_a_contradiction(one: str, other: str, kind: str) -> None:
    found = find_conflict(one, other)
    assert found is not None
    assert found.kind == kind
    assert find_conflict(other, one) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Tesla reported revenue of 6.0 billion dollars in Q2 2020.",
            "Tesla reported revenue of 7.0 billion dollars in Q3 2021.",
        ),
        (
            "DeepSeek released its R1 model on Monday.",
            "DeepSeek released its R1 model on Monday, the company said.",
        ),
        (
            "It sold 1,000 units in the first week of the year.",
            "It sold 1000 units in the first week of the year.",
        ),
        (
            "The weather in Hangzhou was fine on that day.",
            "Prices of the interface fell by half within a month.",
        ),
        ("", "Anything at all may be said here."),
        (
            "The book explains the ownership of memory in Chapter 4 with many small examples.",
            "The book explains the ownership of memory in Chapter 7 with many small examples.",
        ),
        (
            "The compiler prints the long error E0382 for a value that was moved before.",
            "The compiler prints the long error E0596 for a value that was moved before.",
        ),
        ("这本小说在第三章里介绍了主人公的父亲和母亲。", "这本小说在第五章里介绍了主人公的父亲和母亲。"),
    ],
)
def test_different_facts_and_equal_ones_are_none(one: str, other: str) -> None:
    assert find_conflict(one, other) is None
