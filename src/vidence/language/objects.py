"""Parsing object phrases: "person wearing red", "穿红衣服的人", "red car on the left"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, cast

from vidence.language.categories import category_words
from vidence.language.colours import colour_terms
from vidence.language.forms import lookup_forms
from vidence.language.tables import read_table

__all__ = ["Garment", "ObjectQuery", "Part", "english_query", "parse_query", "resolve_asked"]

Garment = Literal["upper", "lower", "any"]
_Kind = Literal[
    "category", "is", "colour", "position", "extreme", "size", "posture", "trait", "garment", "part", "not",
    "without", "link", "filler", "unknown",
]  # fmt: skip

_TOKEN = re.compile(r"[a-z0-9]+(?:[-'][a-z0-9]+)*|[^\x00-\x7f\s，。、！？；：]", re.IGNORECASE)
_MAX_PHRASE = 6
_NOUNS = ("category", "is", "garment")


@dataclass(frozen=True)
class _Token:
    """A word or phrase of a query."""

    kind: _Kind
    value: str
    text: str


@dataclass(frozen=True)
class _Denied:
    """A negated part of a query: what a thing is not, or is without."""

    words: str
    tokens: tuple[_Token, ...]
    is_beside: bool
    """True when another thing must not be near: "without an umbrella"."""


@dataclass(frozen=True)
class Part:
    """A kind of thing and the colours asked of it."""

    categories: frozenset[str]
    colours: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class ObjectQuery:
    """A query parsed into what can be checked and what cannot."""

    text: str
    head: Part | None = None
    """The thing to find; None when no word names a category of the detector."""
    companions: tuple[Part, ...] = ()
    """Things that must be near it."""
    garments: tuple[tuple[Garment, tuple[str, ...]], ...] = ()
    positions: tuple[str, ...] = ()
    extremes: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    postures: tuple[str, ...] = ()
    tops: tuple[str, ...] = ()
    """Colours of its cap or lid."""
    traits: tuple[tuple[str, str], ...] = ()
    """What a person wears, as attribute and value: ("headwear", "hat or helmet")."""
    denied: tuple[ObjectQuery, ...] = ()
    """Conditions that must be false."""
    unchecked: tuple[str, ...] = ()
    """Words that no available model can check."""

    @property
    def asks_worn(self) -> bool:
        """Tell whether it asks for something that only a look at a person's clothes can check."""
        return bool(self.traits) or any(clause.traits for clause in self.denied)


@dataclass
class _Reading:
    nouns: list[Part] = field(default_factory=list)
    garments: list[tuple[Garment, tuple[str, ...]]] = field(default_factory=list)
    tops: list[str] = field(default_factory=list)
    top_words: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    head_at: int = 0
    others: dict[str, list[str]] = field(default_factory=dict)


def resolve_asked(text: str) -> frozenset[str] | None:
    """Return the detector's categories for one word or phrase; None when it names none."""
    tokens = [token for token in _tokens(text) if token.kind != "filler"]
    if len(tokens) == 1 and tokens[0].kind in ("category", "is"):
        return _token_categories(tokens[0])
    return None


def parse_query(text: str) -> ObjectQuery:
    """Parse a query; the word order decides which colour belongs to which thing."""
    asserted, clauses = _split_denied(_tokens(text))
    query = _query(text, _read(asserted))
    if query.head is None:
        return query
    denied = [_deny(query.head, clause) for clause in clauses]
    untold = [clause.words for clause, inner in zip(clauses, denied, strict=True) if inner is None]
    return replace(
        query,
        denied=tuple(inner for inner in denied if inner is not None),
        unchecked=tuple(dict.fromkeys([*query.unchecked, *untold])),
    )


def english_query(query: ObjectQuery) -> str | None:
    """Return a query in English, for models that read only English; None where that is not possible."""
    head = query.head
    unsaid = (
        query.unchecked, query.companions, query.positions, query.extremes, query.tops, query.denied,
        query.traits,
    )  # fmt: skip
    if head is None or len(head.categories) != 1 or any(unsaid):
        return None
    worn = " and ".join(colour for _, colours in query.garments for colour in colours)
    plain = " ".join([*query.postures[:1], *query.sizes[:1], *head.colours, *head.categories])
    return f"{plain} wearing {worn}" if worn else plain


def _query(text: str, reading: _Reading) -> ObjectQuery:
    head = reading.nouns[min(reading.head_at, len(reading.nouns) - 1)] if reading.nouns else None
    if head is None and any(colours for _, colours in reading.garments):
        # Clothes imply a person.
        head = Part(frozenset({"person"}))
    if head is not None and reading.pending:
        head = replace(head, colours=(*head.colours, *reading.pending))
    tops, unchecked = reading.tops, reading.unchecked
    if head is not None and head.categories == {"person"}:
        # A cap on a person is too small to measure.
        tops, unchecked = [], [*unchecked, *reading.top_words]
    rest = [noun for index, noun in enumerate(reading.nouns) if index != reading.head_at]
    return ObjectQuery(
        text=text,
        head=head,
        companions=tuple(rest),
        garments=tuple((part, colours) for part, colours in reading.garments if colours),
        positions=tuple(reading.others.get("position", ())),
        extremes=tuple(reading.others.get("extreme", ())),
        sizes=tuple(reading.others.get("size", ())),
        postures=tuple(reading.others.get("posture", ())),
        tops=tuple(tops),
        traits=tuple(_trait(value) for value in reading.others.get("trait", ())),
        unchecked=tuple(dict.fromkeys(unchecked)),
    )


