"""Prompts and engines as tests need them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from tests.llm.fault_server import FaultServer
from vidence.llm.factory import create_llm_engine
from vidence.llm.protocol import Engine
from vidence.prompts import Prompt
from vidence.schema.message import Message, Picture

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
    shown = tuple(Picture(data=JPEG) for _ in range(pictures))
    messages = (Message(role="system", text="Be brief."), Message(role="user", text=text, pictures=shown))
    return Prompt(task, messages, Asked(question=text), response)


def engine_at(server: FaultServer, provider: str, **options: Any) -> Engine:
    """Return a provider's engine that talks to the loopback server."""
    paths = {"openai": "/v1", "gemini": "/v1beta/openai/", "anthropic": ""}
    base_url = server.url + paths.get(provider, "/v1")
    return create_llm_engine(
        f"{provider}:some-model",
        **{"base_url": base_url, "api_key_env": KEY_ENV, "timeout_s": PATIENCE_S, **options},
    )
