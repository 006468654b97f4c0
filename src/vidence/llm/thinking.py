"""Constraining a reply to a JSON schema while the model still thinks first.

A model that must follow a schema from its first character cannot think first, and answers worse. So the
schema is wrapped: {"thinking": "…", "reply": {…}}; and the text is unwrapped, as it streams, into the form of
every reply: the thinking, then a JSON block.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from pydantic import BaseModel

__all__ = ["Unwrapper", "with_thinking"]

_HEAD = re.compile(r'\s*\{\s*"thinking"\s*:\s*"')
_HEAD_CHARS = 64
_BETWEEN = re.compile(r'\s*,\s*"reply"\s*:\s*')
_CHUNK = re.compile(r'[^"\\]+')


def with_thinking(response: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of `response`, wrapped so that thinking comes first."""
    inner = response.model_json_schema()
    shared = inner.pop("$defs", None)
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {"thinking": {"type": "string"}, "reply": inner},
        "required": ["thinking", "reply"],
        "additionalProperties": False,
    }
    return schema if shared is None else {**schema, "$defs": shared}


class Unwrapper:
    """Turns the wrapped object back into thinking and block, piece by piece; other text is unchanged."""

    def __init__(self) -> None:
        self._state: Literal["head", "thinking", "between", "reply", "plain"] = "head"
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take in a piece and return the text that is certain by now."""
        self._held += piece
        out = ""
        while True:
            before = (self._state, len(self._held))
            out += self._step()
            if (self._state, len(self._held)) == before:
                return out

    def close(self) -> str:
        """Return the text that was still held back."""
        held, self._held = self._held, ""
        if self._state == "reply":
            return held.rstrip().removesuffix("}").rstrip() + "\n```"
        return held if self._state in ("head", "plain") else ""

    def _step(self) -> str:
        match self._state:
            case "head":
                return self._head()
            case "thinking":
                return self._thinking()
            case "between":
                return self._between()
            case "reply":
                return self._reply()
            case "plain":
                return self._plain()

    def _head(self) -> str:
        found = _HEAD.match(self._held)
        if found:
            self._held, self._state = self._held[found.end() :], "thinking"
        elif len(self._held) > _HEAD_CHARS or not _could_be_head(self._held):
            self._state = "plain"
        return ""

    def _thinking(self) -> str:
        if plain := _CHUNK.match(self._held):
            self._held = self._held[plain.end() :]
            return plain.group()
        if self._held.startswith('"'):
            self._held, self._state = self._held[1:], "between"
            return "\n\n```json\n"
        return self._escaped()

    def _escaped(self) -> str:
        size = 6 if self._held[1:2] == "u" else 2
        # Half of a surrogate pair means nothing alone, so wait for the other.
        if size == 6 and self._held[2:4].lower() in ("d8", "d9", "da", "db"):
            size = 12
        if len(self._held) < size:
            return ""
        code, self._held = self._held[:size], self._held[size:]
        try:
            return str(json.loads(f'"{code}"')).encode("utf-8", "replace").decode()
        except ValueError:
            return code

    def _between(self) -> str:
        if found := _BETWEEN.match(self._held):
            self._held, self._state = self._held[found.end() :], "reply"
        return ""

    def _reply(self) -> str:
        # The last brace seen may be the wrapper's own, so it is held back.
        cut = self._held.rfind("}")
        if cut < 0:
            said, self._held = self._held, ""
        else:
            said, self._held = self._held[:cut], self._held[cut:]
        return said

    def _plain(self) -> str:
        said, self._held = self._held, ""
        return said


def _could_be_head(text: str) -> bool:
    squeezed = re.sub(r"\s+", "", text)
    return '{"thinking":"'.startswith(squeezed)
