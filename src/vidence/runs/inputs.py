"""The question and the options a run is given, checked; and which option an answer means."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from vidence.errors import UserError
from vidence.language.identify import question_language
from vidence.schema.agent import AnswerLanguage, AnswerPayload, MemoryUnit

__all__ = ["UnitLike", "check_options", "check_question", "check_units", "checked_input", "chosen_option"]

UnitLike = MemoryUnit | Mapping[str, Any]
"""A frame in words: a MemoryUnit, or a dict with its fields `frame_id` and `caption`."""

_MAX_QUESTION = 10_000
_MAX_OPTIONS = 26
_UNIT = '{"frame_id": 3, "caption": "a dog runs"}'
_LETTER = re.compile(
    r"^\W*(?:option|answer|choice|选项?|答案)?\W*(?:是|为|is)?\W*([a-z]|\d{1,2})\W*$", re.IGNORECASE
)
_LED = re.compile(
    r"^\W*(?:option|choice|选项?)?\s*([a-z]|\d{1,2})\s*[).:：、,，]\s*(.+)$", re.IGNORECASE | re.DOTALL
)


def checked_input(
    question: str, options: Sequence[str] = (), language: AnswerLanguage | None = None
) -> dict[str, Any]:
    """Return the question, its language and its options as a run is given them, or say what is wrong."""
    asked = check_question(question)
    return {
        "question": asked,
        "language": language or question_language(asked),
        "options": check_options(options),
    }


def check_units(units: Iterable[UnitLike], *, what: str = "initial_memory") -> list[MemoryUnit]:
    """Return frames given as units or as dicts, or say which one of `what` is wrong."""
    if isinstance(units, str | bytes | Mapping) or not isinstance(units, Iterable):
        raise UserError(f"{what} is {type(units).__name__}; give a list of frames, each {_UNIT}.")
    return [_unit(unit, f"{what}[{place}]") for place, unit in enumerate(units)]


def _unit(unit: UnitLike, what: str) -> MemoryUnit:
    if isinstance(unit, MemoryUnit):
        return unit
    if not isinstance(unit, Mapping):
        raise UserError(f"{what} is {type(unit).__name__}; each frame must be {_UNIT}.")
    try:
        return MemoryUnit.model_validate(dict(unit))
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{what}, {field}: {first['msg']}. Each frame must be {_UNIT}.") from exc


def check_question(question: str) -> str:
    """Return the question without surrounding blanks, or say what is wrong with it."""
    if not isinstance(question, str):
        raise UserError(f"The question is {type(question).__name__}; it must be text.")
    # Bytes of a command line that are no UTF-8 come in as lone surrogates, which no file takes.
    asked = question.strip().encode(errors="replace").decode()
    if not any(character.isalnum() for character in asked):
        raise UserError("The question is empty. Ask something, such as: How many people are there?")
    if len(asked) > _MAX_QUESTION:
        raise UserError(
            f"The question has {len(asked)} characters; at most {_MAX_QUESTION} are taken. Ask more briefly."
        )
    return asked


def check_options(options: Sequence[str]) -> tuple[str, ...]:
    """Return the options, or say what is wrong with them."""
    kept = tuple(option.strip() for option in options)
    if not kept:
        return ()
    if len(kept) == 1:
        raise UserError(f"There is only one option, {kept[0]!r}. Give at least two, or none at all.")
    if len(kept) > _MAX_OPTIONS:
        raise UserError(f"{len(kept)} options are too many; give at most {_MAX_OPTIONS}.")
    if not all(kept):
        raise UserError(f"Option {kept.index('') + 1} is empty. Write every option out.")
    plain = [_plain(option) for option in kept]
    for index, option in enumerate(plain):
        if option in plain[:index]:
            raise UserError(f"The option {kept[index]!r} is given twice. Each must be different.")
    return kept


def chosen_option(answer: AnswerPayload, options: Sequence[str]) -> int | None:
    """Return the index of the option that an answer chooses; None when that cannot be told."""
    if answer.option is not None and 0 <= answer.option < len(options):
        return answer.option
    text = answer.final_answer
    plain = [_plain(option) for option in options]
    if _plain(text) in plain:
        return plain.index(_plain(text))
    led = _LED.match(text)
    if led and _plain(led[2]) in plain:
        return plain.index(_plain(led[2]))
    letter = _LETTER.match(text) or led
    if letter:
        index = int(letter[1]) if letter[1].isdigit() else ord(letter[1].lower()) - ord("a")
        return index if 0 <= index < len(options) else None
    held = [index for index, option in enumerate(plain) if option and option in _plain(text)]
    return held[0] if len(held) == 1 else None


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum()) or folded.strip()
