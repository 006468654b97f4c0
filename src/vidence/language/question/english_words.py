"""The little English that telling nouns from verbs in a question takes."""

from __future__ import annotations

from functools import lru_cache

from vidence.language.numbers import NUMBER_WORDS
from vidence.language.stems import IRREGULAR
from vidence.language.tables import words_of

__all__ = [
    "ADJECTIVES",
    "ADVERBS",
    "AUXILIARIES",
    "CONTAINERS",
    "DETERMINERS",
    "EMPTY_NOUNS",
    "NUMBERS",
    "PARTICLES",
    "PREPOSITIONS",
    "PRONOUNS",
    "QUESTION_WORDS",
    "base_form",
    "has_one_form",
    "is_verb_form",
    "singular",
]

_TABLE = "question_english.tsv"
DETERMINERS = words_of(_TABLE, "determiner")
PREPOSITIONS = words_of(_TABLE, "preposition")
PARTICLES = words_of(_TABLE, "particle")
AUXILIARIES = words_of(_TABLE, "auxiliary")
PRONOUNS = words_of(_TABLE, "pronoun")
QUESTION_WORDS = words_of(_TABLE, "asking")
ADJECTIVES = words_of(_TABLE, "adjective")
ADVERBS = words_of(_TABLE, "adverb")
EMPTY_NOUNS = words_of(_TABLE, "empty")
"""Nouns that say where to look rather than what for."""
CONTAINERS = words_of(_TABLE, "of")
"""Nouns after which the thing itself comes: a pair of shoes."""
NUMBERS = {**NUMBER_WORDS, "both": 2, "pair": 2, "couple": 2}

_BASES = words_of(_TABLE, "verb")
_NOT_VERBS = words_of(_TABLE, "not_verb")
_SINGULARS = words_of(_TABLE, "singular")
_PLURALS = dict(pair.split(":") for pair in words_of(_TABLE, "plural"))


def singular(word: str) -> str:
    """Return the singular of a noun."""
    if word in _PLURALS:
        return _PLURALS[word]
    if word in _SINGULARS or not word.endswith("s") or word.endswith(("ss", "us", "is")) or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")) and word not in ("shoes", "toes"):
        return word[:-2]
    return word[:-1]


def has_one_form(word: str) -> bool:
    """Whether a noun is the same for one and for several: trousers, sheep."""
    return _PLURALS.get(word) == word


@lru_cache(maxsize=4096)
def base_form(word: str) -> str | None:
    """Return the base of a verb's form, None where the word is no verb we know."""
    if word in _BASES:
        return word
    if word in IRREGULAR and IRREGULAR[word] in _BASES:
        return IRREGULAR[word]
    for ending, others in (("ing", ("", "e")), ("ied", ("y",)), ("ed", ("", "e")), ("ies", ("y",)),
                           ("es", ("", "e")), ("s", ("",)), ("d", ("",))):  # fmt: skip
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            stem = word[: -len(ending)]
            for other in others:
                if stem + other in _BASES:
                    return stem + other
            if len(stem) > 2 and stem[-1] == stem[-2] and stem[:-1] in _BASES:
                return stem[:-1]
    return None


def is_verb_form(word: str) -> bool:
    """Whether a word is a known verb or is shaped like a participle."""
    return base_form(word) is not None or (
        len(word) > 5 and word.endswith(("ing", "ed")) and word not in _NOT_VERBS
    )
