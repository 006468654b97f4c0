"""What counts as a quotation."""

from __future__ import annotations

import pytest

from vidence.language.quotations import quotations, unquoted, without_quotations


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('Who says "hello there"?', ("hello there",)),
        ("谁说了“你好”？", ("你好",)),
        ("「再见」和『明天』", ("再见", "明天")),
        ("《林投姐》是谁的作品？", ("林投姐",)),
        ("Does he say 'never again'?", ("never again",)),
        ("Does he say ‘never again’?", ("never again",)),
        ("“one\" and 'two'", ("one", "two")),
        ("the dog's ball and the cat's eyes", ()),
        ("the dog’s ball and the cats’ eyes", ()),
        ('an empty "" one and a blank " "', ()),
    ],
)
def test_every_kind_of_quotation_mark_is_read(text: str, found: tuple[str, ...]) -> None:
    assert quotations(text) == found


def test_a_quotation_can_be_taken_out_or_lose_its_marks() -> None:
    assert without_quotations('Is "THE END" shown?') == "Is   shown?"
    assert without_quotations("有“结束”吗", instead="…") == "有…吗"
    assert unquoted('Is "THE END" shown?') == "Is THE END shown?"
