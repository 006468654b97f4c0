"""Dates as people say them."""

from __future__ import annotations

from datetime import date

import pytest

from vidence.language.dates import DateSpan, find_dates

TODAY = date(2023, 8, 16)
"""A Wednesday."""


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("last May", (2023, 5, 1), (2023, 5, 31)),
        ("last September", (2022, 9, 1), (2022, 9, 30)),
        ("上周三", (2023, 8, 9), (2023, 8, 9)),
        ("last Friday", (2023, 8, 11), (2023, 8, 11)),
        ("3 days ago", (2023, 8, 13), (2023, 8, 13)),
        ("twenty-one days ago", (2023, 7, 26), (2023, 7, 26)),
        ("yesterday", (2023, 8, 15), (2023, 8, 15)),
        ("昨天", (2023, 8, 15), (2023, 8, 15)),
        ("on 8 May, 2023", (2023, 5, 8), (2023, 5, 8)),
        ("May 8th, 2023", (2023, 5, 8), (2023, 5, 8)),
        ("2023年5月8日", (2023, 5, 8), (2023, 5, 8)),
        ("2023-05-08", (2023, 5, 8), (2023, 5, 8)),
        ("in May 2023", (2023, 5, 1), (2023, 5, 31)),
        ("last week", (2023, 8, 7), (2023, 8, 13)),
        ("上个月", (2023, 7, 1), (2023, 7, 31)),
        ("去年", (2022, 1, 1), (2022, 12, 31)),
        ("summer of 2022", (2022, 6, 1), (2022, 8, 31)),
        ("in December 2022", (2022, 12, 1), (2022, 12, 31)),
    ],
)
def test_a_date_is_read(text: str, start: tuple[int, int, int], end: tuple[int, int, int]) -> None:
    assert find_dates(text, today=TODAY) == [DateSpan(date(*start), date(*end))]


@pytest.mark.parametrize("text", ["2024-02-30", "he may come", "march on", "no date", "99月99日", "🗓"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert find_dates(text, today=TODAY) == []


def test_a_month_without_a_year_comes_every_year() -> None:
    (span,) = find_dates("五月八日", today=TODAY)
    assert span.holds(date(2020, 5, 8))
    assert not span.holds(date(2020, 5, 9))


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("We went to Paris in May.", date(2026, 5, 1)),
        ("I will move in May.", date(2027, 5, 1)),
        ("She was born on 3 December.", date(2025, 12, 3)),
        ("The deadline is 3 December.", date(2026, 12, 3)),
        ("五月我们去了巴黎", date(2026, 5, 1)),
        ("我打算五月搬家", date(2027, 5, 1)),
        ("born on 29 February", date(2024, 2, 29)),
    ],
)
def test_a_month_without_a_year_is_the_last_or_the_coming_one(text: str, start: date) -> None:
    (span,) = find_dates(text, today=date(2026, 11, 18))
    assert (span.start, span.yearly) == (start, True)
