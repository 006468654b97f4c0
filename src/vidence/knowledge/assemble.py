"""The graph of a story, assembled from the analyses of its chapters and the merged names."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import cast

from vidence.knowledge.aliases import MergedName
from vidence.knowledge.analysis import ChapterAnalysis
from vidence.knowledge.chapters import paragraphs, quote_at
from vidence.knowledge.events import EventFound
from vidence.knowledge.kinship import Fact, agree, derive, is_kin, masters, may_wed
from vidence.knowledge.names_zh import gender_of, is_full_name, surname_of
from vidence.knowledge.relations import CARRIED, STATED, inverse_of, relation_words
from vidence.language.identify import has_han
from vidence.schema.story import (
    Chapter,
    ChapterHead,
    EntityKind,
    Gender,
    MajorEvent,
    Quote,
    StoryEntity,
    StoryGraph,
    StoryRelation,
)

__all__ = ["assemble"]

_MOST_HINTS = 3.0
_DERIVED = 1.0
_DERIVED_RANK = 15.0
_LEAST = 0.15
_STEP = 0.1
_OFTEN = 0.8
"""How often somebody must be called mother or uncle before it is believed."""
_KINDS_A_PAIR = 4
_Analyses = Sequence[tuple[ChapterHead, ChapterAnalysis]]
_Place = tuple[int, int, int]
"""Chapter, start, end."""
_QUOTES = 3
_EVENTS_A_CHAPTER = 60


@dataclass
class _Edge:
    weight: float = 0.0
    best: float = 0.0
    first: int = 0
    last: int = 0
    rarity: float = 1.0
    addressed: float = 0.0
    """How much of the weight is what one calls the other."""
    is_derived: bool = False
    places: list[tuple[float, int, int, int]] = field(default_factory=list)
    """Strength, chapter position, start, end."""

    def add(self, strength: float, chapter: int, start: int, end: int) -> None:
        self.weight += strength
        self.best = max(self.best, strength)
        self.first = min(self.first or chapter, chapter)
        self.last = max(self.last, chapter)
        self.places.append((strength, chapter, start, end))

    def best_places(self, number: int) -> tuple[_Place, ...]:
        """Return the places that state it best."""
        best = sorted(self.places, key=lambda place: (-place[0], place[1], place[2]))[:number]
        return tuple(dict.fromkeys((chapter, start, end) for _, chapter, start, end in best))

    @classmethod
    def derived(cls, places: Sequence[_Place]) -> _Edge:
        """Return an edge that rests on the words at several places."""
        edge = cls(is_derived=True)
        for chapter, start, end in places:
            edge.add(_DERIVED, chapter, start, end)
        return edge


_Chosen = tuple[str, str, str, _Edge, list[_Place]]


def assemble(
    analyses: _Analyses,
    people: Sequence[MergedName],
    load: Callable[[ChapterHead], Chapter],
) -> StoryGraph:
    """Return the graph; chapters are read only where something is quoted from them."""
    ranked = sorted(people, key=lambda one: (-one.count, one.name))
    ids = {one.name: f"ent_{number:04d}" for number, one in enumerate(ranked, start=1)}
    owner = {name: ids[one.name] for one in ranked for name in (one.name, *one.aliases)}
    heads = {head.number: head for head, _ in analyses}
    genders = _genders(ranked, ids, analyses, owner)
    edges = _edges(analyses, owner, genders)
    surnames = {ids[one.name]: surname_of(one.name) for one in ranked if is_full_name(one.name)}
    _settle(edges, genders, _listed(analyses, owner), surnames)
    chosen = list(_chosen(edges, _rarity(edges)))
    happened = list(_happened(analyses, owner))
    wanted = [place for _, _, _, _, places in chosen for place in places]
    wanted += [(number, event.start, event.end) for number, event, _ in happened]
    quotes = _quote_all(wanted, heads, load)
    relations = [_relation(number, row, quotes) for number, row in enumerate(chosen, start=1)]
    events = [_event(number, row, quotes) for number, row in enumerate(happened, start=1)]
    return StoryGraph(
        entities=tuple(_entities(ranked, ids, analyses, genders)),
        relations=tuple(relations),
        events=tuple(events),
    )


def _quote_all(
    places: Iterable[_Place], heads: dict[int, ChapterHead], load: Callable[[ChapterHead], Chapter]
) -> dict[_Place, Quote]:
    """Quote words by place, reading each chapter once."""
    found: dict[_Place, Quote] = {}
    for number, rows in groupby(sorted(set(places)), key=lambda place: place[0]):
        chapter = load(heads[number])
        starts = [first for first, _ in paragraphs(chapter.text)]
        for place in rows:
            found[place] = quote_at(chapter, place[1], place[2], starts=starts)
    return found


def _entities(
    ranked: Sequence[MergedName],
    ids: dict[str, str],
    analyses: _Analyses,
    genders: dict[str, str],
) -> list[StoryEntity]:
    span: dict[str, tuple[int, int]] = {}
    for head, one in analyses:
        for name in one.counts:
            first, _ = span.get(name, (head.number, head.number))
            span[name] = (first, head.number)
    found = []
    for person in ranked:
        places = [span[name] for name in (person.name, *person.aliases) if name in span]
        found.append(
            StoryEntity(
                entity_id=ids[person.name],
                name=person.name,
                kind=cast(EntityKind, person.kind),
                gender=cast(Gender, genders[ids[person.name]]),
                aliases=tuple(person.aliases),
                merges=tuple(person.merges),
                mentions=person.count,
                first_chapter=min(first for first, _ in places),
                last_chapter=max(last for _, last in places),
            )
        )
    return found


def _edges(
    analyses: _Analyses, owner: dict[str, str], genders: Mapping[str, str]
) -> dict[tuple[str, str], dict[str, _Edge]]:
    """Return for each pair (sorted ids) its relations: by what the first is to the second."""
    edges: dict[tuple[str, str], dict[str, _Edge]] = defaultdict(lambda: defaultdict(_Edge))
    for head, one in analyses:
        for fact in one.statements:
            source, target = owner.get(fact.source), owner.get(fact.target)
            if source is None or target is None or source == target:
                continue
            kind = fact.kind
            if fact.strength < STATED:
                fits = [_fits(fact.word, genders[who]) for who in (source, target)]
                if not any(fits) or (fact.how and not fits[0]):
                    continue
                if not fits[0]:
                    # A mother who is a man is the other's mother.
                    source, target = target, source
            if source > target:
                source, target, kind = target, source, inverse_of(kind)
            edge = edges[source, target][kind]
            edge.add(fact.strength, head.number, fact.start, fact.end)
            edge.addressed += fact.strength if fact.how == "address" else 0.0
        for first, second, start, end in one.meetings:
            source, target = owner.get(first), owner.get(second)
            if source is None or target is None or source == target:
                continue
            number = one.meeting_counts.get("\t".join(sorted((first, second))), 1)
            pair = (min(source, target), max(source, target))
            edges[pair]["meets"].add(float(number), head.number, start, end)
    return edges


def _genders(
    ranked: Sequence[MergedName],
    ids: dict[str, str],
    analyses: _Analyses,
    owner: dict[str, str],
) -> dict[str, str]:
    """Return the gender of each person: by the names, else by what sentences call them (之妻, 儿子)."""
    told = _told_genders(analyses, owner)
    found = {}
    for person in ranked:
        rows = told[ids[person.name]].most_common(2)
        clear = rows and (len(rows) == 1 or rows[0][1] > 2 * rows[1][1])
        # What a title inside the name says is sure; one of another name may be somebody else's.
        is_sure = not has_han(person.name) or gender_of(person.name) != "unknown"
        found[ids[person.name]] = (
            rows[0][0] if clear and (not is_sure or person.gender == "unknown") else person.gender
        )
    return found


def _told_genders(analyses: _Analyses, owner: dict[str, str]) -> dict[str, Counter[str]]:
    """Return what relation words say of genders; a parent with the child's surname is the father."""
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for _, one in analyses:
        for fact in one.statements:
            word = relation_words().get(fact.word)
            if word and word.gender != "-" and fact.strength >= STATED and fact.source in owner:
                mine, other = ("female", "male") if word.gender == "f" else ("male", "female")
                told[owner[fact.source]][mine] += 1
                if word.kind in ("spouse", "concubine") and fact.target in owner:
                    told[owner[fact.target]][other] += 1
    for fact in (fact for _, one in analyses for fact in one.statements if fact.strength >= STATED):
        parent, child = (fact.source, fact.target) if fact.kind == "parent" else (fact.target, fact.source)
        if (
            fact.kind in ("parent", "child")
            and {parent, child} <= owner.keys()
            and _same_family(parent, child)
        ):
            told[owner[parent]]["male"] += 1
    return told


