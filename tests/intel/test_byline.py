"""What a saved page says about itself."""

from __future__ import annotations

from datetime import date

import pytest

from vidence.intel.byline import read_byline

BODY = "The store sold more games than ever before, said the company, and it gave several reasons. " * 3


@pytest.mark.parametrize(
    ("head", "day", "author"),
    [
        ("January 10, 2018 | By Alissa McAloon", date(2018, 1, 10), "Alissa McAloon"),
        (
            "By [Andy Chalk](https://x.org/a) published November 23, 2020",
            date(2020, 11, 23),
            "Andy Chalk",
        ),
        ("发布时间：2024年3月5日", date(2024, 3, 5), ""),
        ("**Thursday, December 29, 2022**", date(2022, 12, 29), ""),
        ("Feb 17, 2023 ... The store is open.", date(2023, 2, 17), ""),
        ("URL Source: https://news.example.org/2016/12/1/steam", date(2016, 12, 1), ""),
        ("Source: https://news.example.org/football/2010/dec/02/bid", date(2010, 12, 2), ""),
        ("The store was founded on 12 September 2003 in a garage far away from here.", None, ""),
        ("Yesterday", None, ""),
        ("冰心（1900年10月5日—1999年2月28日）福建长乐人", None, ""),
    ],
)
def test_a_day_counts_only_where_a_line_states_it(head: str, day: date | None, author: str) -> None:
    found = read_byline(f"{head}\n\n{BODY}")
    assert (found.published, found.author) == (day, author)


def test_an_address_keeps_its_marks() -> None:
    text = f"# Title\n\nThe Wayback Machine - http://x.org/view/7672_games_hit.php\n\n{BODY}"
    assert read_byline(text).url == "http://x.org/view/7672_games_hit.php"


def test_a_day_far_above_the_text_is_no_day_of_it() -> None:
    menu = "\n".join(f"item {number}" for number in range(20))
    assert read_byline(f"March 3, 2021\n{menu}\n{BODY}").published is None
