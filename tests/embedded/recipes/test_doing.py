"""What people do is named by the action that was recognised, and cites it."""

from __future__ import annotations

import pytest

from tests.embedded.recipes.seen import ask, prove
from tests.embedded.recipes.told import Told, acting
from vidence.embedded.recipes.doing import answer, asks_doing
from vidence.language.question import read_question


@pytest.mark.parametrize(
    ("question", "noted", "told"),
    [
        ("What is she doing?", "A person seems to be dancing", "Dancing."),
        ("What is the woman doing?", "A person seems to be training a dog", "Training a dog."),
        ("她在干嘛呢？", "一个人看起来是在跳舞。", "跳舞。"),
    ],
)
def test_a_recognised_action_is_the_answer(question: str, noted: str, told: str) -> None:
    finding = prove(question, acting(noted), recipe=answer)
    assert finding.answer == told
    [cited] = finding.claims[0].citations
    assert cited.quote == noted


def test_without_an_action_in_the_part_that_is_asked_about_it_is_left_open() -> None:
    assert ask("What is she doing?", Told(), recipe=answer).cannot_tell
    dancing = acting("A person seems to be dancing", until_s=4.0)
    assert ask("What is she doing in the last 3 seconds?", dancing, recipe=answer).cannot_tell


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("What are they doing?", True),
        ("这个人在做什么？", True),
        ("What is the dog doing?", False),
        ("What is the man in red doing?", False),
        ("What is the man on the left doing?", False),
        ("What is she wearing?", False),
    ],
)
def test_only_what_people_do_is_told_by_actions(question: str, is_asked: bool) -> None:
    assert asks_doing(read_question(question)) is is_asked
