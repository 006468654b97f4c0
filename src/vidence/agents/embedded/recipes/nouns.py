"""Putting numbers of things into words."""

from __future__ import annotations

from vidence.agents.embedded.question.english_words import singular
from vidence.agents.embedded.question.form import Target
from vidence.agents.embedded.recipes.wording import pick, seconds
from vidence.index.tables import read_table
from vidence.schema.agent import AnswerLanguage
from vidence.schema.language import has_han

__all__ = ["counted", "in_picture", "plural"]

_IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "goose": "geese", "knife": "knives", "leaf": "leaves", "wolf": "wolves",
    "shelf": "shelves", "sheep": "sheep", "deer": "deer", "fish": "fish",
}  # fmt: skip


def plural(noun: str) -> str:
    """Return the plural of an English noun; a Chinese one, as in "the 猫", has none."""
    if has_han(noun):
        return noun
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if singular(noun) != noun:
        return noun
    if noun.endswith(("s", "x", "ch", "sh", "z")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def counted(value: int, target: Target, language: AnswerLanguage) -> str:
    """Return "3 bottles" or "3 个瓶子"."""
    if language == "zh":
        return f"{value} {_measure(target)}{target.head}"
    return f"{value} {target.head if value == 1 else plural(target.head)}"


def in_picture(value: int, target: Target, time_s: float, language: AnswerLanguage) -> str:
    """Say how many are seen at a time."""
    things = counted(value, target, language)
    verb = "is" if value == 1 else "are"
    return pick(
        language,
        f"At {seconds(time_s, 'en')} {things} {verb} in the picture.",
        f"{seconds(time_s, 'zh')}时画面中有 {things}。",
    )


def _measure(target: Target) -> str:
    for row in read_table("things.tsv"):
        if row[0] == target.category:
            return row[4]
    return "个"
