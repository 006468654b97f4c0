"""What vidence itself says to a person, in both languages."""

from __future__ import annotations

import re

from vidence.language.tables import read_table
from vidence.schema.agent import AnswerLanguage

__all__ = ["phrase"]

_PHRASES = {name: (english, chinese) for name, english, chinese in read_table("phrases.tsv")}
_PLACE = re.compile(r"\{(\w+)\}")


def phrase(name: str, language: AnswerLanguage, value: object = "", **more: object) -> str:
    """Return the phrase in a language, with its values put in where it names them."""
    english, chinese = _PHRASES[name]
    values = {"value": value, **more}
    return _PLACE.sub(lambda place: str(values[place[1]]), chinese if language == "zh" else english)
