"""Retrieval over the graph: what the best passages lead to by the names they share."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.knowledge.build import StoryBuilder
from vidence.knowledge.graph.rank import PassageGraph, follow_names, names_in
from vidence.knowledge.reader import StoryReader
from vidence.knowledge.sources import SourceText
from vidence.store.sqlite import SqliteStore

NAMES = [{"paris", "rodin"}, {"rodin"}, {"berlin"}, {"berlin", "york"}]


def test_a_walk_visits_what_shares_a_name_and_nothing_else() -> None:
    walk = PassageGraph(NAMES).walk(np.array([1, 0, 0, 0], np.float32))
    assert walk.sum() == pytest.approx(1.0, abs=1e-5)
    assert walk[0] > walk[1] > 0
    assert walk[2] == walk[3] == 0


def test_a_walk_from_nowhere_goes_nowhere() -> None:
    assert not PassageGraph(NAMES).walk(np.zeros(4, np.float32)).any()
    assert PassageGraph([]).walk(np.zeros(0, np.float32)).size == 0


def test_a_linked_passage_must_hold_the_rest_of_the_question() -> None:
    graph = PassageGraph([{"rodin"}, {"rodin"}, set()] + [set()] * 97)
    held = [{1, 2}, {3}, {3}] + [set()] * 97
    scores = np.zeros(100, np.float32)
    scores[0], scores[2] = 1.0, 0.5
    found = follow_names(scores, graph, {1: 1.0, 2: 1.0, 3: 1.0}, lambda at: held[at])
    assert np.argsort(-found)[:2].tolist() == [1, 0]
    without = follow_names(scores, graph, {1: 1.0, 2: 1.0, 9: 1.0}, lambda at: held[at])
    assert np.argsort(-without)[:3].tolist() == [0, 2, 1]


def test_nothing_found_leads_to_nothing() -> None:
    assert not follow_names(np.zeros(4, np.float32), PassageGraph(NAMES), {1: 1.0}, lambda at: {1}).any()


def test_names_are_compared_in_one_form() -> None:
    assert names_in("He met John of York and the Duke.") >= {"john york", "duke"}


def test_a_story_is_searched_by_way_of_who_is_named(store: SqliteStore) -> None:
    filler = "\n\n".join(
        f"On day {number} the rain fell on the roofs of the town." * 12 for number in range(80)
    )
    first = "The letter was written by Barnaby Quill, and nobody else saw it that night. " * 8
    second = "Barnaby Quill kept the golden key in a hollow oak behind the chapel. " * 9
    text = f"Chapter 1\n\n{first}\n\n{filler}\n\nChapter 2\n\n{filler}\n\n{second}"
    builder = StoryBuilder(store, "story", embedder=None)
    builder.add(SourceText("story.txt", text))
    builder.build()
    found, _ = StoryReader(store, "story").search("Where is the thing of whoever wrote the letter kept?", 2)
    texts = [
        store.stories.chapter("story", one.head).text[one.passage.start : one.passage.end] for one in found
    ]
    assert any("hollow oak" in one for one in texts)
