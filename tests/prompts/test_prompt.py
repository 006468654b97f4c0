"""A prompt's name is the hash of everything that is said in it."""

from __future__ import annotations

from tests.llm.made import Verdict, prompt
from vidence.prompts import Prompt
from vidence.schema.message import Message


def test_a_prompts_name_covers_roles_boundaries_and_pictures() -> None:
    def named(*messages: Message) -> str:
        return Prompt("t", messages, Verdict(score=1)).sha256

    one = Message(role="user", text="a\n\nuser: b")
    two = (Message(role="user", text="a"), Message(role="user", text="b"))
    names = {named(one), named(*two), named(two[0]), named(Message(role="assistant", text="a"))}
    assert len(names) == 4
    assert prompt(pictures=1).sha256 != prompt().sha256
