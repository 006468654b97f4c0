"""What vidence itself says to a person, in both languages."""

from __future__ import annotations

from vidence.language.tables import read_table
from vidence.schema.agent import AnswerLanguage

__all__ = ["phrase"]

_PHRASES = {name: (english, chinese) for name, english, chinese in read_table("phrases.tsv")}


def phrase(name: str, language: AnswerLanguage, value: object = "") -> str:
    """Return the phrase in a language, with its value put in."""
    english, chinese = _PHRASES[name]
    return (chinese if language == "zh" else english).replace("{value}", str(value))
