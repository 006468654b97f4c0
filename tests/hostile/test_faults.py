"""A language model's server that floods, lies or never ends: every run ends with an answer or a named gap."""

from __future__ import annotations

import gzip
import json

import pytest

from tests.llm.fault_server import (
    Behaviour,
    FaultServer,
    Handler,
    break_off,
    cut,
    drip,
    drip_headers,
    error_midway,
    events,
    fail,
    garbage,
    garbage_events,
    hang,
    reset,
    reset_midway,
    say,
    wrong_schema,
)
from tests.llm.made import prompt
from vidence.agents.solver_checker.loop import run_video_agent
from vidence.errors import ErrorType, ServiceError
from vidence.llm.bounded import MAX_REPLY_BYTES
from vidence.llm.factory import create_llm_engine
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import Budget

FLOOD = 50 << 20


def flood(handler: Handler) -> None:
    """Stream 50 MB of words."""
    handler.start(200, "text/event-stream")
    (piece,) = events(handler.wire, ["x" * 100_000], None)[-1:]
    for _ in range(FLOOD // len(piece)):
        handler.send(piece)


def one_line(handler: Handler) -> None:
    """Stream 50 MB without a line break."""
    handler.start(200, "text/event-stream")
    handler.send(b"data: ")
    for _ in range(FLOOD >> 16):
        handler.send(b"x" * (1 << 16))


def big_error(handler: Handler) -> None:
    """Refuse with 50 MB of reasons."""
    handler.start(500, "application/json")
    for _ in range(FLOOD >> 16):
        handler.send(b" " * (1 << 16))


def packed(handler: Handler) -> None:
    """Answer with a few kB that unpack to 50 MB."""
    handler.start(200, "text/event-stream", Content_Encoding="gzip")
    handler.send(gzip.compress(b"data: " + b"x" * FLOOD))


DEEP_JSON = "```json\n" + '{"action_type": ' + "[" * 150_000
MANY_OBJECTS = '{"a":' * 60_000
LIES = json.dumps({"action_type": "answer_question", "action_payload": {"final_answer": "42", "claims": [
    {"text": "An elephant dances tango", "citations": [{"record_id": "frame_1"}]}]}})  # fmt: skip

FAULTS: dict[str, Behaviour] = {
    "flood": flood, "one line": one_line, "big error": big_error, "packed": packed, "hang": hang,
    "drip": drip, "drip headers": drip_headers, "break off": break_off, "cut": cut, "reset": reset,
    "reset midway": reset_midway, "garbage": garbage, "garbage events": garbage_events,
    "wrong schema": wrong_schema, "error midway": error_midway, "429": fail(429, retry_after="1"),
    "500": fail(500), "401": fail(401), "nested error": fail(400, body=[[[[]]]]),
    "deep json": say(DEEP_JSON), "many objects": say(MANY_OBJECTS), "prose": say("I think so."),
    "empty": say(""), "lies": say(LIES), "controls": say("\x1b]0;x\x07" * 500),
}  # fmt: skip


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_ends_in_a_named_gap(
    name: str, provider: str, server: FaultServer, world: CaptionWorld
) -> None:
    if provider == "anthropic":
        pytest.importorskip("anthropic")
    base = f"{server.url}/v1" if provider == "openai" else server.url
    engine = create_llm_engine(f"{provider}:m", base_url=base, timeout_s=4)
    server.script = [FAULTS[name]] * 50
    answer = run_video_agent("Which animal?", engine=engine, world=world, budget=Budget(steps=2, seconds=8))
    assert answer.status in ("failed", "cannot_tell")
    assert answer.gaps
    assert not answer.passed
    assert "42" not in answer.answer
    assert len(str(answer.gaps)) < 3_000


def test_no_more_is_read_than_an_answer_has(server: FaultServer) -> None:
    engine = create_llm_engine("openai:m", base_url=f"{server.url}/v1", timeout_s=60)
    for behaviour in (flood, one_line):
        server.script = [behaviour]
        with pytest.raises(ServiceError) as raised:
            engine.answer(prompt())
        assert raised.value.error_type == ErrorType.INVALID_REPLY
        assert "longer than" in str(raised.value)
    assert MAX_REPLY_BYTES < FLOOD
