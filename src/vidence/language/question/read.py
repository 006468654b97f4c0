"""The one reader of questions: every part of a question is worked out when it is first asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache

from vidence.language.dates import DateSpan, find_dates
from vidence.language.identify import question_language
from vidence.language.question.expect import Expected, expected_of
from vidence.language.question.form import QuestionForm
from vidence.language.question.readable import is_readable
from vidence.language.question.search import SearchQuery, read_search
from vidence.language.question.state import StateQuestion, read_state
from vidence.language.question.understand import read_form
from vidence.language.question.utterance import ChatUtterance, is_about_the_talk, read_utterance
from vidence.language.quotations import quotations
from vidence.language.tokens import query_terms, term_id
from vidence.schema.agent import AnswerLanguage

__all__ = ["Cues", "Question", "read_question"]

_FRESH = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|recently|lately|currently|these days)\b|最近|最新|目前|现在",
    re.IGNORECASE,
)
_LONGEST = 20_000
_LONGEST_QUOTED = 200
_MAX_TERMS = 256
"""A question longer than this is a document; its first terms say what it is about."""


@dataclass(frozen=True)
class Cues:
    """What a question says to memory beside its words: whom it asks about, when, what exactly, how fresh."""

    terms: tuple[int, ...]
    speakers: tuple[str, ...]
    dates: tuple[DateSpan, ...]
    exact: tuple[str, ...]
    fresh: bool


@dataclass(frozen=True)
class Question:
    """A question, or whatever else a person writes, with its parts read lazily."""

    text: str

    @cached_property
    def language(self) -> AnswerLanguage:
        """The language it is asked in and answered in."""
        return question_language(self.text)

    @cached_property
    def form(self) -> QuestionForm:
        """What is asked, about what, and when."""
        return read_form(self.text, self.language)

    @cached_property
    def expected(self) -> Expected:
        """The type of answer it asks for."""
        return expected_of(self.form)

    @cached_property
    def is_readable(self) -> bool:
        """Whether it holds words that people ask with; a row of random letters holds none."""
        return is_readable(self.text) or self.form.kind != "what"

    @cached_property
    def search(self) -> SearchQuery:
        """What to search a video for."""
        return read_search(self.text)

    @cached_property
    def state(self) -> StateQuestion:
        """Which aspect of an entity is asked for."""
        return read_state(self.text, self.language)

    @cached_property
    def utterance(self) -> ChatUtterance:
        """What kind of words these are in a conversation."""
        return read_utterance(self.text)

    @property
    def is_about_the_talk(self) -> bool:
        """Whether it asks for what was told rather than for what a video shows."""
        return is_about_the_talk(self.text)

    def cues(self, *, speakers: Mapping[str, str], today: date) -> Cues:
        """Return what it says to memory; `speakers` leads from the terms of names to people."""
        asked = self.text[:_LONGEST]
        found = query_terms(asked)
        kept = [term for term in found if term not in speakers] or found
        return Cues(
            terms=tuple(term_id(term) for term in kept[:_MAX_TERMS]),
            speakers=tuple(dict.fromkeys(speakers[term] for term in found if term in speakers)),
            dates=tuple(find_dates(asked, today=today)),
            exact=tuple(part.lower() for part in quotations(asked) if len(part) <= _LONGEST_QUOTED),
            fresh=_FRESH.search(asked) is not None,
        )


@lru_cache(maxsize=256)
def read_question(text: str) -> Question:
    """Return the question in a text; reading never fails."""
    return Question(text)
