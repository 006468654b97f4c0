"""Asking for an object: what is unreadable goes back, a few times, and every call is counted."""

from __future__ import annotations

import pytest

from tests.llm.made import Verdict, prompt
from vidence.errors import BackendError
from vidence.llm.ask import ask_for
from vidence.llm.base import EngineBase
from vidence.llm.protocol import Capabilities, OnText, Reply
from vidence.llm.scripted import ScriptedEngine
from vidence.llm.structured import INVALID_JSON, InvalidReply
from vidence.prompts import Prompt


def test_an_unreadable_reply_goes_back_in_the_protocols_words() -> None:
    engine = ScriptedEngine(["No.", "Still no.", '{"score": 5}'])
    answered = ask_for(engine, prompt(), Verdict)
    assert answered.value.score == 5
    assert len(answered.replies) == 3
    last = engine.prompts[-1].messages
    assert [(m.role, m.text) for m in last[-4:]] == [
        ("assistant", "No."),
        ("user", INVALID_JSON),
        ("assistant", "Still no."),
        ("user", INVALID_JSON),
    ]


def test_asking_again_has_an_end() -> None:
    engine = ScriptedEngine(lambda _: "never")
    with pytest.raises(InvalidReply):
        ask_for(engine, prompt(), Verdict, attempts=2)
    assert len(engine.prompts) == 2


def test_every_call_is_counted_answered_or_not() -> None:
    engine = ScriptedEngine(["No.", BackendError("down")])
    counted: list[str | None] = []
    with pytest.raises(BackendError, match="down"):
        ask_for(
            engine, prompt(), Verdict, called=lambda _, reply: counted.append(reply.text if reply else None)
        )
    assert counted == ["No.", None]


def test_an_unreadable_reply_is_kept_with_the_error() -> None:
    with pytest.raises(InvalidReply) as caught:
        ask_for(ScriptedEngine(["I cannot tell."]), prompt(), Verdict, attempts=1)
    assert caught.value.reply == "I cannot tell."


def test_every_attempt_needs_its_own_allowance() -> None:
    engine, left = ScriptedEngine(lambda _: "never"), iter([1.0])

    def allow() -> float:
        try:
            return next(left)
        except StopIteration:
            raise BackendError("the budget is used up") from None

    with pytest.raises(BackendError, match="budget"):
        ask_for(engine, prompt(), Verdict, allowed_s=allow)
    assert len(engine.prompts) == 1


class Timed(EngineBase):
    """Never answers readably; keeps the time it was given for each call."""

    def __init__(self) -> None:
        super().__init__("timed", Capabilities())
        self.limits: list[float | None] = []

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        self.limits.append(timeout_s)
        return Reply("never")


def test_all_attempts_share_the_time() -> None:
    engine = Timed()
    with pytest.raises(InvalidReply):
        ask_for(engine, prompt(), Verdict, timeout_s=60.0)
    first, second, third = (limit or 0.0 for limit in engine.limits)
    assert 60.0 >= first >= second >= third > 0.0


def test_without_time_left_nothing_is_asked_again() -> None:
    engine = Timed()
    with pytest.raises(InvalidReply):
        ask_for(engine, prompt(), Verdict, timeout_s=0.0)
    assert engine.limits == [0.0]
