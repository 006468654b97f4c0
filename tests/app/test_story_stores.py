"""Other databases by a setting: the knowledge of a story lives where the settings say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.knowledge.stories import MILL
from vidence.app import open_workspace
from vidence.app.story import Story
from vidence.app.story_stores import open_story_stores
from vidence.errors import BackendError, SettingsError, UnknownName
from vidence.settings import StorySettings, load_settings
from vidence.store.sqlite import SqliteStore
from vidence.tools.story.shapes import quotes_in


def test_vectors_in_qdrant_are_written_searched_and_removed(tmp_path: Path) -> None:
    client = pytest.importorskip("qdrant_client", reason="the extra vidence[qdrant] is not installed")
    folder = tmp_path / "vectors"
    chosen = StorySettings(vectors="qdrant", options={"qdrant": {"url": str(folder)}})
    text = tmp_path / "mill.txt"
    text.write_text(MILL)
    with open_workspace(load_settings(home=tmp_path / "home", story=chosen)) as workspace:
        story = Story("mill", workspace=workspace)
        story.add(text)
        assert workspace.story_stores.vectors is not None
        assert workspace.store.stories.keys("mill", "vectors") == []
        found = story.call("search_memory", query="who died in the winter?", limit=1)
        assert "Thomas Grey died" in next(quotes_in(found.result)).text
        assert story.card().is_complete
    opened = client.QdrantClient(path=str(folder))
    assert sum(opened.count(one.name).count for one in opened.get_collections().collections) >= 3
    opened.close()
    with open_workspace(load_settings(home=tmp_path / "home", story=chosen)) as workspace:
        Story("mill", workspace=workspace).remove()
    opened = client.QdrantClient(path=str(folder))
    assert opened.get_collections().collections == []
    opened.close()


def test_another_store_makes_the_graph_anew(tmp_path: Path) -> None:
    pytest.importorskip("qdrant_client", reason="the extra vidence[qdrant] is not installed")
    text = tmp_path / "mill.txt"
    text.write_text(MILL)
    home = tmp_path / "home"
    with open_workspace(home=home) as workspace:
        before = Story("mill", workspace=workspace).add(text).story
    chosen = StorySettings(vectors="qdrant", options={"qdrant": {"url": str(tmp_path / "vectors")}})
    with open_workspace(load_settings(home=home, story=chosen)) as workspace:
        assert Story("mill", workspace=workspace).card().revision != before.revision


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        (StorySettings(graph="neo5j"), UnknownName, "neo4j"),
        (StorySettings(graph="neo4j"), SettingsError, "needs an address"),
        (StorySettings(vectors="qdrant"), SettingsError, "needs an address"),
        (
            StorySettings(graph="neo4j", options={"neo4j": {"url": "bolt://localhost:1", "speed": "high"}}),
            SettingsError,
            "does not take",
        ),
        (
            StorySettings(graph="neo4j", options={"neo4j": {"url": "mailto:somebody"}}),
            SettingsError,
            "no address",
        ),
    ],
)
def test_a_wrong_setting_says_what_is_wrong(
    tmp_path: Path, settings: StorySettings, error: type[Exception], words: str
) -> None:
    with SqliteStore.open(tmp_path) as store, pytest.raises(error, match=words):
        open_story_stores(store, settings)


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    pytest.importorskip("neo4j", reason="the extra vidence[neo4j] is not installed")
    settings = StorySettings(graph="neo4j", options={"neo4j": {"url": "bolt://127.0.0.1:1"}})
    with SqliteStore.open(tmp_path) as store:
        stores = open_story_stores(store, settings)
        with pytest.raises(BackendError, match=r"bolt://127\.0\.0\.1:1"):
            stores.graph.entities("mill")
        stores.close()
