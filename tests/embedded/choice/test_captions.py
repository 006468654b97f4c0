"""Captions, clauses and words as the scorer reads them."""

from __future__ import annotations

import pytest

from vidence.embedded.choice.captions import clauses, content_words, plain_caption


@pytest.mark.parametrize(
    ("caption", "plain"),
    [
        ("#C C opens the door", "C opens the door"),
        ("#O person X picks a card", "person X picks a card"),
        ("The image showcases a baby on a bed.", "a baby on a bed."),
        ("画面显示一个男孩", "一个男孩"),
        ("  two   dogs ", "two dogs"),
    ],
)
def test_a_captioners_habits_are_removed(caption: str, plain: str) -> None:
    assert plain_caption(caption) == plain


def test_clauses_stand_between_punctuation_in_both_languages() -> None:
    assert clauses("C cuts wood, then rests. C leaves") == ["C cuts wood,", "then rests.", "C leaves"]
    assert clauses("男孩跑步，然后休息。") == ["男孩跑步，", "然后休息。"]
    assert clauses("...") == ["..."]


def test_words_keep_how_they_are_written_and_how_they_are_counted() -> None:
    cutting = content_words("C is cutting the woods")
    assert [word.surface for word in cutting] == ["cutting", "woods"]
    assert [word.stem for word in cutting] == ["cut", "wood"]


def test_chinese_words_are_pairs_of_characters() -> None:
    assert "自行" in [word.stem for word in content_words("骑自行车")]