def _same_family(one: str, other: str) -> bool:
    return is_full_name(one) and is_full_name(other) and surname_of(one) == surname_of(other)


def _fits(word: str, gender: str) -> bool:
    """Say whether somebody of a gender may be called by a word."""
    known = relation_words().get(word)
    wanted = {"f": "female", "m": "male"}.get(known.gender if known else "-", "unknown")
    return "unknown" in (wanted, gender) or wanted == gender


def _listed(analyses: _Analyses, owner: dict[str, str]) -> Counter[tuple[str, str]]:
    """Return how often two people stand side by side in a list."""
    found: Counter[tuple[str, str]] = Counter()
    for _, one in analyses:
        for first, second in one.apart:
            if first in owner and second in owner and owner[first] != owner[second]:
                found[min(owner[first], owner[second]), max(owner[first], owner[second])] += 1
    return found


def _settle(
    edges: dict[tuple[str, str], dict[str, _Edge]],
    genders: dict[str, str],
    listed: Mapping[tuple[str, str], int],
    surnames: Mapping[str, str],
) -> None:
    """Drop what contradicts stronger statements, and add what the statements imply."""
    stated = [
        Fact(source, kind, target, 10 * edge.best + edge.weight, edge.best_places(1))
        for (source, target), kinds in edges.items()
        for kind, edge in kinds.items()
        if edge.best >= STATED and kind != "meets"
    ]
    likely = [
        Fact(source, kind, target, edge.best, edge.best_places(1))
        for (source, target), kinds in edges.items()
        for kind, edge in kinds.items()
        if edge.best < STATED
        and kind != "meets"
        and _is_likely(kind, edge, surnames.get(source, ""), surnames.get(target, "-"))
    ]
    wed = {who for one in stated if one.kind == "spouse" for who in (one.source, one.target)}
    likely = [one for one in likely if one.kind != "spouse" or not {one.source, one.target} & wed]
    kept, generations = agree([one for one in (*stated, *likely) if is_kin(one.kind)], genders)
    by_pair = {(one.source, one.target): one for one in kept}
    for (source, target), kinds in edges.items():
        known = by_pair.get((source, target))
        for kind in [kind for kind in kinds if is_kin(kind)]:
            fact = Fact(source, kind, target, 0, ())
            fits = known.kind == kind if known else generations.allows(fact) and may_wed(fact, genders)
            if not fits:
                del kinds[kind]
    for fact in (*derive(kept, genders), *(one for one in kept if one in likely)):
        if fact.source < fact.target:
            kinds = edges[fact.source, fact.target]
            for kind in [kind for kind in kinds if is_kin(kind)]:
                del kinds[kind]
            kinds[fact.kind] = _Edge.derived(fact.places)
    _serve(edges, stated, listed)


