"""Reading a reply: the thinking, and the JSON block that follows it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import AliasChoices, BaseModel, RootModel, ValidationError
from pydantic_core import PydanticSerializationError

from vidence.errors import OpRetry
from vidence.llm.relaxed import StrictJson, scan_object
from vidence.schema.frozen import TextResponse

__all__ = [
    "INVALID_JSON",
    "InvalidReply",
    "JsonBlock",
    "Parsed",
    "json_candidates",
    "parse_reply",
    "without_thinking",
]

INVALID_JSON = "System Error: Invalid JSON format, please output strictly valid JSON."
"""Sent to a model, word for word, when its reply cannot be used."""

_THINK_END = re.compile(r"</\s*(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_THINK_TAG = re.compile(r"</?\s*(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\s*\Z")
_MAX_CHARS = 200_000
"""Of a longer reply only the end is read: the block stands there."""
_RESTARTS = 6
_MAX_BLOCKS = 32
"""Only the last so many objects are read; earlier ones are drafts, code or noise."""
_LINE_START = re.compile(r"^[ \t]*[{｛]", re.MULTILINE)
_BRACE = re.compile(r"[{｛]")
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)

Model = TypeVar("Model", bound=BaseModel)


class InvalidReply(OpRetry):
    """A reply holds no JSON block of the wanted form; `reason` tells the first problem."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.reply = ""
        """The text of the reply, where it is known."""
        super().__init__(f"{INVALID_JSON} ({reason})" if reason else INVALID_JSON)


@dataclass(frozen=True)
class JsonBlock:
    """A JSON object found in a text, and the text before it."""

    before: str
    value: dict[str, Any]


@dataclass(frozen=True)
class Parsed(Generic[Model]):
    """A reply split into thinking and object."""

    thinking: str
    value: Model


def parse_reply(text: str, response: type[Model]) -> Parsed[Model]:
    """Return the last block of `text` that is a valid `response`, and the thinking before it.

    A `TextResponse` reads the whole text itself.
    """
    if issubclass(response, TextResponse):
        try:
            return Parsed("", response.from_text(_readable(text)))
        except ValueError as exc:
            raise InvalidReply(str(exc).partition("\n")[0]) from exc
    reason = ""
    for block in _blocks(_readable(text)):
        for value in _readings(block.value, response):
            try:
                found = response.model_validate(value)
                # Fails on an escaped unpaired surrogate, which no file or terminal can take.
                found.model_dump_json()
                return Parsed(_thinking(block.before), found)
            except PydanticSerializationError:
                reason = reason or "it holds half a character"
            except ValidationError as exc:
                reason = reason or _first(exc)
            except RecursionError:
                reason = reason or "nested too deeply"
    raise InvalidReply(reason or "no JSON object in the reply")


def without_thinking(text: str) -> str:
    """Return what a reply says after its thinking, where it marks that."""
    ends = [found.end() for found in _THINK_END.finditer(text)]
    return _THINK_TAG.sub("", text[ends[-1] :] if ends else text)


def _blocks(text: str) -> Iterator[JsonBlock]:
    """Yield the likeliest block first: those after the thinking, then any."""
    ends = [found.end() for found in _THINK_END.finditer(text)]
    if ends:
        thought = text[: ends[-1]]
        for block in reversed(json_candidates(text[ends[-1] :])):
            yield JsonBlock(thought + block.before, block.value)
    yield from reversed(json_candidates(text))


def _readings(value: dict[str, Any], response: type[BaseModel]) -> Iterator[dict[str, Any]]:
    """Yield the object, and the one inside when it only wraps another, as in {"response": {…}}."""
    known = _names(response)
    if not known or known & value.keys():
        yield value
    elif len(value) == 1:
        inner = next(iter(value.values()))
        if isinstance(inner, dict) and known & inner.keys():
            yield inner


def _names(response: type[BaseModel]) -> set[str]:
    if issubclass(response, RootModel):
        return set()
    names: set[str] = set()
    for name, field in response.model_fields.items():
        names |= {name, field.alias or name}
        alias = field.validation_alias
        choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
        names |= {choice for choice in choices if isinstance(choice, str)}
    return names


def _readable(text: str) -> str:
    """Replace unpaired surrogates, and unpack a reply that is one JSON string."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    if text.lstrip().startswith('"'):
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return inner.encode("utf-8", "replace").decode("utf-8") if isinstance(inner, str) else text
    return text


def _thinking(before: str) -> str:
    return _FENCE.sub("", _THINK_TAG.sub("", before).rstrip()).strip().removesuffix("[").rstrip()


def _first(exc: ValidationError) -> str:
    first = exc.errors(include_url=False, include_context=False)[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'the object'}: {first['msg']}"


def json_candidates(text: str) -> list[JsonBlock]:
    """Return every outermost object of `text`, repaired where it was broken; the likeliest comes last."""
    text = text[-_MAX_CHARS:]
    blocks = []
    for span in _spans(text)[-_MAX_BLOCKS:]:
        try:
            value = _DECODER.decode(span.text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and value:
            blocks.append(JsonBlock(text[: span.start], value))
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
