"""Paths between two people of a graph: bidirectional search over any graph store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from vidence.schema.story import StoryRelation
from vidence.store.stories import GraphStore

__all__ = ["find_paths", "other_end"]

_MAX_VISITED = 20_000
_COMMON = 3
"""Meetings in how many sentences make two people connected without a stated relation."""


def find_paths(
    graph: GraphStore, story: str, first: str, second: str, *, max_hops: int = 6, limit: int = 3
) -> list[list[StoryRelation]]:
    """Return the shortest paths between two; rare meetings count only where nothing else leads on."""
    if first == second:
        return []
    strong = _search(graph, story, (first, second), max_hops, limit, _COMMON)
    return strong or _search(graph, story, (first, second), max_hops, limit, 0)


def _search(
    graph: GraphStore, story: str, ends: tuple[str, str], max_hops: int, limit: int, least: float
) -> list[list[StoryRelation]]:
    """Go forward from both ends in turn, from the smaller side, until they meet."""
    first, second = ends
    sides: tuple[dict[str, list[list[StoryRelation]]], ...] = ({first: [[]]}, {second: [[]]})
    frontier: list[set[str]] = [{first}, {second}]
    for _ in range(max_hops):
        side = 0 if len(frontier[0]) <= len(frontier[1]) else 1
        if not frontier[side] or sum(map(len, sides)) > _MAX_VISITED:
            break
        frontier[side] = _expand(graph, story, frontier[side], sides[side], limit, least)
        if met := frontier[side] & sides[1 - side].keys():
            return _joined(met, sides, limit)
    return []


def other_end(relation: StoryRelation, entity_id: str) -> str:
    """Return the entity at the other end of a relation."""
    return relation.target if relation.source == entity_id else relation.source


def _expand(
    graph: GraphStore,
    story: str,
    frontier: set[str],
    known: dict[str, list[list[StoryRelation]]],
    limit: int,
    least: float,
) -> set[str]:
    """Go one hop further; return whom was reached for the first time."""
    best: dict[tuple[str, str], StoryRelation] = {}
    for relation in graph.relations(story, sorted(frontier)):
        if relation.relation == "meets" and relation.weight < least:
            continue
        pair = (relation.source, relation.target)
        if pair not in best or _worth(relation) > _worth(best[pair]):
            best[pair] = relation
    reached: dict[str, list[list[StoryRelation]]] = defaultdict(list)
    for relation in sorted(best.values(), key=_worth, reverse=True):
        for near in {relation.source, relation.target} & frontier:
            far = other_end(relation, near)
            if far not in known and len(reached[far]) < limit:
                reached[far] += [[*path, relation] for path in known[near][:limit]]
    known |= reached
    return set(reached)


def _joined(
    met: Iterable[str], sides: tuple[dict[str, list[list[StoryRelation]]], ...], limit: int
) -> list[list[StoryRelation]]:
    paths = [
        [*head, *reversed(tail)] for one in sorted(met) for head in sides[0][one] for tail in sides[1][one]
    ]
    return sorted(paths, key=lambda path: (len(path), -sum(map(_worth, path))))[:limit]


def _worth(relation: StoryRelation) -> float:
    return (100.0 if relation.is_stated else 0.0) + min(relation.weight, 50.0)
