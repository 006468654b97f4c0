"""On-screen text and speech prepared for quoting: what is legible, joined, cut and left out."""

from __future__ import annotations

import pytest

from vidence.index.narrate.words import quoted, read_texts, said, sentences, shorten
from vidence.schema.observations import SeenText, TextSeen
from vidence.schema.speech import Utterance

Bbox = tuple[float, float, float, float]


def _row(*lines: SeenText, at: float = 0.0) -> TextSeen:
    return TextSeen(start_time=at, end_time=at + 1, lines=lines)


def _line(text: str, bbox: Bbox = (0.1, 0.8, 0.3, 0.05), confidence: float = 0.95) -> SeenText:
    return SeenText(text=text, confidence=confidence, bbox=bbox)


@pytest.mark.parametrize("text", ["EXIT", "出口", "42", "A1B2C3", "12:30"])
def test_words_numbers_and_two_characters_are_legible(text: str) -> None:
    assert read_texts([_row(_line(text))])[0] == [text]


@pytest.mark.parametrize("text", ["ab", "出", "7", "-- !", "出a口"])
def test_specks_and_mixed_scraps_are_not(text: str) -> None:
    assert read_texts([_row(_line(text))]) == ([], 0.0, False)


def test_a_doubtful_reading_is_left_out() -> None:
    assert read_texts([_row(_line("EXIT", confidence=0.79))])[0] == []


def test_the_confidence_is_the_mean_of_the_lines_kept() -> None:
    far = (0.1, 0.1, 0.3, 0.05)
    _, sure, _ = read_texts([_row(_line("EXIT", confidence=0.9), _line("STAGE LEFT", far, confidence=1.0))])
    assert sure == pytest.approx(0.95)


def test_the_fuller_reading_of_a_line_replaces_the_shorter_one() -> None:
    rows = [_row(_line("STAGE LE")), _row(_line("STAGE LEFT"), at=1), _row(_line("STAGE"), at=2)]
    assert read_texts(rows)[0] == ["STAGE LEFT"]


def test_different_lines_stay_in_their_order() -> None:
    rows = [_row(_line("BREAKFAST")), _row(_line("EMERGENCY EXIT"), at=1)]
    assert read_texts(rows)[0] == ["BREAKFAST", "EMERGENCY EXIT"]


def test_chinese_lines_below_one_another_are_joined_without_a_space() -> None:
    rows = [_row(_line("今晚", (0.1, 0.2, 0.3, 0.05)), _line("发射", (0.1, 0.26, 0.3, 0.05)))]
    assert read_texts(rows)[0] == ["今晚发射"]


@pytest.mark.parametrize(
    "below",
    [(0.2, 0.26, 0.3, 0.05), (0.1, 0.5, 0.3, 0.05), (0.1, 0.26, 0.3, 0.1)],
    ids=["indented", "far below", "larger"],
)
def test_lines_that_are_not_one_block_stay_apart(below: Bbox) -> None:
    rows = [_row(_line("BREAKFAST", (0.1, 0.2, 0.3, 0.05)), _line("EMERGENCY EXIT", below))]
    assert read_texts(rows)[0] == ["BREAKFAST", "EMERGENCY EXIT"]


@pytest.mark.parametrize(
    ("bbox", "is_title"),
    [
        ((0.3, 0.4, 0.4, 0.1), True),
        ((0.3, 0.4, 0.4, 0.04), False),
        ((0.3, 0.85, 0.4, 0.1), False),
        ((0.0, 0.4, 0.3, 0.1), False),
    ],
    ids=["large and central", "small", "at the bottom", "at the left"],
)
def test_a_title_is_large_and_in_the_middle(bbox: Bbox, is_title: bool) -> None:
    assert read_texts([_row(_line("LAUNCH TONIGHT", bbox))])[2] is is_title


def _spoken(text: str, start: float = 0.0, confidence: float = 0.9) -> Utterance:
    return Utterance(start_time=start, end_time=start + 1, text=text, confidence=confidence)


def test_doubtful_speech_is_heard_but_not_quoted() -> None:
    assert said([_spoken("Hello.", confidence=0.3)], is_heard=True).quotes == ()
    found = said([_spoken("Hello.")], is_heard=False)
    assert (found.quotes, found.is_heard) == (("Hello",), True)
    assert not said([], is_heard=False).is_heard


def test_chinese_speech_is_never_glued_to_what_came_before() -> None:
    assert said([_spoken("so we go"), _spoken("走吧。", 1.2)], is_heard=True).quotes == ("so we go", "走吧")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One", "Two!", "Three?"]),
        ("Mr. Smith and Mrs. Jones. Bye.", ["Mr Smith and Mrs Jones", "Bye"]),
        ("It costs 3.50 euros.", ["It costs 3.50 euros"]),
        ("“Quoted.”", ["Quoted"]),
        ("你好！世界？好。", ["你好！", "世界？", "好"]),
        ("  ", []),
        ("...", []),
    ],
)
def test_sentences_lose_their_full_stops_only(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("one two three", 3, "one two three"),
        ("one two three four", 3, "one two three …"),
        ("一二三四五六", 4, "一二三四五六"),
        ("一二三四五六七", 4, "一二三四五…"),
        ("一二三四", 1, "一二三四"),
    ],
)
def test_texts_are_shortened_by_words_or_characters(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short


def test_quotation_marks_are_curly() -> None:
    assert quoted("EXIT") == "“EXIT”"
