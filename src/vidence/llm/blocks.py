"""Finding the JSON objects in a model's reply, also where they are wrapped in prose or broken."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from vidence.llm.relaxed import StrictJson, loads, scan_object

__all__ = ["MAX_CHARS", "Block", "json_candidates"]

MAX_CHARS = 200_000
"""Of a longer reply only the end is read: the block stands there."""
_RESTARTS = 6
_BLOCKS = 32
"""Only the last so many objects are read; earlier ones are drafts, code or noise."""
_LINE_START = re.compile(r"^[ \t]*[{｛]", re.MULTILINE)
_BRACE = re.compile(r"[{｛]")
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


@dataclass(frozen=True)
class Block:
    """One object found in a text."""

    before: str
    value: dict[str, Any]


def json_candidates(text: str) -> list[Block]:
    """Return every outermost object of `text`, repaired where it was broken; the likeliest comes last."""
    text = text[-MAX_CHARS:]
    blocks = []
    for span in _spans(text)[-_BLOCKS:]:
        try:
            value = loads(span.text)
        except ValueError:
            continue
        if isinstance(value, dict) and value:
            blocks.append(Block(text[: span.start], value))
    return blocks


def _spans(text: str) -> list[StrictJson]:
    """Read objects one after the other; inside one that never ends, look again a bounded number of times."""
    found: list[StrictJson] = []
    unfinished: list[StrictJson] = []
    position, failures = 0, 0
    while brace := _BRACE.search(text, position):
        span = _read(text, brace.start())
        if span is not None and span.closed:
            found.append(span)
            position = span.end
            continue
        if span is not None:
            unfinished.append(span)
        failures += 1
        position = _restart(text, brace.end(), failures)
    return found + unfinished[::-1]


def _restart(text: str, position: int, tries: int) -> int:
    """Return where to look after an object that never ended: soon after it, later only at line starts."""
    if tries < _RESTARTS:
        return position
    if tries >= 2 * _RESTARTS:
        return len(text)
    starts = [found.start() for found in _LINE_START.finditer(text, position)]
    return starts[max(len(starts) - (2 * _RESTARTS - tries), 0)] if starts else len(text)


def _read(text: str, start: int) -> StrictJson | None:
    try:
        _, end = _DECODER.raw_decode(text, start)
        return StrictJson(text[start:end], start, end, closed=True)
    except (ValueError, RecursionError):
        return scan_object(text, start)
