"""Building a story: names with aliases, relations, events; once only, and reversible."""

from __future__ import annotations

import pytest

from tests.knowledge.stories import MILL, RIVER
from vidence.knowledge.build import NameEdits, StoryBuilder
from vidence.knowledge.reader import StoryReader
from vidence.knowledge.sources import SourceText
from vidence.store.sqlite import SqliteStore


def _built(store: SqliteStore, text: str, name: str = "story") -> StoryReader:
    builder = StoryBuilder(store, name, embedder=None)
    builder.add(SourceText(f"{name}.txt", text))
    builder.build()
    return StoryReader(store, name)


def test_english_aliases_are_one_person_with_the_reason(store: SqliteStore) -> None:
    robert = _built(store, MILL).resolve("Robert")
    assert robert.name == "Captain Robert Grey"
    assert set(robert.aliases) == {"Robert", "Robert Grey"}
    assert len(robert.merges) == 2
    assert all(merge.rule for merge in robert.merges)


def test_chinese_names_are_found_without_a_lexicon(store: SqliteStore) -> None:
    names = {one.name for one in _built(store, RIVER * 2).entities.values()}
    assert {"李小川", "李长水", "陈大海", "陈月娘", "春儿"} <= names


def test_relations_are_stated_with_words_of_the_story(store: SqliteStore) -> None:
    reader = _built(store, MILL)
    robert, anne = reader.resolve("Robert"), reader.resolve("Anne")
    stated = [
        one
        for one in reader.graph.relations("story", [robert.entity_id])
        if {one.source, one.target} == {robert.entity_id, anne.entity_id} and one.is_stated
    ]
    assert stated[0].relation == "sibling"
    assert all(reader.holds(quote) for one in stated for quote in one.quotes)


def test_events_stand_in_the_order_of_the_narration(store: SqliteStore) -> None:
    reader = _built(store, MILL)
    events = reader.graph.events("story")
    assert [one.order for one in events] == sorted(one.order for one in events)
    died = next(one for one in events if one.what == "died")
    assert reader.name_of(died.people[0]) == "Thomas Grey"
    assert died.quote.label == "Chapter 1"


def test_nothing_is_computed_twice(store: SqliteStore) -> None:
    builder = StoryBuilder(store, "story", embedder=None)
    builder.add(SourceText("story.txt", MILL))
    assert builder.build()
    assert builder.add(SourceText("story.txt", MILL)) == 0
    assert not builder.build()


def test_a_new_chapter_leaves_the_others_as_they_are(store: SqliteStore) -> None:
    builder = StoryBuilder(store, "story", embedder=None)
    builder.add(SourceText("story.txt", MILL))
    builder.build()
    before = {
        head.sha256: store.stories.load("story", "analysis", head.sha256)
        for head in store.stories.heads("story")
    }
    last = "\nChapter 4\n\n" + "The winter came early that year and the snow lay deep on the fields. " * 4
    assert builder.add(SourceText("story.txt", MILL + last)) == 1
    builder.build()
    assert len(store.stories.heads("story")) == 4
    kept = [store.stories.load("story", "analysis", sha) == body for sha, body in before.items()]
    assert kept.count(True) >= 2


def test_a_build_that_was_stopped_goes_on(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = StoryBuilder(store, "story", embedder=None)
    builder.add(SourceText("story.txt", MILL))
    calls = []

    def stop(what: str, fraction: float) -> None:
        calls.append(what)
        if what == "reading chapters" and fraction > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        StoryBuilder(store, "story", embedder=None, progress=stop).build()
    assert store.stories.built("story") == ""
    assert builder.build()
    assert StoryReader(store, "story").resolve("Anne").mentions > 3


def test_a_merge_is_undone_and_made_again_by_hand(store: SqliteStore) -> None:
    _built(store, MILL)
    builder = StoryBuilder(store, "story", embedder=None)
    builder.edit(NameEdits(split=frozenset({("Robert", "Captain Robert Grey"), ("Robert", "Robert Grey")})))
    assert builder.build()
    assert StoryReader(store, "story").resolve("Robert").name == "Robert"
    builder.edit(NameEdits(joined=(("Robert", "Captain Robert Grey"),)))
    builder.build()
    assert StoryReader(store, "story").resolve("Robert").name == "Captain Robert Grey"


def test_two_people_of_one_sentence_are_not_merged(store: SqliteStore) -> None:
    text = "Chapter 1\n\n" + "Mr. Grey and Anne Grey walked. Miss Grey and Anne Grey sang. " * 6
    reader = _built(store, text)
    assert reader.resolve("Mr. Grey").entity_id != reader.resolve("Anne Grey").entity_id
    assert reader.resolve("Miss Grey").entity_id != reader.resolve("Anne Grey").entity_id
