"""Finding texts again by words, meaning, neighbours, names and dates."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.memory.conftest import HashEmbedder
from vidence.memory import HybridRetriever
from vidence.memory.documents import Document
from vidence.memory.relevance import NOTHING_RELEVANT


def _retriever(*texts: str | Document, embedder: HashEmbedder | None = None) -> HybridRetriever:
    retriever = HybridRetriever(embedder=embedder)
    retriever.add_documents(texts)
    return retriever


@pytest.mark.parametrize("embedder", [None, HashEmbedder()])
def test_the_text_that_answers_comes_first(embedder: HashEmbedder | None) -> None:
    retriever = _retriever(
        "Anna adopted a grey cat",
        "Tom flew to Paris",
        "猫在厨房睡觉",
        "The train was late",
        embedder=embedder,
    )
    assert retriever.retrieve("Which animal did Anna adopt?", 1) == [0]
    assert retriever.retrieve("猫在哪里睡觉？", 1) == [2]
    assert len(retriever.retrieve("Anna", 10)) == 4


def test_adding_one_by_one_equals_adding_all_at_once() -> None:
    texts = [f"memory number {n} about topic {n % 7} and place {n % 5}" for n in range(60)]
    one, many = HybridRetriever(), HybridRetriever()
    for text in texts:
        one.add_documents([text])
    many.add_documents(texts)
    found = [[(h.index, h.score) for h in r.search("topic 3 place 2", 10).hits] for r in (one, many)]
    assert found[0] == found[1]


def test_a_removed_text_counts_no_more() -> None:
    kept, removed = _retriever("red apple", "green pear"), _retriever("red apple", "green pear", "red cherry")
    removed.remove(2)
    assert removed.retrieve("red", 5) == kept.retrieve("red", 5)
    assert [h.score for h in removed.search("red", 5).hits] == [h.score for h in kept.search("red", 5).hits]


def test_an_answer_is_found_beside_its_question() -> None:
    talk = ["What is your dog called?", "Rex, after my uncle.", "Nice weather today.", "I like tea."]
    retriever = _retriever(*(Document(text, group="s1") for text in talk), "Cats purr", "Birds sing")
    assert set(retriever.retrieve("the dog's name, what is the dog called", 2)) == {0, 1}


def test_a_question_that_names_someone_looks_among_their_words() -> None:
    retriever = _retriever(
        Document("I went to the lake on Sunday", speaker="Anna"),
        Document("I went to the lake on Sunday too", speaker="Tom"),
    )
    assert retriever.retrieve("When did Tom go to the lake?", 1) == [1]
    assert retriever.retrieve("When did Anna go to the lake?", 1) == [0]


@pytest.mark.parametrize("query", ["What did we do last May?", "去年五月我们做了什么", "in May 2022"])
def test_a_date_in_the_question_leads_to_what_was_said_then(query: str) -> None:
    def at(year: int, month: int) -> float:
        return datetime(year, month, 10).timestamp()

    retriever = _retriever(
        Document("We painted the fence", said_at=at(2022, 1)),
        Document("We planted a tree", said_at=at(2022, 5)),
        Document("We sold the car", said_at=at(2022, 9)),
    )
    assert retriever.search(query, 1, now=at(2023, 2)).hits[0].index == 1


def test_quoted_words_must_be_there_to_come_first() -> None:
    retriever = _retriever("the blue sky is so blue, blue, sky", "under a sky of blue we sang")
    assert retriever.retrieve('"sky of blue"', 1) == [1]


def test_a_name_mentioned_leads_to_the_text_about_it() -> None:
    retriever = _retriever(
        Document("Lyra is a novel by Jonas Karp.", subject="Lyra"),
        Document("He was born in Aarhus in 1950.", subject="Jonas Karp"),
        *(Document(f"A town with {n} people.", subject=f"Town {n}") for n in range(20)),
    )
    assert set(retriever.retrieve("Where was the author of Lyra born?", 2)) == {0, 1}


def test_nothing_relevant_is_an_answer(embedder: HashEmbedder) -> None:
    retriever = _retriever("Anna adopted a grey cat", "Tom flew to Paris", embedder=embedder)
    assert retriever.search("quantum chromodynamics lattice").answerable < NOTHING_RELEVANT
    assert retriever.search("Who adopted a cat?").answerable >= NOTHING_RELEVANT


def test_what_another_did_is_not_an_answer() -> None:
    retriever = _retriever(
        *(
            Document(text, speaker=who, group="s")
            for who, text in [
                ("Anna", "I ran a charity race last month."),
                ("Tom", "Great, Anna! I stayed home and read."),
                ("Anna", "The race raised money for a hospital."),
                ("Tom", "I am learning the guitar."),
            ]
        )
    )
    asked = [retriever.search(f"Which charity race did {who} run?").answerable for who in ("Anna", "Tom")]
    assert asked[0] > asked[1]


@pytest.mark.parametrize("query", ["", "   ", "???", "\0", "😀", "x" * 1_000_000, "שלום мир", "的"])
def test_strange_questions_do_no_harm(query: str, embedder: HashEmbedder) -> None:
    retriever = _retriever("Anna adopted a grey cat", "猫在厨房", embedder=embedder)
    assert len(retriever.search(query, 5).hits) <= 2
    assert HybridRetriever().retrieve(query or "cat", 5) == []


def test_scores_are_fused_half_and_half_by_default() -> None:
    retriever = HybridRetriever(adaptive=False)
    words, meaning = [0.0, 2.0, 4.0, *[0.0] * 9], [0.9, 0.1, 0.5, *[0.1] * 9]
    assert retriever._combine_scores(words, meaning)[:3] == pytest.approx([0.5, 0.25, 0.75])
    with pytest.raises(ValueError, match="alpha is 2"):
        HybridRetriever(alpha=2)
