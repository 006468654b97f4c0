"""Recorded replies are given to the prompts they belong to and to no others; scripts say their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.llm.made import Verdict, prompt, trace_of
from vidence.errors import BackendError, FileProblem
from vidence.llm.ask import ask_for
from vidence.llm.factory import create_llm_engine
from vidence.llm.replay import ReplayEngine
from vidence.llm.scripted import ScriptedEngine
from vidence.llm.structured import INVALID_JSON, InvalidReply
from vidence.prompts import Prompt
from vidence.schema.message import Message


def test_the_recorded_replies_come_back_in_order() -> None:
    engine = ReplayEngine(trace_of((prompt("a"), "1"), (prompt("b"), "2")))
    first, second = engine.answer(prompt("a")), engine.answer(prompt("b"))
    assert (first.text, second.text) == ("1", "2")
    assert (first.engine, first.seconds) == ("openai:m", 1.5)
    with pytest.raises(BackendError, match="ends after 2 calls"):
        engine.answer(prompt("c"))


def test_a_prompt_that_differs_is_refused() -> None:
    engine = ReplayEngine(trace_of((prompt("a"), "1")))
    for other in (prompt("a!"), prompt("a", pictures=1), prompt("a", task="filter")):
        with pytest.raises(BackendError, match="the prompt differs"):
            engine.answer(other)
    assert engine.answer(prompt("a")).text == "1"


def test_a_failure_is_repeated_as_one() -> None:
    engine = ReplayEngine(trace_of((prompt(), None), problem="it was down"))
    with pytest.raises(BackendError, match="it was down"):
        engine.answer(prompt())


def test_it_declares_what_the_recorded_engine_declared_but_costs_nothing() -> None:
    trace = trace_of((prompt("a"), "1"))
    recorded, replayed = trace.engines["solver"], ReplayEngine(trace).capabilities
    assert recorded.metered
    assert not replayed.metered
    assert replayed.model_copy(update={"metered": True}) == recorded


def test_the_calls_of_a_trace_can_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    asked = prompt("How many?")
    path.write_text(trace_of((asked, "Three.")).model_dump_json())
    reply = create_llm_engine(f"replay:{path}").answer(asked)
    assert (reply.text, reply.engine, reply.usage.total_tokens) == ("Three.", "openai:m", 7)


def test_what_is_no_trace_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="cannot be read"):
        create_llm_engine(f"replay:{tmp_path}/none.json")
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(FileProblem, match="not a trace"):
        create_llm_engine(f"replay:{tmp_path}/x.json")


def test_a_prompts_name_covers_roles_boundaries_and_pictures() -> None:
    def named(*messages: Message) -> str:
        return Prompt("t", messages, Verdict(score=1)).sha256

    one = Message(role="user", text="a\n\nuser: b")
    two = (Message(role="user", text="a"), Message(role="user", text="b"))
    names = {named(one), named(*two), named(two[0]), named(Message(role="assistant", text="a"))}
    assert len(names) == 4
    assert prompt(pictures=1).sha256 != prompt().sha256


def test_a_script_says_its_lines_and_keeps_the_prompts() -> None:
    engine = ScriptedEngine(["one", BackendError("two")])
    assert engine.answer(prompt("first")).text == "one"
    with pytest.raises(BackendError, match="two"):
        engine.answer(prompt("second"))
    with pytest.raises(BackendError, match="2 lines"):
        engine.answer(prompt("third"))
    assert [asked.messages[-1].text for asked in engine.prompts] == ["first", "second", "third"]


def test_a_script_may_be_a_function() -> None:
    engine = ScriptedEngine(lambda asked: asked.task.upper())
    assert engine.answer(prompt(task="filter")).text == "FILTER"


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
