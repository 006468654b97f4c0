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
_HEAD_TEXT = '{"thinking":"'
_HEAD_CHARS = 64
_BETWEEN = re.compile(r'\s*,\s*"reply"\s*:\s*')
_CHUNK = re.compile(r'[^"\\]+')
_State = Literal["head", "thinking", "between", "reply", "plain"]


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
        self._state: _State = "head"
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take in a piece and return the text that is certain by now."""
        self._held += piece
        out = ""
        while (said := self._step()) is not None:
            out += said
        return out

    def close(self) -> str:
        """Return the text that was still held back."""
        held, self._held = self._held, ""
        if self._state == "reply":
            return held.rstrip().removesuffix("}").rstrip() + "\n```"
        return held if self._state in ("head", "plain") else ""

    def _step(self) -> str | None:
        """Return the next certain text; None when more must arrive first."""
        held = self._held
        match self._state:
            case "head":
                if found := _HEAD.match(held):
                    return self._take(found.end(), "thinking", "")
                may_be_head = _HEAD_TEXT.startswith(re.sub(r"\s+", "", held))
                return None if may_be_head and len(held) <= _HEAD_CHARS else self._take(0, "plain", "")
            case "thinking":
                return self._thought()
            case "between":
                found = _BETWEEN.match(held)
                return self._take(found.end(), "reply", "") if found else None
            case "reply":
                # The last brace seen may be the wrapper's own, so it is held back.
                cut = held.rfind("}") if "}" in held else len(held)
                return self._take(cut, "reply", held[:cut]) if cut else None
            case "plain":
                return self._take(len(held), "plain", held) if held else None

    def _thought(self) -> str | None:
        held = self._held
        if plain := _CHUNK.match(held):
            return self._take(plain.end(), "thinking", plain.group())
        if held.startswith('"'):
            return self._take(1, "between", "\n\n```json\n")
        size = 6 if held[1:2] == "u" else 2
        # Half of a surrogate pair means nothing alone, so wait for the other.
        if size == 6 and held[2:4].lower() in ("d8", "d9", "da", "db"):
            size = 12
        if len(held) < size:
            return None
        try:
            said = str(json.loads(f'"{held[:size]}"')).encode("utf-8", "replace").decode()
        except ValueError:
            said = held[:size]
        return self._take(size, "thinking", said)

    def _take(self, size: int, state: _State, said: str) -> str:
        self._held, self._state = self._held[size:], state
        return said
