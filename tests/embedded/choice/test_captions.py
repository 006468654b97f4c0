"""Captions, clauses and words as the scorer reads them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vidence.embedded.choice.captions import VectorCache, clauses, content_words, gather, plain_caption
from vidence.schema.agent import MemoryUnit


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


def _counting() -> tuple[VectorCache, list[str]]:
    """Return a cache of three vectors and the texts its embedder was asked for."""
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> object:
        asked.extend(texts)
        return np.array([[len(text), 1.0] for text in texts], np.float32)

    return VectorCache(embed, kept=3), asked


def test_a_text_is_embedded_once() -> None:
    cached, asked = _counting()
    first, again = cached(["a", "bb", "a"]), cached(["bb", "a"])
    assert asked == ["a", "bb"]
    assert first.tolist() == [[1, 1], [2, 1], [1, 1]]
    assert again.tolist() == [[2, 1], [1, 1]]
    assert cached([]).shape[0] == 0


def test_the_text_used_longest_ago_is_forgotten_first() -> None:
    cached, asked = _counting()
    cached(["a", "b", "c"])
    cached(["a"])
    cached(["d"])
    cached(["a", "c", "d"])
    assert asked == ["a", "b", "c", "d"]
    cached(["b"])
    assert asked[-1] == "b"


def test_an_index_holds_captions_in_order_of_time() -> None:
    cached, _ = _counting()
    units = [
        MemoryUnit(frame_id=2, caption="A dog runs. It barks.", timestamp_s=4.0),
        MemoryUnit(frame_id=1, caption="A dog sits.", timestamp_s=2.0),
        MemoryUnit(frame_id=3, caption="  ", timestamp_s=6.0),
    ]
    index = gather(units, cached)
    assert index is not None
    assert [unit.frame_id for unit in index.units] == [1, 2]
    assert index.sentences == ("A dog sits.", "A dog runs.", "It barks.")
    assert index.unit_of.tolist() == [0, 1, 1]
    assert index.counts["dog"] == 2
    best = index.per_unit(np.array([[0.1], [0.9], [0.4]], np.float32))
    assert best[:, 0].tolist() == pytest.approx([0.1, 0.9])
    assert gather([], cached) is None
