"""The five story tools answer with quotations that stand in the story, and say what they do not know."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.knowledge.stories import MILL, RIVER
from vidence.errors import OpRetry
from vidence.knowledge.build import StoryBuilder
from vidence.knowledge.reader import StoryReader
from vidence.knowledge.sources import SourceText
from vidence.schema.evidence import hash_of
from vidence.store.sqlite import SqliteStore
from vidence.tools.story.catalogue import STORY_TOOLS, get_story_tool
from vidence.tools.story.shapes import quotes_in
from vidence.tools.story.tool import run_story_tool

ARGUMENTS = {
    "lookup_knowledge": {"entity": "Anne"},
    "find_connection": {"entity1": "Robert", "entity2": "Anne"},
    "track_journey": {"entity": "Robert", "target": "Anne"},
    "get_character_events": {"entity": "Robert"},
    "search_memory": {"query": "Whom did Robert marry?"},
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(tmp_path) as opened:
        for name, text in (("mill", MILL), ("river", RIVER * 2)):
            builder = StoryBuilder(opened, name, embedder=None)
            builder.add(SourceText(f"{name}.txt", text))
            builder.build()
        yield opened


def _call(store: SqliteStore, tool: str, story: str = "mill", **arguments: Any) -> dict[str, Any]:
    record = run_story_tool(get_story_tool(tool), arguments, StoryReader(store, story), store.results)
    assert isinstance(record.result, dict)
    return record.result


@pytest.mark.parametrize("tool", list(STORY_TOOLS))
def test_every_quotation_stands_at_its_place(store: SqliteStore, tool: str) -> None:
    reader = StoryReader(store, "mill")
    quotes = list(quotes_in(_call(store, tool, **ARGUMENTS[tool])))
    assert quotes
    assert all(reader.holds(quote) for quote in quotes)


@pytest.mark.parametrize("tool", list(STORY_TOOLS))
def test_a_record_is_kept_and_answered_from_the_cache(store: SqliteStore, tool: str) -> None:
    reader = StoryReader(store, "mill")
    first, second = (
        run_story_tool(get_story_tool(tool), ARGUMENTS[tool], reader, store.results) for _ in range(2)
    )
    assert first.result_hash == second.result_hash == hash_of(first.result)
    kept = store.results.get_record(second.record_id)
    assert kept is not None
    assert kept.cached


def test_relations_are_told_from_both_sides(store: SqliteStore) -> None:
    first = _call(store, "find_connection", entity1="Robert", entity2="Anne")["statements"][0]
    second = _call(store, "find_connection", entity1="Anne", entity2="Robert")["statements"][0]
    assert (first["relation"], second["relation"]) == ("brother", "sister")
    assert first["is_stated"]
    assert second["is_stated"]


def test_chinese_relations_are_stated(store: SqliteStore) -> None:
    found = _call(store, "find_connection", "river", entity1="李小川", entity2="李长水")["statements"]
    assert found[0]["relation"] in ("儿子", "子女")
    found = _call(store, "find_connection", "river", entity1="春儿", entity2="陈月娘")["statements"]
    assert "丫" in found[0]["relation"] or found[0]["relation"] == "仆人"


def test_people_who_never_meet_are_connected_by_a_path(store: SqliteStore) -> None:
    result = _call(store, "find_connection", entity1="Thomas Grey", entity2="Lucy Hale")
    assert result["paths"] or result["statements"]


def test_an_unknown_name_gets_near_matches(store: SqliteStore) -> None:
    with pytest.raises(OpRetry, match=r"Robrt.*Robert"):
        _call(store, "lookup_knowledge", entity="Robrt")


def test_wrong_arguments_are_explained(store: SqliteStore) -> None:
    with pytest.raises(OpRetry, match="entity is required"):
        _call(store, "lookup_knowledge")
    with pytest.raises(OpRetry, match="did you mean 'query'"):
        _call(store, "search_memory", queries="x")
    with pytest.raises(OpRetry, match="same"):
        _call(store, "find_connection", entity1="Robert", entity2="Robert Grey")
