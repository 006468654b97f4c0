"""Reading closely: what counts as asking for text, and how misread words are put right."""

from __future__ import annotations

import pytest

from vidence.app import open_workspace
from vidence.models.shelf import ModelShelf
from vidence.queries.objects.reading import asks_for_text, likely_words


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> ModelShelf:
    with open_workspace(home=tmp_path_factory.mktemp("reading")) as workspace:
        return workspace.indexer.shelf


@pytest.mark.parametrize("query", ["text", "the title", "a sign", "words on the wall", "文字", "标题"])
def test_text_is_asked_for_in_either_language(query: str) -> None:
    assert asks_for_text(query)


@pytest.mark.parametrize("query", ["a kettle", "context", "designer bag", "水壶"])
def test_things_are_not_taken_for_text(query: str) -> None:
    assert not asks_for_text(query)


def test_one_letter_that_looks_alike_is_put_right(shelf: ModelShelf) -> None:
    vocabulary = shelf.file("use-multilingual-3", "vocabulary")
    assert likely_words("CMRIST", vocabulary) == "CHRIST"


def test_known_short_and_foreign_words_are_left_alone(shelf: ModelShelf) -> None:
    vocabulary = shelf.file("use-multilingual-3", "vocabulary")
    for words in ("Station", "TAXI", "Brandon", "xqzvwk", "欢迎光临", ""):
        assert likely_words(words, vocabulary) is None
