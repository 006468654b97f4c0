"""Reading closely: what counts as asking for text, and how misread words are put right."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from vidence.app import open_workspace
from vidence.media import open_video
from vidence.models.shelf import ModelShelf
from vidence.queries.objects.reading import asks_for_text, likely_words, read_lines
from vidence.schema.perception import Box, Rgb, TextLine


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


@pytest.mark.parametrize(
    ("misread", "right"),
    [
        ("Cmrist", "Christ"),
        ("cmrist", "christ"),
        ("JESUS CMRIST!", "JESUS CHRIST!"),
        ("欢迎 CMRIST 2013", "欢迎 CHRIST 2013"),
    ],
)
def test_a_corrected_word_keeps_its_case_and_everything_around_it(
    shelf: ModelShelf, misread: str, right: str
) -> None:
    assert likely_words(misread, shelf.file("use-multilingual-3", "vocabulary")) == right


@pytest.mark.parametrize("text", ["CMRI", "CMRJST", "C2RIST", "12345", "!!!"])
def test_two_wrong_letters_digits_and_short_words_are_not_guessed(shelf: ModelShelf, text: str) -> None:
    assert likely_words(text, shelf.file("use-multilingual-3", "vocabulary")) is None


class Reader:
    """A user's own reader, which reads the same lines off every picture."""

    model_id = "own-reader"

    def __init__(self, *lines: str) -> None:
        self._lines = [TextLine(line, 0.9, Box(0.1, 0.1, 0.5, 0.1)) for line in lines]

    def read(self, images: Sequence[Rgb]) -> list[list[TextLine]]:
        return [list(self._lines) for _ in images]


def test_lines_of_any_reader_keep_their_order_without_blanks_and_margins() -> None:
    picture = np.zeros((8, 8, 3), np.uint8)
    found = read_lines(picture, Reader("  EXIT ", "", " \t", "出口"))
    assert [line.text for line in found] == ["EXIT", "出口"]
    assert all(line.confidence == 0.9 and line.box.w == 0.5 for line in found)
    assert read_lines(picture, Reader()) == []


@pytest.mark.slow
def test_the_title_of_the_sample_is_read_closely(shelf: ModelShelf, sample: Path) -> None:
    with open_video(sample) as reader:
        [picture] = [one.rgb(max_side=1600) for one in reader.at([2.0])]
    words = " ".join(line.text for line in read_lines(picture, shelf.ocr)).lower()
    assert "vidence" in words
