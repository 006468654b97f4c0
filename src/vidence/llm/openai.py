"""Servers with OpenAI's chat completions: OpenAI, Gemini, DashScope, vLLM, Ollama, llama.cpp."""

from __future__ import annotations

import base64
from typing import Any

from vidence.llm.model import Draft, sendable
from vidence.llm.options import EngineRequest
from vidence.llm.remote import RemoteEngine, build_remote
from vidence.prompts import Prompt
from vidence.schema.message import Message, Usage

__all__ = ["OpenAiEngine", "build"]


class OpenAiEngine(RemoteEngine):
    """Asks `{base_url}/chat/completions`."""

    sdk_client = "OpenAI"
    refused_by = frozenset({"content_filter"})

    def converse(self, prompt: Prompt, draft: Draft, sdk: Any) -> None:
        """Call the server through its SDK's client and fill the draft."""
        if self.options.stream:
            answer = sdk.chat.completions.create(
                **self._body(prompt), stream=True, stream_options={"include_usage": True}
            )
            _read_stream(answer, draft)
        else:
            _read_whole(sdk.chat.completions.create(**self._body(prompt)), draft)

    def embeddings(self, model: str, texts: list[str]) -> list[list[float]]:
        """Return the vectors of texts from `{base_url}/embeddings`, in order."""
        answer = self.request(
            lambda sdk: sdk.embeddings.create(
                model=model, input=[sendable(text) or " " for text in texts], encoding_format="float"
            )
        )
        return [row.embedding for row in sorted(answer.data, key=lambda row: row.index)]

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.endpoint.model,
            "messages": [_message(message) for message in prompt.messages],
            self.endpoint.max_tokens_field: prompt.reply_tokens or self.options.max_tokens,
        }
        if self.endpoint.facts.sampling:
            own = prompt.temperature
            body["temperature"] = self.options.temperature if own is None else own
        return body | self.response_format(prompt)


def build(request: EngineRequest) -> OpenAiEngine:
    """Make the engine of a provider with this API."""
    return build_remote(request, OpenAiEngine, "openai", "resources.chat.completions")


def _message(message: Message) -> dict[str, Any]:
    if not message.pictures:
        return {"role": message.role, "content": sendable(message.text)}
    parts: list[dict[str, Any]] = [{"type": "text", "text": sendable(message.text)}]
    for picture in message.pictures:
        packed = base64.b64encode(picture.data).decode()
        parts.append({"type": "image_url", "image_url": {"url": f"data:{picture.format};base64,{packed}"}})
    return {"role": message.role, "content": parts}


def _read_stream(chunks: Any, draft: Draft) -> None:
    thoughts = False
    for chunk in chunks:
        if chunk.usage is not None:
            draft.usage = _usage(chunk.usage)
        for choice in (chunk.choices or ())[:1]:
            thought = _thought(choice.delta)
            if thought:
                draft.add(thought if thoughts else f"<think>{thought}")
                thoughts = True
            if text := (choice.delta.content or choice.delta.refusal):
                draft.add(f"</think>\n{text}" if thoughts else text)
                thoughts = False
            draft.finish = choice.finish_reason or draft.finish


def _read_whole(answer: Any, draft: Draft) -> None:
    choice = answer.choices[0]
    if thought := _thought(choice.message):
        draft.add(f"<think>{thought}</think>\n")
    draft.add(choice.message.content or choice.message.refusal or "")
    draft.finish = choice.finish_reason or "stop"
    draft.usage = _usage(answer.usage) if answer.usage is not None else None


def _thought(part: Any) -> str:
    """Return a reasoning model's thinking, which some servers send apart from the reply."""
    extra = part.model_extra or {}
    found = extra.get("reasoning_content") or extra.get("reasoning")
    return found if isinstance(found, str) else ""


def _usage(usage: Any) -> Usage:
    return Usage(input_tokens=usage.prompt_tokens or 0, output_tokens=usage.completion_tokens or 0)
