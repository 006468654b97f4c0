"""Recorded replies are given to the prompts they belong to and to no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.llm.made import prompt, trace_of
from vidence.errors import BackendError, FileProblem
from vidence.llm.factory import create_llm_engine
from vidence.llm.replay import ReplayEngine


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
