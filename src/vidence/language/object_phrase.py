"""Understanding what to look for: "person wearing red", "穿红衣服的人", "red car on the left"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from vidence.language.object_words import Denied, Token, scan, split_denied, token_categories

__all__ = ["Garment", "ObjectQuery", "Part", "english_query", "parse_query", "resolve_asked"]

Garment = Literal["upper", "lower", "any"]


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
    tops: tuple[str, ...] = ()
    """Colours of its cap or lid."""
    denied: tuple[ObjectQuery, ...] = ()
    """What must not be true of it."""
    unchecked: tuple[str, ...] = ()
    """Words whose meaning no model at hand can check."""


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
    """Return the detector's categories meant by one word or phrase, None when it names none of them."""
    tokens = [token for token in scan(text) if token.kind != "filler"]
    if len(tokens) == 1 and tokens[0].kind in ("category", "is"):
        return token_categories(tokens[0])
    return None


def parse_query(text: str) -> ObjectQuery:
    """Take a query apart; the order of words tells which colour belongs to which thing."""
    asserted, clauses = split_denied(scan(text))
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
    """Say a query in English, for models that know no other language; None where a word has none."""
    head = query.head
    unsaid = (
        query.unchecked, query.companions, query.positions, query.extremes, query.tops, query.denied,
    )  # fmt: skip
    if head is None or len(head.categories) != 1 or any(unsaid):
        return None
    worn = " and ".join(colour for _, colours in query.garments for colour in colours)
    plain = " ".join([*query.postures[:1], *query.sizes[:1], *head.colours, *head.categories])
    return f"{plain} wearing {worn}" if worn else plain


def _query(text: str, reading: _Reading) -> ObjectQuery:
    head = reading.nouns[min(reading.head_at, len(reading.nouns) - 1)] if reading.nouns else None
    if head is None and any(colours for _, colours in reading.garments):
        # Clothes are worn by someone, whoever was not named.
        head = Part(frozenset({"person"}))
    if head is not None and reading.pending:
        head = replace(head, colours=(*head.colours, *reading.pending))
    tops, unchecked = reading.tops, reading.unchecked
    if head is not None and head.categories == {"person"}:
        # What somebody has on the head is too small to be told.
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
        unchecked=tuple(dict.fromkeys(unchecked)),
    )


def _read(tokens: Sequence[Token]) -> _Reading:
    reading = _Reading()
    for token in tokens:
        _take(token, reading)
    return reading


def _deny(head: Part, clause: Denied) -> ObjectQuery | None:
    """Return what must not be true of a thing of the head's kind; None where that cannot be checked."""
    reading = _read(clause.tokens)
    if not clause.tokens or reading.unchecked:
        return None
    if clause.is_beside:
        reading.head_at = 0
        reading.nouns.insert(0, Part(head.categories))
    elif not reading.nouns:
        reading.nouns.append(Part(head.categories))
    return _query(clause.words, reading)


def _take(token: Token, reading: _Reading) -> None:
    if token.kind == "colour":
        reading.pending.append(token.value)
    elif token.kind in ("category", "is"):
        reading.nouns.append(Part(token_categories(token), tuple(reading.pending), token.text))
        reading.pending.clear()
        if token.kind == "is":
            reading.unchecked.append(token.text)
    elif token.kind in ("garment", "part"):
        _take_worn(token, reading)
    elif token.kind == "unknown":
        reading.unchecked.append(token.text)
    elif token.text == "的":
        # In Chinese the thing meant stands after what describes it: 骑自行车的人.
        reading.head_at = len(reading.nouns)
    elif token.kind not in ("filler", "link"):
        reading.others.setdefault(token.kind, []).append(token.value)


def _take_worn(token: Token, reading: _Reading) -> None:
    """Give the colours just named to a garment or a cap."""
    if not reading.pending:
        reading.unchecked.append(token.text)
    elif token.kind == "part":
        reading.tops += reading.pending
        reading.top_words.append(token.text)
    if token.kind == "garment":
        reading.garments.append((cast("Garment", token.value), tuple(reading.pending)))
    reading.pending.clear()