def _is_likely(kind: str, edge: _Edge, surname: str, other: str) -> bool:
    """Say whether a hint is believed where nothing contradicts it.

    A child must have the surname; and cousins are called sisters, too.
    """
    least = CARRIED + (kind == "sibling") * _STEP
    carried = edge.best >= least and (kind not in ("child", "parent") or surname == other)
    return carried or edge.addressed >= _OFTEN


def _serve(
    edges: dict[tuple[str, str], dict[str, _Edge]],
    stated: Sequence[Fact],
    listed: Mapping[tuple[str, str], int],
) -> None:
    """Add whom people serve who stand in lists of servants."""
    facts = [one if one.kind == "servant" else one.reversed() for one in stated]
    served = {
        one.source: one.target for one in sorted(facts, key=lambda one: one.weight) if one.kind == "servant"
    }
    met = {pair: int(kinds["meets"].weight) for pair, kinds in edges.items() if "meets" in kinds}
    for who, master in masters(served, listed, met).items():
        pair, kind = ((who, master), "servant") if who < master else ((master, who), "master")
        edges[pair][kind] = _Edge.derived(edges[pair]["meets"].best_places(2))


def _rarity(edges: dict[tuple[str, str], dict[str, _Edge]]) -> dict[str, float]:
    """Return how telling a weak hint of each relation is: forms of address are everywhere and tell little."""
    total: dict[str, float] = defaultdict(float)
    for kinds in edges.values():
        for kind, edge in kinds.items():
            total[kind] += edge.weight if kind != "meets" else 0.0
    whole = sum(total.values()) or 1.0
    return {kind: math.log(1 + whole / (1 + weight)) for kind, weight in total.items()}


