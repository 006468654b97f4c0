"""Understanding what to look for: "person wearing red", "穿红衣服的人", "red car on the left"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, cast

from vidence.index.tables import read_table
from vidence.models.coco import category_words
from vidence.models.colours import colour_terms

__all__ = ["Garment", "ObjectQuery", "Part", "english_query", "parse_query", "resolve_asked"]

Garment = Literal["upper", "lower", "any"]
_Kind = Literal[
    "category",
    "is",
    "colour",
    "position",
    "extreme",
    "size",
    "posture",
    "garment",
    "link",
    "filler",
    "unknown",
]

_TOKEN = re.compile(r"[a-z0-9]+(?:[-'][a-z0-9]+)*|[^\x00-\x7f\s，。、！？；：]", re.IGNORECASE)
_MAX_PHRASE = 6
_NOUNS = ("category", "is", "garment")


@dataclass(frozen=True)
class Part:
    """A kind of thing and the colours asked of it."""

    categories: frozenset[str]
    colours: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class ObjectQuery:
    """A query taken apart into what can be checked and what cannot."""

    text: str
    head: Part | None = None
    """What is looked for; None when no word names anything the detector knows."""
    companions: tuple[Part, ...] = ()
    """Things that must be beside it."""
    garments: tuple[tuple[Garment, tuple[str, ...]], ...] = ()
    positions: tuple[str, ...] = ()
    extremes: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    postures: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    """Words whose meaning no model at hand can check."""


@dataclass(frozen=True)
class _Token:
    kind: _Kind
    value: str
    text: str


@dataclass
class _Reading:
    nouns: list[Part] = field(default_factory=list)
    garments: list[tuple[Garment, tuple[str, ...]]] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    head_at: int = 0
    others: dict[str, list[str]] = field(default_factory=dict)


def resolve_asked(text: str) -> frozenset[str] | None:
    """Return the detector's categories meant by one word or phrase, None when it names none of them."""
    tokens = [token for token in _scan(text) if token.kind != "filler"]
    if len(tokens) == 1 and tokens[0].kind in ("category", "is"):
        return _categories(tokens[0])
    return _categories(_Token("category", "orange", text)) if text.strip().lower() == "orange" else None


def parse_query(text: str) -> ObjectQuery:
    """Take a query apart; the order of words tells which colour belongs to which thing."""
    tokens = _settle_orange(list(_scan(text)))
    reading = _Reading()
    for token in tokens:
        _take(token, reading)
    head = reading.nouns[min(reading.head_at, len(reading.nouns) - 1)] if reading.nouns else None
    if head is None and any(colours for _, colours in reading.garments):
        # Clothes are worn by someone, whoever was not named.
        head = Part(frozenset({"person"}))
    if head is not None and reading.pending:
        head = replace(head, colours=(*head.colours, *reading.pending))
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
        unchecked=tuple(dict.fromkeys(reading.unchecked)),
    )


def english_query(query: ObjectQuery) -> str | None:
    """Say a query in English, for models that know no other language; None where a word has none."""
    head = query.head
    unsaid = (query.unchecked, query.companions, query.positions, query.extremes)
    if head is None or len(head.categories) != 1 or any(unsaid):
        return None
    worn = " and ".join(colour for _, colours in query.garments for colour in colours)
    plain = " ".join([*query.postures[:1], *query.sizes[:1], *head.colours, *head.categories])
    return f"{plain} wearing {worn}" if worn else plain


def _take(token: _Token, reading: _Reading) -> None:
    if token.kind == "colour":
        reading.pending.append(token.value)
    elif token.kind in ("category", "is"):
        reading.nouns.append(Part(_categories(token), tuple(reading.pending), token.text))
        reading.pending.clear()
        if token.kind == "is":
            reading.unchecked.append(token.text)
    elif token.kind == "garment":
        if not reading.pending:
            reading.unchecked.append(token.text)
        reading.garments.append((cast("Garment", token.value), tuple(reading.pending)))
        reading.pending.clear()
    elif token.kind == "unknown":
        reading.unchecked.append(token.text)
    elif token.text == "的":
        # In Chinese the thing meant stands after what describes it: 骑自行车的人.
        reading.head_at = len(reading.nouns)
    elif token.kind not in ("filler", "link"):
        reading.others.setdefault(token.kind, []).append(token.value)


def _settle_orange(tokens: list[_Token]) -> list[_Token]:
    """An orange is a fruit when it is the only thing named or has an article of its own, else a colour."""
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
            token = next((lexicon[form] for form in _forms(phrase) if form in lexicon), None)
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


def _forms(phrase: str) -> tuple[str, ...]:
    return (phrase, phrase.removesuffix("s"), phrase.removesuffix("es")) if phrase.isascii() else (phrase,)


def _categories(token: _Token) -> frozenset[str]:
    return frozenset().union(*(category_words()[name] for name in token.value.split("|")))


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
