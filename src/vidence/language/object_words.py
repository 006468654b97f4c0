"""The words of a query for objects, each with what it means: "red" is a colour, 穿 says nothing by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, cast

from vidence.language.categories import category_words
from vidence.language.colours import colour_terms
from vidence.language.tables import read_table

__all__ = ["Denied", "Token", "scan", "split_denied", "token_categories"]

_Kind = Literal[
    "category",
    "is",
    "colour",
    "position",
    "extreme",
    "size",
    "posture",
    "garment",
    "part",
    "not",
    "without",
    "link",
    "filler",
    "unknown",
]

_TOKEN = re.compile(r"[a-z0-9]+(?:[-'][a-z0-9]+)*|[^\x00-\x7f\s，。、！？；：]", re.IGNORECASE)
_MAX_PHRASE = 6
_NOUNS = ("category", "is", "garment")


@dataclass(frozen=True)
class Token:
    """A word or phrase of a query."""

    kind: _Kind
    value: str
    text: str


@dataclass(frozen=True)
class Denied:
    """What a query says a thing is not, or is without."""

    words: str
    tokens: tuple[Token, ...]
    is_beside: bool
    """It is another thing that must not be near: "without an umbrella"."""


def scan(text: str) -> list[Token]:
    """Return the longest known phrases in order; an orange is a fruit or a colour by what is around it."""
    return _settle_orange(list(_scan(text)))


def split_denied(tokens: Sequence[Token]) -> tuple[list[Token], list[Denied]]:
    """Part what a query asks for from what it denies: "not" and "without" reach to the next thing said."""
    asserted: list[Token] = []
    denied: list[Denied] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token.kind not in ("not", "without"):
            asserted.append(token)
            continue
        start = position
        inner, position, is_beside = _reach(tokens, position, is_beside=token.kind == "without")
        words = _join([token.text, *(one.text for one in tokens[start:position] if one.kind != "filler")])
        is_beside = is_beside and any(one.kind in ("category", "is") for one in inner)
        denied.append(Denied(words, tuple(inner), is_beside))
    return asserted, denied


def _reach(tokens: Sequence[Token], position: int, *, is_beside: bool) -> tuple[list[Token], int, bool]:
    """Return what follows a denial and belongs to it, where the rest begins, and if it is another thing."""
    inner: list[Token] = []
    while position < len(tokens):
        token = tokens[position]
        if token.text == "的" or (token.kind in ("category", "is") and inner and not is_beside):
            break
        if token.kind == "link" and not inner:
            is_beside = True
        elif token.kind not in ("filler", "link"):
            if inner and token.kind not in ("colour", "garment", "part", "category", "is"):
                break
            inner.append(token)
        position += 1
        if inner and token.kind not in ("colour", "filler", "link"):
            break
    return inner, position, is_beside


def token_categories(token: Token) -> frozenset[str]:
    """Return the detector's categories a noun names."""
    return frozenset().union(*(category_words()[name] for name in token.value.split("|")))


def _settle_orange(tokens: list[Token]) -> list[Token]:
    """An orange is a fruit when it is the only thing named or has an article of its own, else a colour."""
    named = any(token.kind in _NOUNS for token in tokens)
    settled = []
    for index, token in enumerate(tokens):
        before = tokens[index - 1].text if index else ""
        follows = index + 1 < len(tokens) and tokens[index + 1].kind in _NOUNS
        if token.text in ("orange", "oranges") and (not named or (before == "an" and not follows)):
            token = Token("category", "orange", token.text)
        settled.append(token)
    return settled


def _scan(text: str) -> Iterator[Token]:
    """Yield the longest known phrases in order; neighbouring unknown Chinese characters form one word."""
    words = [match.group() for match in _TOKEN.finditer(text.lower())]
    lexicon, position, unknown = _lexicon(), 0, ""
    while position < len(words):
        for length in range(min(_MAX_PHRASE, len(words) - position), 0, -1):
            phrase = _join(words[position : position + length])
            token = next((lexicon[form] for form in _forms(phrase) if form in lexicon), None)
            if token is not None:
                break
        else:
            token, length = None, 1
        if token is None and not words[position].isascii():
            unknown += words[position]
        else:
            if unknown:
                yield Token("unknown", unknown, unknown)
                unknown = ""
            yield replace(token, text=phrase) if token else Token("unknown", phrase, phrase)
        position += length
    if unknown:
        yield Token("unknown", unknown, unknown)


def _join(words: list[str]) -> str:
    return "".join(words) if all(not word.isascii() for word in words) else " ".join(words)


def _forms(phrase: str) -> tuple[str, ...]:
    return (phrase, phrase.removesuffix("s"), phrase.removesuffix("es")) if phrase.isascii() else (phrase,)


@lru_cache(maxsize=1)
def _lexicon() -> dict[str, Token]:
    known: dict[str, Token] = {}
    for word in category_words():
        known[word] = Token("category", word, word)
    for kind, value, words in read_table("query_words.tsv"):
        for word in words.split(","):
            known[word.lower()] = Token(cast("_Kind", kind), value, word)
    for word, name in colour_terms():
        known[word] = Token("colour", name, word)
    return known
