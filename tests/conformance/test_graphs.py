"""What every graph store must do; a backend is one row of `GRAPHS`.

Neo4j's own server cannot be started from the package registries, so its Cypher runs where `NEO4J_URL` names a
server (with `NEO4J_USER` and `NEO4J_PASSWORD`) and is skipped elsewhere, in plain words.
`docs/stories.md` says against which server it ran.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vidence.knowledge.graph.paths import find_paths
from vidence.schema.story import MajorEvent, Quote, StoryEntity, StoryGraph, StoryRelation
from vidence.store.sqlite import SqliteStore
from vidence.store.stories import GraphStore

GRAPHS = ("sqlite", "neo4j")
QUOTE = Quote(text="a", chapter=1, label="Chapter 1", document="d", paragraph=1, start=0, end=1)


@pytest.fixture(scope="module")
def server() -> Iterator[GraphStore]:
    """One connection to a server for all tests."""
    url = os.environ.get("NEO4J_URL")
    if not url:
        pytest.skip("no Neo4j server: set NEO4J_URL to run the Cypher of the adapter")
    from vidence.knowledge.graph.neo4j import Neo4jGraph

    user = os.environ.get("NEO4J_USER", "")
    with Neo4jGraph.connect(url=url, user=user, password_env="NEO4J_PASSWORD") as opened:
        yield opened


@pytest.fixture(params=GRAPHS)
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphStore]:
    if request.param == "sqlite":
        with SqliteStore.open(tmp_path) as store:
            yield store.graph
        return
    opened: GraphStore = request.getfixturevalue("server")
    yield opened
    opened.remove("tale")
    opened.remove("other")


def _relation(number: int, source: str, target: str, relation: str = "sibling") -> StoryRelation:
    return StoryRelation(
        relation_id=f"rel_{number}", source=source, target=target, relation=relation, quotes=(QUOTE,)
    )


def _tale() -> StoryGraph:
    people = tuple(
        StoryEntity(entity_id=f"ent_{number}", name=name, aliases=(alias,), mentions=10 - number)
        for number, (name, alias) in enumerate(
            [("Anne", "Annie"), ("Robert", "Bob"), ("Lucy", "Lu"), ("贾宝玉", "宝玉"), ("Peter", "Annie")]
        )
    )
    relations = (
        _relation(1, "ent_0", "ent_1"),
        _relation(2, "ent_1", "ent_2", "spouse"),
        _relation(3, "ent_2", "ent_3", "friend"),
    )
    events = tuple(
        MajorEvent(event_id=f"evt_{order}", what="met", people=who, chapter=1, order=order, quote=QUOTE)
        for order, who in ((1, ("ent_0", "ent_1")), (2, ("ent_1",)))
    )
    return StoryGraph(entities=people, relations=relations, events=events)


def test_what_is_written_is_read_back_whole(graph: GraphStore) -> None:
    tale = _tale()
    graph.write("tale", tale)
    assert tuple(graph.entities("tale")) == tale.entities
    assert tuple(graph.relations("tale", [one.entity_id for one in tale.entities])) == tale.relations
    assert tuple(graph.events("tale")) == tale.events


def test_a_name_finds_its_owners_whatever_its_case(graph: GraphStore) -> None:
    graph.write("tale", _tale())
    assert [one.name for one in graph.named("tale", " ANNIE ")] == ["Anne", "Peter"]
    assert [one.name for one in graph.named("tale", "宝玉")] == ["贾宝玉"]
    assert graph.named("tale", "Nobody") == []


def test_relations_are_found_from_both_ends_and_once(graph: GraphStore) -> None:
    graph.write("tale", _tale())
    assert [one.relation_id for one in graph.relations("tale", ["ent_1"])] == ["rel_1", "rel_2"]
    assert [one.relation_id for one in graph.relations("tale", ["ent_0", "ent_1"])] == ["rel_1", "rel_2"]
    assert graph.relations("tale", []) == []


def test_events_of_a_person_are_in_order(graph: GraphStore) -> None:
    graph.write("tale", _tale())
    assert [one.order for one in graph.events("tale", "ent_1")] == [1, 2]
    assert [one.order for one in graph.events("tale", "ent_0")] == [1]


def test_writing_again_replaces_and_stories_are_apart(graph: GraphStore) -> None:
    graph.write("tale", _tale())
    graph.write("other", _tale())
    graph.write("tale", StoryGraph(entities=_tale().entities[:1]))
    assert len(graph.entities("tale")) == 1
    assert graph.relations("tale", ["ent_0"]) == []
    assert len(graph.entities("other")) == 5
    graph.remove("other")
    graph.remove("other")
    assert graph.entities("other") == []


def test_paths_are_found_from_both_ends(graph: GraphStore) -> None:
    graph.write("tale", _tale())
    path = find_paths(graph, "tale", "ent_0", "ent_3")[0]
    assert [one.relation for one in path] == ["sibling", "spouse", "friend"]
    assert find_paths(graph, "tale", "ent_0", "ent_4") == []
