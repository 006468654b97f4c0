"""Prompts and engines as tests need them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from tests.llm.fault_server import FaultServer
from vidence.llm.factory import create_llm_engine
from vidence.llm.protocol import Engine
from vidence.prompts import Prompt
from vidence.schema.engine import EngineCard
from vidence.schema.message import EncodedPicture, Message, Usage
from vidence.schema.trace import Failure, ModelStep, Trace, WorldCard

PATIENCE_S = 120.0
"""For what comes at once on any machine that is not busy with other things."""
KEY = "sk-very-secret-0123456789"
KEY_ENV = "VIDENCE_TEST_KEY"
JPEG = b"\xff\xd8\xff\xe0 a picture"


class Asked(BaseModel):
    """Variables of a prompt."""

    question: str = "?"


class Verdict(BaseModel):
    """What a prompt may ask for."""

    score: int
    why: str = ""


def prompt(
    text: str = "How many?",
    *,
    task: str = "simple_qa",
    pictures: int = 0,
    response: type[BaseModel] | None = None,
) -> Prompt:
    """Return a prompt with a system message and a question."""
    shown = tuple(EncodedPicture(data=JPEG) for _ in range(pictures))
    messages = (Message(role="system", text="Be brief."), Message(role="user", text=text, pictures=shown))
    return Prompt(task, messages, Asked(question=text), response)


def trace_of(*calls: tuple[Prompt, str | None], problem: str = "") -> Trace:
    """Return the trace of a run that made these calls; a call without a reply failed with `problem`."""
    failure = Failure(family="BackendError", message=problem)
    steps = tuple(
        ModelStep(
            task=asked.task,
            messages=(),
            prompt_sha256=asked.sha256,
            reply=text,
            engine="openai:m",
            usage=Usage(input_tokens=3, output_tokens=4),
            seconds=1.5,
            failure=failure if text is None else None,
        )
        for asked, text in calls
    )
    return Trace(
        vidence="0",
        started_at=0,
        loop="test",
        given={},
        engines={"solver": EngineCard(name="openai:m", sees_pictures=True, max_calls=7)},
        world=WorldCard(),
        steps=steps,
        texts={text: text for _, text in calls if text is not None},
    )


def engine_at(server: FaultServer, provider: str, **options: Any) -> Engine:
    """Return a provider's engine that talks to the loopback server."""
    paths = {"openai": "/v1", "gemini": "/v1beta/openai/", "anthropic": ""}
    base_url = server.url + paths.get(provider, "/v1")
    return create_llm_engine(
        f"{provider}:some-model",
        **{"base_url": base_url, "api_key_env": KEY_ENV, "timeout_s": PATIENCE_S, **options},
    )