def _chosen(edges: dict[tuple[str, str], dict[str, _Edge]], rarity: dict[str, float]) -> Iterator[_Chosen]:
    """Yield the relations worth keeping, with the best places of each."""
    for (source, target), kinds in sorted(edges.items()):
        stated = {kind: edge for kind, edge in kinds.items() if kind != "meets" and edge.weight >= _LEAST}
        ranked = sorted(stated, key=lambda kind: (-_rank(stated[kind], rarity[kind]), kind))[:_KINDS_A_PAIR]
        for kind in [*ranked, *(["meets"] if "meets" in kinds else [])]:
            edge = kinds[kind]
            yield (
                source,
                target,
                kind,
                replace(edge, rarity=rarity[kind]),
                list(edge.best_places(_QUOTES)),
            )


def _relation(number: int, row: _Chosen, quotes: dict[_Place, Quote]) -> StoryRelation:
    source, target, kind, edge, places = row
    return StoryRelation(
        relation_id=f"rel_{number:05d}",
        source=source,
        target=target,
        relation=kind,
        is_stated=kind != "meets" and edge.best >= STATED,
        is_derived=edge.is_derived,
        weight=round(edge.weight if kind == "meets" else _rank(edge, edge.rarity), 3),
        first_chapter=edge.first,
        last_chapter=edge.last,
        quotes=tuple(quotes[place] for place in places),
    )


def _rank(edge: _Edge, rarity: float) -> float:
    """Weigh a relation: what states it best, then how often it is hinted at and how rare such hints are."""
    if edge.is_derived:
        return _DERIVED_RANK
    return (10 * edge.best if edge.best >= STATED else 0.0) + min(edge.weight, _MOST_HINTS) * rarity


def _happened(
    analyses: _Analyses, owner: dict[str, str]
) -> Iterator[tuple[int, EventFound, tuple[str, ...]]]:
    """Yield the weightiest events of each chapter, in the order of the narration."""
    for head, one in analyses:
        best = sorted(one.events, key=lambda event: (-event.weight, event.start))[:_EVENTS_A_CHAPTER]
        for event in sorted(best, key=lambda event: event.start):
            people = tuple(dict.fromkeys(owner[name] for name in event.people if name in owner))
            if people:
                yield head.number, event, people


def _event(
    number: int, row: tuple[int, EventFound, tuple[str, ...]], quotes: dict[_Place, Quote]
) -> MajorEvent:
    chapter, event, people = row
    return MajorEvent(
        event_id=f"evt_{number:05d}",
        what=event.what,
        people=people,
        place=event.place,
        chapter=chapter,
        order=number,
        weight=round(event.weight, 2),
        quote=quotes[chapter, event.start, event.end],
    )
