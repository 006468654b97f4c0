"""The inverted index scores as BM25 says, however its texts came in and went."""

from __future__ import annotations

import math

import numpy as np
import pytest

from vidence.language.tokens import index_text, term_id
from vidence.memory.bm25 import InvertedIndex, LazyList, inverse_frequency, term_scores

TEXTS = [index_text(text) for text in ("the cat sleeps", "a cat and a cat", "dogs bark at night", "猫在睡觉")]
TERMS = sorted({int(term) for text in TEXTS for term in text.terms})


def _filled(*, at_once: bool) -> InvertedIndex:
    index = InvertedIndex()
    if at_once:
        index.extend(TEXTS)
    for text in [] if at_once else TEXTS:
        index.add(text)
    return index


def _scores(index: InvertedIndex) -> dict[int, list[tuple[int, float]]]:
    found = {term: index.matches(term) for term in TERMS}
    return {
        term: list(zip(one.documents.tolist(), one.scores.tolist(), strict=True))
        for term, one in found.items()
    }


def test_the_formula_is_the_usual_one() -> None:
    assert inverse_frequency(10, 2) == pytest.approx(math.log(1 + 8.5 / 2.5))
    counts, lengths = np.array([1.0, 3.0, 0.0]), np.array([5.0, 10.0, 5.0])
    found = term_scores(counts, lengths, 5.0, idf=2.0, k1=1.2, b=0.75)
    expected = [2 * 1 * 2.2 / (1 + 1.2), 2 * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 2)), 0.0]
    np.testing.assert_allclose(found, expected)
    assert found.dtype == np.float64


def test_texts_added_at_once_and_one_by_one_score_alike() -> None:
    assert _scores(_filled(at_once=True)) == _scores(_filled(at_once=False))


def test_a_removed_text_counts_for_nothing() -> None:
    index = _filled(at_once=True)
    cat = term_id("cat")
    before, average = index.idf(cat), index.average_length
    index.remove(1)
    index.remove(1)
    assert index.matches(cat).documents.tolist() == [0]
    assert index.idf(cat) > before
    assert index.average_length != average
    assert (index.num_alive, len(index)) == (3, 4)


def test_an_index_is_saved_and_loaded_with_its_removals_and_goes_on() -> None:
    index = _filled(at_once=False)
    index.remove(2)
    loaded = InvertedIndex()
    loaded.fill(index.to_arrays(), TEXTS.__getitem__)
    assert _scores(loaded) == _scores(index)
    for one in (index, loaded):
        one.add(index_text("another cat"))
    assert _scores(loaded) == _scores(index)


def test_the_rarest_known_terms_come_first() -> None:
    rare = _filled(at_once=True).rarest(index_text("cat sleeps unheard"), 2)
    assert rare == [term_id("sleep"), term_id("cat")]


def test_a_lazy_list_reads_an_item_once_and_takes_new_ones() -> None:
    read: list[int] = []

    def load(place: int) -> str:
        read.append(place)
        return f"item {place}"

    items = LazyList(load, 2)
    items.append("new")
    assert (items[1], items[1], read) == ("item 1", "item 1", [1])
    items[0] = "changed"
    assert list(items) == ["changed", "item 1", "new"]
    assert read == [1]
