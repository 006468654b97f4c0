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
from vidence.llm.blocks import Block, json_candidates

__all__ = ["INVALID_JSON", "InvalidReply", "Parsed", "parse_reply"]

INVALID_JSON = "System Error: Invalid JSON format, please output strictly valid JSON."
"""What a model is told, to the letter, when its reply cannot be used."""

_THINK_END = re.compile(r"</\s*(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_THINK_TAG = re.compile(r"</?\s*(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\s*\Z")

Model = TypeVar("Model", bound=BaseModel)


class InvalidReply(OpRetry):
    """A reply holds no JSON block of the wanted form; `reason` says what was nearest."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.reply = ""
        """The whole reply, where it is known."""
        super().__init__(f"{INVALID_JSON} ({reason})" if reason else INVALID_JSON)

    @property
    def wire_message(self) -> str:
        """What goes back to the model: the protocol's words and nothing else."""
        return INVALID_JSON


@dataclass(frozen=True)
class Parsed(Generic[Model]):
    """A reply taken apart."""

    thinking: str
    value: Model


def parse_reply(text: str, response: type[Model]) -> Parsed[Model]:
    """Return the last block of `text` that is a valid `response`, and what was thought before it."""
    reason = ""
    for block in _blocks(_readable(text)):
        for value in _readings(block.value, response):
            try:
                found = response.model_validate(value)
                # Escapes that are half a character: no file and no terminal could take them.
                found.model_dump_json()
                return Parsed(_thinking(block.before), found)
            except PydanticSerializationError:
                reason = reason or "it holds half a character"
            except ValidationError as exc:
                reason = reason or _first(exc)
            except RecursionError:
                reason = reason or "nested too deeply"
    raise InvalidReply(reason or "no JSON object in the reply")


def _blocks(text: str) -> Iterator[Block]:
    """Yield the likeliest block first: those after the thinking, then any."""
    ends = [found.end() for found in _THINK_END.finditer(text)]
    if ends:
        thought = text[: ends[-1]]
        for block in reversed(json_candidates(text[ends[-1] :])):
            yield Block(thought + block.before, block.value)
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
    """Drop what no text may hold, and unpack a reply that is one JSON string."""
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
