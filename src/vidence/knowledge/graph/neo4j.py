"""The graph of stories in Neo4j, by the official driver (`pip install 'vidence[neo4j]'`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self

from vidence.errors import BackendError, MissingExtra, SettingsError
from vidence.schema.story import MajorEvent, StoryEntity, StoryGraph, StoryRelation
from vidence.store.stories import GraphStore

__all__ = ["Neo4jGraph"]

Statement = tuple[str, dict[str, Any]]
"""Cypher and its parameters."""
Execute = Callable[[Sequence[Statement]], list[dict[str, Any]]]
"""Runs statements in one transaction, all or none, and returns the rows of the last one."""

_BATCH = 1000
_REMOVE = "MATCH (n {story: $story}) WHERE n:StoryEntity OR n:StoryEvent DETACH DELETE n"
_ADD_ENTITIES = (
    "UNWIND $rows AS row CREATE (:StoryEntity {story: $story, entity_id: row.entity_id, "
    "names: row.names, mentions: row.mentions, body: row.body})"
)
_ADD_RELATIONS = (
    "UNWIND $rows AS row MATCH (a:StoryEntity {story: $story, entity_id: row.source}) "
    "MATCH (b:StoryEntity {story: $story, entity_id: row.target}) "
    "CREATE (a)-[:RELATES {relation_id: row.relation_id, relation: row.relation, body: row.body}]->(b)"
)
_ADD_EVENTS = (
    "UNWIND $rows AS row CREATE (e:StoryEvent {story: $story, position: row.position, body: row.body}) "
    "WITH e, row UNWIND row.people AS who MATCH (a:StoryEntity {story: $story, entity_id: who}) "
    "CREATE (a)-[:TAKES_PART]->(e)"
)
_ENTITIES = (
    "MATCH (n:StoryEntity {story: $story}) RETURN n.body AS body ORDER BY n.mentions DESC, n.entity_id"
)
_NAMED = (
    "MATCH (n:StoryEntity {story: $story}) WHERE $name IN n.names "
    "RETURN n.body AS body ORDER BY n.mentions DESC, n.entity_id"
)
_RELATIONS = (
    "MATCH (a:StoryEntity {story: $story})-[r:RELATES]->(b:StoryEntity {story: $story}) "
    "WHERE a.entity_id IN $ids OR b.entity_id IN $ids "
    "RETURN r.relation_id AS relation_id, r.body AS body ORDER BY relation_id"
)
_EVENTS = "MATCH (e:StoryEvent {story: $story}) RETURN e.body AS body ORDER BY e.position"
_EVENTS_OF = (
    "MATCH (:StoryEntity {story: $story, entity_id: $id})-[:TAKES_PART]->(e:StoryEvent) "
    "RETURN e.body AS body ORDER BY e.position"
)


class Neo4jGraph(GraphStore):
    """Entities as `:StoryEntity`, relations as `:RELATES`, events as `:StoryEvent`."""

    name = "neo4j"

    def __init__(self, execute: Execute, *, close: Callable[[], None] = lambda: None) -> None:
        self._execute, self.close = execute, close

    @classmethod
    def connect(
        cls, *, url: str = "", user: str = "", password_env: str = "", database: str | None = None
    ) -> Self:
        """Connect to a server, such as `bolt://localhost:7687`; the password is read from a variable."""
        if not url:
            raise SettingsError("The Neo4j graph store needs an address, such as bolt://localhost:7687.")
        try:
            from neo4j import GraphDatabase, ManagedTransaction
            from neo4j.exceptions import DriverError, Neo4jError
        except ImportError as exc:
            raise MissingExtra("The Neo4j graph store", "neo4j") from exc

        def work(tx: ManagedTransaction, statements: Sequence[Statement]) -> list[dict[str, Any]]:
            rows: list[dict[str, Any]] = []
            for statement, values in statements:
                rows = [dict(row) for row in tx.run(statement, values)]
            return rows

        def execute(statements: Sequence[Statement]) -> list[dict[str, Any]]:
            try:
                with driver.session(database=database) as session:
                    return session.execute_write(work, statements)
            except (DriverError, Neo4jError, ValueError, OSError) as exc:
                raise BackendError(f"Neo4j at {url} failed: {exc}") from exc

        auth = (user, os.environ.get(password_env, "")) if user else None
        try:
            driver = GraphDatabase.driver(url, auth=auth)
        except (DriverError, ValueError) as exc:
            raise SettingsError(f"{url!r} is no address of a Neo4j server: {exc}") from exc
        connected = cls(execute, close=driver.close)
        connected.name = f"neo4j {url}"
        return connected

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def write(self, story: str, graph: StoryGraph) -> None:
        entities = [
            {
                "entity_id": one.entity_id,
                "names": [name.casefold() for name in (one.name, *one.aliases)],
                "mentions": one.mentions,
                "body": one.model_dump_json(),
            }
            for one in graph.entities
        ]
        relations = [
            {
                "relation_id": one.relation_id,
                "source": one.source,
                "target": one.target,
                "relation": one.relation,
                "body": one.model_dump_json(),
            }
            for one in graph.relations
        ]
        events = [
            {"position": one.order, "people": list(dict.fromkeys(one.people)), "body": one.model_dump_json()}
            for one in graph.events
        ]
        statements: list[Statement] = [(_REMOVE, {"story": story})]
        for statement, rows in (
            (_ADD_ENTITIES, entities),
            (_ADD_RELATIONS, relations),
            (_ADD_EVENTS, events),
        ):
            for first in range(0, len(rows), _BATCH):
                statements.append((statement, {"story": story, "rows": rows[first : first + _BATCH]}))
        self._execute(statements)

    def remove(self, story: str) -> None:
        self._execute([(_REMOVE, {"story": story})])

    def entities(self, story: str) -> list[StoryEntity]:
        return [StoryEntity.model_validate_json(body) for body in self._bodies(_ENTITIES, story=story)]

    def named(self, story: str, name: str) -> list[StoryEntity]:
        bodies = self._bodies(_NAMED, story=story, name=name.strip().casefold())
        return [StoryEntity.model_validate_json(body) for body in bodies]

    def relations(self, story: str, entity_ids: Sequence[str]) -> list[StoryRelation]:
        bodies = self._bodies(_RELATIONS, story=story, ids=list(entity_ids))
        return [StoryRelation.model_validate_json(body) for body in bodies]

    def events(self, story: str, entity_id: str | None = None) -> list[MajorEvent]:
        if entity_id is None:
            bodies = self._bodies(_EVENTS, story=story)
        else:
            bodies = self._bodies(_EVENTS_OF, story=story, id=entity_id)
        return [MajorEvent.model_validate_json(body) for body in bodies]

    def _bodies(self, statement: str, **values: Any) -> list[str]:
        return [str(row["body"]) for row in self._execute([(statement, values)])]
