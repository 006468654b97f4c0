"""Text on screen: readings of one line become one, clocks keep their date, figures stay apart."""

from __future__ import annotations

import pytest

from vidence.queries.notes.screen import joined_blocks, merge_lines, tidy_text
from vidence.schema.observations import SeenText, TextSeen

Place = tuple[float, float, float, float]
HERE: Place = (0.1, 0.9, 0.4, 0.05)


def row(start: float, *lines: tuple[str, float, Place]) -> TextSeen:
    seen = tuple(SeenText(text=text, confidence=score, bbox=box) for text, score, box in lines)
    return TextSeen(start_time=start, end_time=start + 3.0, lines=seen)


def texts(*rows: TextSeen) -> list[str]:
    return [line.text for line in merge_lines(rows)]


def test_variants_of_a_line_are_one_line_over_all_its_time() -> None:
    readings = ("Marine biologlst", "Marine biologist", "Marlne biologist", "Marine biologist")
    found = merge_lines([row(3.0 * i, (text, 0.9, HERE)) for i, text in enumerate(readings)])
    assert [line.text for line in found] == ["Marine biologist"]
    assert (found[0].start_s, found[0].end_s) == (0.0, 12.0)


def test_a_running_clock_keeps_its_whole_date_and_its_ends() -> None:
    read = ("022-02-0118:26:38", "18:26:44", "18:26:4", "2022-02-0118:26:56")
    assert texts(*(row(3.0 * i, (text, 0.99, HERE)) for i, text in enumerate(read))) == [
        "2022-02-01 18:26:38 – 18:26:56"
    ]


def test_figures_that_differ_are_two_lines() -> None:
    assert texts(row(0, ("447 followers", 0.99, HERE)), row(3, ("448 followers", 0.99, HERE))) == [
        "447 followers",
        "448 followers",
    ]


def test_a_line_that_moves_or_returns_is_given_once() -> None:
    high: Place = (0.1, 0.1, 0.4, 0.05)
    assert texts(row(0, ("Subscribe now", 0.9, HERE)), row(9, ("Subscribe now", 0.9, high))) == [
        "Subscribe now"
    ]


@pytest.mark.parametrize(
    ("text", "read", "kept"),
    [
        ("Open daily", [0.95], True),
        ("Open daily", [0.85], False),
        ("每天营业", [0.85], True),
        ("每天营业", [0.7], False),
        ("Open daily", [0.7, 0.65], True),
    ],
)
def test_a_doubtful_line_needs_a_second_reading(text: str, read: list[float], kept: bool) -> None:
    found = texts(*(row(3.0 * i, (text, score, HERE)) for i, score in enumerate(read)))
    assert bool(found) is kept


def test_a_part_of_a_line_that_stands_there_before_and_after_is_no_text_of_its_own() -> None:
    whole: Place = (0.75, 0.9, 0.1, 0.04)
    left: Place = (0.76, 0.9, 0.05, 0.035)
    right: Place = (0.8, 0.9, 0.04, 0.03)
    rows = [
        row(0, ("AMCREST", 0.99, whole)),
        row(3, ("AM", 0.99, left), ("ICRI", 0.95, right)),
        row(6, ("AM", 0.99, left)),
        row(9, ("AMCREST", 0.99, whole)),
        row(12, ("AMCREST", 0.99, whole)),
    ]
    assert texts(*rows) == ["AMCREST"]


def test_a_letter_or_two_read_once_in_a_corner_is_a_mark() -> None:
    assert texts(row(0, ("LO", 0.99, (0.9, 0.8, 0.04, 0.07)))) == []
    assert texts(row(0, ("GO", 0.99, (0.3, 0.3, 0.4, 0.3)))) == ["GO"]


def test_a_single_small_character_is_an_icon() -> None:
    assert texts(row(0, ("8", 0.99, (0.01, 0.3, 0.015, 0.026)))) == []
    assert texts(row(0, ("3", 0.99, (0.4, 0.3, 0.2, 0.4)))) == ["3"]


@pytest.mark.parametrize(
    ("raw", "tidy"),
    [
        ("2022-02-0118:26:5", "2022-02-01 18:26:5"),
        ("2022年2月1日18:26", "2022年2月1日 18:26"),
        ("> 参与记录 ×", "参与记录"),
        ("☆", ""),
        ("a  b", "a b"),
    ],
)
def test_a_line_is_tidied(raw: str, tidy: str) -> None:
    assert tidy_text(raw) == tidy


def test_figures_in_a_table_stand_with_the_label_of_their_row() -> None:
    rows = [("粉丝量", "447", 0.61), ("涨粉率", "27%", 0.66), ("信用分", "100", 0.71)]
    lines = [
        line
        for label, figure, y in rows
        for line in (
            ("10000", 1.0, (0.3, y, 0.03, 0.026)),
            (label, 1.0, (0.41, y, 0.035, 0.026)),
            (figure, 1.0, (0.52, y, 0.02, 0.026)),
        )
    ]
    [block] = joined_blocks(merge_lines([row(0, *lines)]))
    assert [line.text for line in block] == ["10000 粉丝量 447", "10000 涨粉率 27%", "10000 信用分 100"]


def test_a_figure_stands_with_the_words_above_it() -> None:
    lines = merge_lines(
        [
            row(
                0,
                ("前日收入", 0.9, (0.477, 0.307, 0.042, 0.026)),
                ("0.44", 1.0, (0.477, 0.331, 0.035, 0.032)),
                ("参与记录", 0.9, (0.77, 0.47, 0.04, 0.026)),
            )
        ]
    )
    assert [[line.text for line in block] for block in joined_blocks(lines)] == [
        ["前日收入 0.44"],
        ["参与记录"],
    ]


def test_a_repeated_chinese_character_among_english_is_a_pattern() -> None:
    pattern, latin, chinese = ("长长", 0.95, HERE), ("Breaking news", 0.99, HERE), ("天气预报", 0.99, HERE)
    assert texts(row(0, pattern), row(3, latin)) == ["Breaking news"]
    assert texts(row(0, pattern), row(3, chinese)) == ["长长", "天气预报"]
    assert texts(row(0, pattern)) == ["长长"]
