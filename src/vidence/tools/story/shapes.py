"""The parts that results of several story tools share, and the quotations a result holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field, ValidationError

from vidence.knowledge.reader import StoryReader
from vidence.knowledge.relations import inverse_of, word_for
from vidence.schema.frozen import Frozen
from vidence.schema.story import MajorEvent, Quote, StoryEntity, StoryRelation

__all__ = [
    "EventTold",
    "PersonTold",
    "RelationTold",
    "quotes_in",
    "tell_event",
    "tell_person",
    "tell_relation",
]

_LISTED = 12


class PersonTold(Frozen):
    """Somebody, as a result names them."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    gender: str = "unknown"
    mentions: int = 0
    chapters: str = Field(default="", description="From the first to the last chapter that names them.")


class RelationTold(Frozen):
    """What one person is to another, and the words that say so."""

    source: str
    relation: str
    target: str
    is_stated: bool = Field(description="True where words of the story state it, not only suggest it.")
    first_chapter: int
    last_chapter: int
    quotes: tuple[Quote, ...] = ()


class EventTold(Frozen):
    """An event and the words that tell it."""

    what: str
    people: tuple[str, ...]
    place: str | None = Field(default=None, description="Where it happens, where the sentence says so.")
    chapter: int
    quote: Quote


def tell_person(entity: StoryEntity) -> PersonTold:
    """Return an entity as a result names it."""
    return PersonTold(
        name=entity.name,
        kind=entity.kind,
        aliases=entity.aliases[:_LISTED],
        gender=entity.gender,
        mentions=entity.mentions,
        chapters=f"{entity.first_chapter}–{entity.last_chapter}",
    )


def tell_relation(reader: StoryReader, relation: StoryRelation, viewpoint: str) -> RelationTold:
    """Return a relation as what the person at `viewpoint` is to the other."""
    kind, source, target = relation.relation, relation.source, relation.target
    if viewpoint == target:
        kind, source, target = inverse_of(kind), target, source
    gender = reader.entities[source].gender if source in reader.entities else "unknown"
    return RelationTold(
        source=reader.name_of(source),
        relation=word_for(kind, reader.language, gender),
        target=reader.name_of(target),
        is_stated=relation.is_stated,
        first_chapter=relation.first_chapter,
        last_chapter=relation.last_chapter,
        quotes=relation.quotes,
    )


def tell_event(reader: StoryReader, event: MajorEvent) -> EventTold:
    """Return an event with the names of its people."""
    people = tuple(reader.name_of(one) for one in event.people)
    return EventTold(
        what=event.what, people=people, place=event.place, chapter=event.chapter, quote=event.quote
    )


def quotes_in(result: Any) -> Iterator[Quote]:
    """Yield the quotations of a result, in order, each once."""
    seen: set[tuple[int, int, int]] = set()
    for one in _walk(result):
        place = (one.chapter, one.start, one.end)
        if place not in seen:
            seen.add(place)
            yield one


def _walk(node: Any) -> Iterator[Quote]:
    if isinstance(node, dict):
        if {"text", "chapter", "start", "end", "label"} <= node.keys():
            try:
                yield Quote.model_validate(node)
            except ValidationError:
                return
        else:
            for value in node.values():
                yield from _walk(value)
    elif isinstance(node, Sequence) and not isinstance(node, str):
        for item in node:
            yield from _walk(item)
