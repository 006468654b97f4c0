"""What a question about an entity is after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from vidence.language.colours import find_colours
from vidence.language.objects import parse_query
from vidence.language.question.naming import is_yes_no
from vidence.language.tables import patterns_of
from vidence.schema.agent import AnswerLanguage

__all__ = ["StateAspect", "StateQuestion", "read_state"]

StateAspect = Literal[
    "holding", "looking", "colour", "posture", "near", "motion", "place", "size", "kind", "action"
]  # fmt: skip
_ORDER: tuple[StateAspect, ...] = get_args(StateAspect)
"""Where several aspects are mentioned the first of these is meant: 'what is she doing with her hands'."""


@dataclass(frozen=True)
class StateQuestion:
    """What a question about an entity is after, and the language to answer in."""

    text: str
    kind: StateAspect | None
    """None where the question is after nothing that is measured."""
    language: AnswerLanguage
    colours: tuple[str, ...] = ()
    """Colours that the question itself names."""
    postures: tuple[str, ...] = ()
    """Postures that the question itself names."""
    yes_or_no: bool = False


def read_state(text: str, language: AnswerLanguage) -> StateQuestion:
    """Return the aspect of an entity that a question asks for."""
    found = {kind for kind, pattern in patterns_of("state_words.tsv").items() if pattern.search(text)}
    # A question after something else is not answered with what happens to be measured.
    kind = None if "unmeasured" in found else next((one for one in _ORDER if one in found), None)
    colours, postures = tuple(find_colours(text)), parse_query(text).postures
    return StateQuestion(text, kind, language, colours, postures, is_yes_no(text))
