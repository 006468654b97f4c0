"""What things there are: which kind a question asks for, and what belongs to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from vidence.language.question.form import QuestionForm
from vidence.language.tables import read_table

__all__ = ["Asked", "Named", "asked_kind", "chinese_name", "members"]


@dataclass(frozen=True)
class Named:
    """A thing by its names, and how common it is among its kind."""

    name: str
    chinese: str
    prior: float


@dataclass(frozen=True)
class Asked:
    """The kind of thing a question is after, and how it says so."""

    kind: str
    how: str
    """`named` for "what animal", `relation` for "what is poured from", `open` when it says nothing."""


def asked_kind(form: QuestionForm) -> Asked:
    """Return which kind of thing is asked for."""
    text = form.text.lower()
    named = _named_kind(text)
    if named is not None and named != "thing":
        return Asked(named, "named")
    for kind, pattern in _relations():
        if pattern.search(text):
            return Asked(kind, "relation")
    return Asked(named or "thing", "open")


def members(kind: str) -> tuple[Named, ...]:
    """Return the things of a kind, the commonest first."""
    return _kinds().get(kind, ())


@lru_cache(maxsize=1)
def _names() -> dict[str, str]:
    return {one.name.lower(): one.chinese for each in _kinds().values() for one in each}


def chinese_name(name: str) -> str:
    """Return the Chinese name of a thing, the English one where it is not known."""
    return _names().get(name.lower(), name)


def _named_kind(text: str) -> str | None:
    """Return the kind named right after "what" or "which": what animal, which kind of vehicle."""
    match = re.search(
        r"\b(?:what|which)(?:'s| is| are)?(?: the)?(?: kind| type| sort| species| breed| piece| make)?s?"
        r"(?: of)?(?: an?)?"
        r"((?: [\w-]+){1,4})",
        text,
    )
    if match:
        words = match[1].split()
        for length in (3, 2, 1):
            for start in range(min(2, len(words))):
                phrase = " ".join(words[start : start + length])
                if len(phrase.split()) == length and phrase in _words():
                    return _words()[phrase]
                if phrase.removesuffix("s") in _words():
                    return _words()[phrase.removesuffix("s")]
    match = re.search(r"(?:什么|哪种|哪一种|哪类|何种)(?:样的|种类的|类型的)?([\u4e00-\u9fff]{1,4})", text)
    if match:
        for length in (4, 3, 2, 1):
            if match[1][:length] in _words():
                return _words()[match[1][:length]]
    return None


@lru_cache(maxsize=1)
def _words() -> dict[str, str]:
    return {
        word: kind for kind, words in read_table("kind_words.tsv", "embedded") for word in words.split(",")
    }


@lru_cache(maxsize=1)
def _relations() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (kind, re.compile(pattern, re.IGNORECASE))
        for kind, pattern in read_table("relations.tsv", "embedded")
    )


@lru_cache(maxsize=1)
def _kinds() -> dict[str, tuple[Named, ...]]:
    return {kind: tuple(_members(things)) for kind, things in read_table("kinds.tsv", "embedded")}


def _members(things: str) -> Iterator[Named]:
    for place, thing in enumerate(things.split(",")):
        name, _, chinese = thing.partition(":")
        yield Named(name, chinese, 1.0 / (1.0 + 0.12 * place))
