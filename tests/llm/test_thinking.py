"""Wrapped replies come out as thinking and a block, whatever the pieces they arrive in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.llm.made import Verdict
from vidence.llm.structured import parse_reply
from vidence.llm.thinking import Unwrapper, with_thinking
from vidence.schema.agent import SolverResponse


def unwrap(text: str, size: int) -> str:
    unwrapper = Unwrapper()
    said = [unwrapper.feed(text[at : at + size]) for at in range(0, len(text), size)]
    return "".join([*said, unwrapper.close()])


THOUGHT = st.text(st.characters(codec="utf-8"), max_size=60)


@given(THOUGHT, st.text(max_size=20), st.integers(1, 40), st.booleans(), st.sampled_from([None, 1]))
def test_any_thought_survives_any_cutting(
    thought: str, why: str, size: int, ascii_only: bool, indent: int | None
) -> None:
    wrapped = {"thinking": thought, "reply": {"score": 3, "why": why}}
    text = json.dumps(wrapped, ensure_ascii=ascii_only, indent=indent)
    out = unwrap(text, size)
    assert out.startswith(thought.encode("utf-8", "replace").decode())
    block = out[len(thought) :]
    assert parse_reply(block, Verdict).value == Verdict(score=3, why=why.encode("utf-8", "replace").decode())


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("text", ["Plain words.", '{"score": 3}', '{"think', "", " {", '[{"thinking": "x"}]'])
def test_other_text_passes_unchanged(text: str, size: int) -> None:
    assert unwrap(text, size) == text


def test_a_reply_cut_inside_its_thinking_is_that_thinking() -> None:
    assert unwrap('{"thinking": "I was about to say \\', 4) == "I was about to say "


def test_the_schema_keeps_its_definitions_reachable() -> None:
    schema = with_thinking(SolverResponse)
    assert "$defs" not in schema["properties"]["reply"]
    text = json.dumps(schema)
    for name in schema.get("$defs", {}):
        assert f"#/$defs/{name}" in text


def test_the_solvers_schema_gives_each_action_its_own_payload() -> None:
    variants = with_thinking(SolverResponse)["properties"]["reply"]["anyOf"]
    coupled = {
        one["properties"]["action_type"]["const"]: one["properties"]["action_payload"]["$ref"].rpartition(
            "/"
        )[2]
        for one in variants
    }
    assert coupled == {
        "retrieve_more_frames": "RetrievePayload",
        "answer_question": "AnswerPayload",
        "call_operations": "CallPayload",
    }
