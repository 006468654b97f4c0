"""Anthropic's messages API."""

from __future__ import annotations

import base64
from itertools import groupby
from typing import Any

from vidence.llm.model import Draft, sendable
from vidence.llm.options import EngineRequest
from vidence.llm.remote import RemoteEngine, build_remote
from vidence.prompts import Prompt
from vidence.schema.message import Message, Usage

__all__ = ["AnthropicEngine", "build"]


class AnthropicEngine(RemoteEngine):
    """Asks `{base_url}/v1/messages`."""

    sdk_client = "Anthropic"
    truncated_by = frozenset({"max_tokens", "model_context_window_exceeded"})
    refused_by = frozenset({"refusal"})

    def converse(self, prompt: Prompt, draft: Draft, sdk: Any) -> None:
        """Call the server through its SDK's client and fill the draft."""
        _read(sdk.messages.create(**self._body(prompt), stream=True), draft)

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        said = [message for message in prompt.messages if message.role != "system"]
        system = "\n\n".join(sendable(one.text) for one in prompt.messages if one.role == "system")
        body: dict[str, Any] = {
            "model": self.endpoint.model,
            "max_tokens": prompt.reply_tokens or self.options.max_tokens,
            "messages": _turns(said),
        }
        if system:
            body["system"] = system
        # No temperature: the API refuses it since version 2026-10-21.
        return body


def build(request: EngineRequest) -> AnthropicEngine:
    """Make an Anthropic engine."""
    return build_remote(request, AnthropicEngine, "anthropic", "resources.messages")


def _turns(messages: list[Message]) -> list[dict[str, Any]]:
    """Return the conversation with consecutive messages of one role joined, as the API wants it."""
    turns = []
    for role, group in groupby(messages, key=lambda message: message.role):
        parts = [part for message in group for part in _parts(message)]
        turns.append({"role": role, "content": parts})
    return turns


def _parts(message: Message) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for picture in message.pictures:
        packed = base64.b64encode(picture.data).decode()
        source = {"type": "base64", "media_type": picture.format, "data": packed}
        parts.append({"type": "image", "source": source})
    # The API refuses empty texts.
    return [*parts, {"type": "text", "text": sendable(message.text) or "…"}]


def _read(events: Any, draft: Draft) -> None:
    given = said = 0
    stopped = None
    for event in events:
        if event.type == "message_start":
            given = event.message.usage.input_tokens or 0
        elif event.type == "content_block_delta" and event.delta.type == "text_delta":
            draft.add(event.delta.text)
        elif event.type == "message_delta":
            stopped = event.delta.stop_reason or stopped
            said = event.usage.output_tokens or said
        elif event.type == "message_stop":
            draft.finish = stopped or "end_turn"
            draft.usage = Usage(input_tokens=given, output_tokens=said)
