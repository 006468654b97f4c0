"""What a story states about two people: from its graph, and from its sentences where a name is not in it."""

from __future__ import annotations

from collections import defaultdict

from vidence.knowledge.reader import StoryReader
from vidence.knowledge.relations import STATED, RelationStatement, state
from vidence.schema.story import Quote, StoryEntity, StoryRelation
from vidence.tools.story.shapes import RelationTold, tell_relation

__all__ = ["relations_between", "relations_of"]

_QUOTES = 2


def relations_between(reader: StoryReader, first: StoryEntity, second: StoryEntity) -> list[StoryRelation]:
    """Return what the story says two people are to each other, the best stated first, meetings last."""
    known = {first.entity_id, second.entity_id}
    if known <= reader.entities.keys():
        found = [
            one
            for one in reader.graph.relations(reader.story, [first.entity_id])
            if {one.source, one.target} == known
        ]
    else:
        found = _read_between(reader, first, second)
    return sorted(found, key=lambda one: (one.relation == "meets", not one.is_stated, -one.weight))


def relations_of(reader: StoryReader, entity: StoryEntity, *, limit: int) -> list[RelationTold]:
    """Return the relations of one person: stated ones first, then whom they meet most."""
    rows = reader.graph.relations(reader.story, [entity.entity_id])
    ranked = sorted(rows, key=lambda one: (not one.is_stated, one.relation != "meets", -one.weight))
    stated = [one for one in ranked if one.is_stated][: limit - 2]
    met = [one for one in ranked if one.relation == "meets"][: limit - len(stated)]
    return [
        tell_relation(reader, one.model_copy(update={"quotes": one.quotes[:_QUOTES]}), entity.entity_id)
        for one in (*stated, *met)
    ]


def _read_between(reader: StoryReader, first: StoryEntity, second: StoryEntity) -> list[StoryRelation]:
    """Return what sentences state about two people of whom one is not in the graph."""
    finder = reader.finder_with([first, second])
    ids = {first.entity_id, second.entity_id}
    facts: dict[str, list[tuple[RelationStatement, Quote]]] = defaultdict(list)
    met: list[Quote] = []
    rare = min((first, second), key=lambda one: one.mentions)
    for chapter, start, end, mentions in reader.sentences_with([rare.name, *rare.aliases], finder):
        named = {one.entity_id for one in mentions}
        if ids <= named:
            met.append(reader.quote(chapter.number, start, end))
        for fact in state(chapter.text, start, end, mentions):
            if {fact.source, fact.target} == ids:
                told = fact if fact.source == first.entity_id else fact.reversed()
                facts[told.kind].append((told, reader.quote(chapter.number, start, end)))
    found = [_relation(kind, first, second, rows) for kind, rows in facts.items()]
    if met:
        found.append(
            StoryRelation(
                relation_id="rel_meets",
                source=first.entity_id,
                target=second.entity_id,
                relation="meets",
                is_stated=False,
                weight=len(met),
                first_chapter=met[0].chapter,
                last_chapter=met[-1].chapter,
                quotes=tuple(met[:_QUOTES]),
            )
        )
    return found


def _relation(
    kind: str, first: StoryEntity, second: StoryEntity, rows: list[tuple[RelationStatement, Quote]]
) -> StoryRelation:
    best = max(fact.strength for fact, _ in rows)
    quotes = [quote for _, quote in sorted(rows, key=lambda row: -row[0].strength)]
    return StoryRelation(
        relation_id=f"rel_{kind}",
        source=first.entity_id,
        target=second.entity_id,
        relation=kind,
        is_stated=best >= STATED,
        weight=round(2 * best + sum(fact.strength for fact, _ in rows), 3),
        first_chapter=min(quote.chapter for quote in quotes),
        last_chapter=max(quote.chapter for quote in quotes),
        quotes=tuple(quotes[:_QUOTES]),
    )
