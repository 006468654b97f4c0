"""A written number comes to the same value in digits, in English and in Chinese."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vidence.language.numbers import (
    CHINESE_NUMERALS,
    NUMBER_WORD_PATTERN,
    NUMBER_WORDS,
    number_value,
    number_word,
    numbers_in,
    rank_value,
)

ONES = "零一二三四五六七八九"


def in_chinese(number: int) -> str:
    """Write a number below ten thousand as Chinese does: 一百零三, 二千零二十."""
    written, gap = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit:
            written += ("零" if gap and written else "") + ONES[digit] + name
        gap = not digit
    return written or "零"


@settings(deadline=None)
@given(st.integers(0, 9999))
def test_chinese_numerals_are_read_as_they_are_written(number: int) -> None:
    assert number_value(in_chinese(number)) == number


@settings(deadline=None)
@given(st.integers(0, 9999))
def test_digits_in_a_row_are_read_as_a_year_is(number: int) -> None:
    assert number_value("".join(ONES[int(digit)] for digit in str(number))) == number
    assert number_value(str(number)) == number


@pytest.mark.parametrize("ten", [word for word, value in NUMBER_WORDS.items() if value >= 20])
@pytest.mark.parametrize("joint", ["-", " "])
def test_english_tens_and_ones_are_added(ten: str, joint: str) -> None:
    for one, value in list(NUMBER_WORDS.items())[1:10]:
        assert number_value(f"{ten}{joint}{one}") == NUMBER_WORDS[ten] + value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("zero", 0),
        ("nineteen", 19),
        ("十", 10),
        ("十二", 12),
        ("两百", 200),
        ("俩", 2),
        ("一九九八", 1998),
        ("２０２３", 2023),
        ("2〇23", 2023),
        ("3十", 30),
    ],
)
def test_other_ways_to_write_a_number(text: str, value: int) -> None:
    assert number_value(text) == value


@pytest.mark.parametrize(
    "text", ["", " ", "dog", "one two", "twenty-ten", "二狗", "a", "1.5", "-3", "²", "9" * 500, "一" * 500]
)
def test_what_is_no_whole_number_has_no_value(text: str) -> None:
    assert number_value(text) is None


@settings(deadline=None)
@given(st.text(alphabet=CHINESE_NUMERALS, min_size=1, max_size=12))
def test_every_row_of_numerals_has_a_value(text: str) -> None:
    value = number_value(text)
    assert value is not None
    assert value >= 0


def test_the_pattern_takes_the_whole_of_a_compound() -> None:
    found = re.search(rf"\b(?:{NUMBER_WORD_PATTERN})\b", "some twenty-one of seventy")
    assert found is not None
    assert found[0] == "twenty-one"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Three people and 12 cups", [3, 12]),
        ("twenty-one birds, a hundred ants", [21, 100]),
        ("1,250 fans", [1250]),
        ("三个人和十二个杯子", [3, 12]),
        ("两只猫", [2]),
        ("二十五辆车", [25]),
        ("一百零三人", [103]),
        ("３个人", [3]),
        ("the 2nd man, B12, v2x", []),
        ("第三个人", []),
        ("他们一起走", []),
        ("十分高兴", []),
        ("2.5 metres", [2.5]),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, values: list[float]) -> None:
    assert [number.value for number in numbers_in(text)] == values


@pytest.mark.parametrize(("text", "value"), [("third", 3), ("21st", 21), ("三", 3), ("dog", None)])
def test_ordinals_have_a_value(text: str, value: int | None) -> None:
    assert rank_value(text) == value


def test_small_numbers_have_a_word() -> None:
    assert [number_word(value) for value in (0, 3, 19)] == ["zero", "three", "nineteen"]
