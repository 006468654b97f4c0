"""Which of the given options an answer means."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from vidence.errors import UserError
from vidence.schema.agent import AnswerPayload

__all__ = ["check_options", "chosen_option"]

_MAX_OPTIONS = 26
_LETTER = re.compile(
    r"^\W*(?:option|answer|choice|选项?|答案)?\W*(?:是|为|is)?\W*([a-z]|\d{1,2})\W*$", re.IGNORECASE
)
_LED = re.compile(
    r"^\W*(?:option|choice|选项?)?\s*([a-z]|\d{1,2})\s*[).:：、,，]\s*(.+)$", re.IGNORECASE | re.DOTALL
)


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
