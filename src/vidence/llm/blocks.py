"""Finding JSON objects in what a model wrote, however it wrapped or broke them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import json_repair

__all__ = ["Block", "json_candidates"]


@dataclass(frozen=True)
class Block:
    """One object found in a text."""

    before: str
    value: dict[str, Any]


def json_candidates(text: str) -> list[Block]:
    """Return every outermost object of `text`, in order, repaired where it was broken."""
    found = []
    for start, end in _spans(text):
        value = json_repair.loads(text[start:end])
        if isinstance(value, dict) and value:
            found.append(Block(text[:start], value))
    return found


def _spans(text: str) -> list[tuple[int, int]]:
    spans, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character == "{":
            start = start if depth else position
            depth += 1
        elif character == "}" and depth:
            depth -= 1
            if not depth:
                spans.append((start, position + 1))
    if depth:
        spans.append((start, len(text)))
    return spans