def _trait(value: str) -> tuple[str, str]:
    name, _, worn = value.partition("=")
    return name, worn


def _read(tokens: Sequence[_Token]) -> _Reading:
    reading = _Reading()
    for token in tokens:
        _take(token, reading)
    return reading


def _deny(head: Part, clause: _Denied) -> ObjectQuery | None:
    """Return the negated condition on a thing of the head's kind; None where it cannot be checked."""
    reading = _read(clause.tokens)
    if not clause.tokens or reading.unchecked:
        return None
    if clause.is_beside:
        reading.head_at = 0
        reading.nouns.insert(0, Part(head.categories))
    elif not reading.nouns:
        reading.nouns.append(Part(head.categories))
    return _query(clause.words, reading)


def _take(token: _Token, reading: _Reading) -> None:
    if token.kind == "colour":
        reading.pending.append(token.value)
    elif token.kind in ("category", "is"):
        reading.nouns.append(Part(_token_categories(token), tuple(reading.pending), token.text))
        reading.pending.clear()
        if token.kind == "is":
            reading.unchecked.append(token.text)
    elif token.kind in ("garment", "part"):
        _take_worn(token, reading)
    elif token.kind == "trait":
        # The colour of a hat is too small to measure.
        reading.unchecked += [f"{colour} {token.text}" for colour in reading.pending]
        reading.pending.clear()
        reading.others.setdefault("trait", []).append(token.value)
    elif token.kind == "unknown":
        reading.unchecked.append(token.text)
    elif token.text == "的":
        # In Chinese the head noun follows its description: 骑自行车的人.
        reading.head_at = len(reading.nouns)
    elif token.kind not in ("filler", "link"):
        reading.others.setdefault(token.kind, []).append(token.value)


def _take_worn(token: _Token, reading: _Reading) -> None:
    """Assign the colours just named to a garment or a cap."""
    if not reading.pending:
        reading.unchecked.append(token.text)
    elif token.kind == "part":
        reading.tops += reading.pending
        reading.top_words.append(token.text)
    if token.kind == "garment":
        reading.garments.append((cast("Garment", token.value), tuple(reading.pending)))
    reading.pending.clear()


def _tokens(text: str) -> list[_Token]:
    """Return the longest known phrases in order, with "orange" resolved to fruit or colour."""
    return _settle_orange(list(_scan(text)))


def _split_denied(tokens: Sequence[_Token]) -> tuple[list[_Token], list[_Denied]]:
    """Separate what a query asks for from what it negates."""
    asserted: list[_Token] = []
    denied: list[_Denied] = []
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
        denied.append(_Denied(words, tuple(inner), is_beside))
    return asserted, denied


def _reach(tokens: Sequence[_Token], position: int, *, is_beside: bool) -> tuple[list[_Token], int, bool]:
    """Return the negated tokens, where the rest begins, and whether another thing is meant."""
    inner: list[_Token] = []
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


def _token_categories(token: _Token) -> frozenset[str]:
    """Return the detector's categories that a noun names."""
    return frozenset().union(*(category_words()[name] for name in token.value.split("|")))


def _settle_orange(tokens: list[_Token]) -> list[_Token]:
    """Make "orange" a fruit when it is the only noun or has its own article, else a colour."""
    named = any(token.kind in _NOUNS for token in tokens)
    settled = []
    for index, token in enumerate(tokens):
        before = tokens[index - 1].text if index else ""
        follows = index + 1 < len(tokens) and tokens[index + 1].kind in _NOUNS
        if token.text in ("orange", "oranges") and (not named or (before == "an" and not follows)):
            token = _Token("category", "orange", token.text)
        settled.append(token)
    return settled


def _scan(text: str) -> Iterator[_Token]:
    """Yield the longest known phrases in order; neighbouring unknown Chinese characters form one word."""
    words = [match.group() for match in _TOKEN.finditer(text.lower())]
    lexicon, position, unknown = _lexicon(), 0, ""
    while position < len(words):
        for length in range(min(_MAX_PHRASE, len(words) - position), 0, -1):
            phrase = _join(words[position : position + length])
            token = next((lexicon[form] for form in lookup_forms(phrase) if form in lexicon), None)
            if token is not None:
                break
        else:
            token, length = None, 1
        if token is None and not words[position].isascii():
            unknown += words[position]
        else:
            if unknown:
                yield _Token("unknown", unknown, unknown)
                unknown = ""
            yield replace(token, text=phrase) if token else _Token("unknown", phrase, phrase)
        position += length
    if unknown:
        yield _Token("unknown", unknown, unknown)


def _join(words: list[str]) -> str:
    return "".join(words) if all(not word.isascii() for word in words) else " ".join(words)


@lru_cache(maxsize=1)
def _lexicon() -> dict[str, _Token]:
    known: dict[str, _Token] = {}
    for word in category_words():
        known[word] = _Token("category", word, word)
    for kind, value, words in read_table("query_words.tsv"):
        for word in words.split(","):
            known[word.lower()] = _Token(cast("_Kind", kind), value, word)
    for word, name in colour_terms():
        known[word] = _Token("colour", name, word)
    return known
