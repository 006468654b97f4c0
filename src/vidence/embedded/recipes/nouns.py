"""Putting numbers of things into words."""

from __future__ import annotations

from vidence.embedded.recipes.wording import pick, seconds
from vidence.index.narrate.naming import plural
from vidence.language.identify import has_han
from vidence.language.question.english_words import has_one_form, singular
from vidence.language.question.form import Target
from vidence.language.tables import read_table
from vidence.schema.agent import AnswerLanguage

__all__ = ["counted", "in_picture"]


def counted(value: int, target: Target, language: AnswerLanguage) -> str:
    """Return "3 bottles" or "3 个瓶子"."""
    if language == "zh":
        return f"{value} {_measure(target)}{target.head}"
    return f"{value} {target.head if value == 1 else _several(target.head)}"


def _several(noun: str) -> str:
    """Return a noun for several; one that is a plural already, or a Chinese one as in "the 猫", stays."""
    stays = has_han(noun) or has_one_form(noun) or singular(noun) != noun
    return noun if stays else plural(noun)


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
