"""What a person's words are: a question, something to remember, a correction, or small talk."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vidence.language.tables import pattern_of
from vidence.language.tokens import query_terms

__all__ = ["ChatUtterance", "UtteranceKind", "is_about_the_talk", "read_utterance"]

UtteranceKind = Literal["question", "statement", "correction", "small_talk"]

_MIN_TERMS = 2
"""Fewer words than this tell nothing worth keeping."""


@dataclass(frozen=True)
class ChatUtterance:
    """One thing said."""

    kind: UtteranceKind
    text: str
    """The words that count: without "remember that" or "no, actually"."""
    is_urgent: bool = False
    """True when remembering was asked for."""


def read_utterance(text: str) -> ChatUtterance:
    """Return what kind of words these are."""
    said = text.strip()
    if _pattern("small_talk").match(said):
        return ChatUtterance("small_talk", said)
    asked = _pattern("remember").match(said)
    if asked and (not said.endswith(("?", "？")) or _pattern("that").search(said)):
        return ChatUtterance("statement", (asked["en"] or asked["zh"]).strip(" ?？"), is_urgent=True)
    if _pattern("asks").search(said):
        return ChatUtterance("question", said)
    corrected = _pattern("corrects").sub("", said, count=1)
    if corrected != said and corrected.strip():
        return ChatUtterance("correction", corrected.strip())
    if _pattern("order").match(said) or len(query_terms(said)) < _MIN_TERMS:
        return ChatUtterance("small_talk", said)
    return ChatUtterance("statement", said)


def is_about_the_talk(question: str) -> bool:
    """Say whether a question asks for what was told rather than for what a video shows."""
    return bool(_pattern("talk").search(question)) and not _pattern("seen").search(question)


def _pattern(kind: str) -> re.Pattern[str]:
    return pattern_of("utterances.tsv", kind)
