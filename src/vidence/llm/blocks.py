"""Finding JSON objects in what a model wrote, however it wrapped or broke them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import json_repair

from vidence.llm.relaxed import loads, scan_object

__all__ = ["MAX_CHARS", "Block", "json_candidates"]

MAX_CHARS = 200_000
"""Of a longer reply only the end is read: that is where the block stands."""
_REPAIRED_CHARS = 20_000
"""The last resort is not linear, so it only sees what a person could have written."""
_RESTARTS = 6
_BLOCKS = 32
"""Earlier objects than the last so many are drafts, code or noise."""
_LINE_START = re.compile(r"^[ \t]*[{｛]", re.MULTILINE)
_BRACE = re.compile(r"[{｛]")
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


@dataclass(frozen=True)
class Block:
    """One object found in a text."""

    before: str
    value: dict[str, Any]


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    closed: bool
    strict: str
    """The object as strict JSON."""


def json_candidates(text: str) -> list[Block]:
    """Return every outermost object of `text`, repaired where it was broken; the likeliest comes last."""
    text = text[-MAX_CHARS:]
    blocks = []
    for span in _spans(text)[-_BLOCKS:]:
        value = _value(span.strict, text[span.start : span.end])
        if value:
            blocks.append(Block(text[: span.start], value))
    return blocks


def _spans(text: str) -> list[_Span]:
    """Read objects one after the other; inside one that never ends, look again a bounded number of times."""
    found: list[_Span] = []
    unfinished: list[_Span] = []
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


def _read(text: str, start: int) -> _Span | None:
    try:
        _, end = _DECODER.raw_decode(text, start)
        return _Span(start, end, closed=True, strict=text[start:end])
    except (ValueError, RecursionError):
        pass
    strict = scan_object(text, start)
    if strict is None:
        return None
    return _Span(start, strict.end, strict.closed, strict.text)


def _value(strict: str, written: str) -> dict[str, Any] | None:
    try:
        value = loads(strict)
    except ValueError:
        value = _repaired(written)
    return value if isinstance(value, dict) else None


def _repaired(written: str) -> Any:
    if len(written) > _REPAIRED_CHARS:
        return None
    try:
        return json_repair.loads(written)
    except (ValueError, RecursionError, IndexError, TypeError):
        return None
