"""BM25 over an inverted index in memory that grows by one text at a time and is never rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from vidence.language.tokens import IndexedText

__all__ = ["InvertedIndex", "LazyList", "Matches", "inverse_frequency", "term_scores"]

_K1, _B = 0.7, 0.5
"""Chosen on the tuning halves: memories are short, so a term's second mention says little."""

_PRIOR_TEXTS = 20
"""This many texts without the term are added to the count: in a handful of texts no word is common."""

T = TypeVar("T")
Array = TypeVar("Array", NDArray[np.float32], NDArray[np.float64])
Ints = NDArray[np.int32]
Floats = NDArray[np.float32]


def inverse_frequency(num_texts: int, num_holding: int) -> float:
    """Return the inverse document frequency of a term that `num_holding` of the texts hold."""
    return float(np.log1p((num_texts - num_holding + 0.5) / (num_holding + 0.5)))


def term_scores(counts: Array, lengths: Array, average: float, *, idf: float, k1: float, b: float) -> Array:
    """Return what one term adds to the BM25 score of each text."""
    damping = k1 * (1 - b + b * lengths / average)
    return np.asarray((idf * (k1 + 1)) * counts / (counts + damping), counts.dtype)


class LazyList(Generic[T]):
    """A list whose first `size` items are read from disk by `load` when they are first used."""

    def __init__(self, load: Callable[[int], T] | None = None, size: int = 0) -> None:
        self._load = load
        self._items: list[T | None] = [None] * size

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, place: int) -> T:
        item = self._items[place]
        if item is None:
            assert self._load is not None
            item = self._items[place] = self._load(int(place))
        return item

    def __setitem__(self, place: int, item: T) -> None:
        self._items[place] = item

    def __iter__(self) -> Iterator[T]:
        return (self[place] for place in range(len(self)))

    def append(self, item: T) -> None:
        """Add an item that is already in memory."""
        self._items.append(item)


@dataclass(frozen=True)
class Matches:
    """The texts that hold one term."""

    documents: Ints
    scores: Floats
    about: NDArray[np.uint8]
    idf: float


class _Postings:
    """The documents of one term, in arrays with room to grow."""

    __slots__ = ("about", "counts", "documents", "size")

    def __init__(self, documents: Ints, counts: NDArray[np.uint16], about: NDArray[np.uint8]) -> None:
        self.documents, self.counts, self.about = documents, counts, about
        self.size = len(documents)

    def append(self, document: int, count: int, about: int) -> None:
        if self.size == len(self.documents):
            room = max(4, self.size)
            self.documents = np.concatenate([self.documents, np.zeros(room, np.int32)])
            self.counts = np.concatenate([self.counts, np.zeros(room, np.uint16)])
            self.about = np.concatenate([self.about, np.zeros(room, np.uint8)])
        self.documents[self.size], self.counts[self.size], self.about[self.size] = document, count, about
        self.size += 1


class InvertedIndex:
    """Which texts hold which terms; removed texts stop counting at once."""

    def __init__(self) -> None:
        self._postings: dict[int, _Postings] = {}
        self._gone: dict[int, int] = {}
        self._texts: LazyList[IndexedText] = LazyList()
        self._lengths = np.zeros(16, np.float32)
        self._total_length = 0.0
        self.alive = np.zeros(16, bool)
        self.num_alive = 0

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def average_length(self) -> float:
        """Mean number of terms in a text."""
        return self._total_length / max(self.num_alive, 1)

    def text(self, document: int) -> IndexedText:
        """Return the terms of one document."""
        return self._texts[document]

    def add(self, text: IndexedText) -> int:
        """Add one text and return its number."""
        document = self._register(text)
        for term, count, about in zip(
            text.terms.tolist(), text.counts.tolist(), text.about.tolist(), strict=True
        ):
            if term in self._postings:
                self._postings[term].append(document, count, about)
            else:
                self._postings[term] = _Postings(
                    np.array([document], np.int32), np.array([count], np.uint16), np.array([about], np.uint8)
                )
        return document

    def extend(self, texts: Sequence[IndexedText]) -> None:
        """Add many texts to an empty index, sorting once instead of appending one by one."""
        if len(self) or not texts:
            for text in texts:
                self.add(text)
            return
        for text in texts:
            self._register(text)
        terms = np.concatenate([text.terms for text in texts])
        owners = np.repeat(np.arange(len(texts), dtype=np.int32), [len(text.terms) for text in texts])
        order = np.argsort(terms, kind="stable")
        terms, owners = terms[order], owners[order]
        counts = np.concatenate([text.counts for text in texts])[order]
        about = np.concatenate([text.about for text in texts])[order]
        edges = np.flatnonzero(np.diff(terms, prepend=terms[:1] - 1, append=terms[-1:] + 1)).tolist()
        for start, end in pairwise(edges):
            span = slice(start, end)
            self._postings[int(terms[start])] = _Postings(owners[span], counts[span], about[span])

    def remove(self, document: int) -> None:
        """Stop counting a text."""
        if not self.alive[document]:
            return
        self.alive[document] = False
        self.num_alive -= 1
        self._total_length -= float(self._lengths[document])
        for term in self._texts[document].terms.tolist():
            self._gone[term] = self._gone.get(term, 0) + 1

    def idf(self, term: int) -> float:
        """Return how rare a term is; one never seen is the rarest of all."""
        postings = self._postings.get(term)
        frequency = postings.size - self._gone.get(term, 0) if postings else 0
        return inverse_frequency(self.num_alive + _PRIOR_TEXTS, frequency)

    def matches(self, term: int) -> Matches:
        """Return the texts that hold `term`, with what it adds to their scores."""
        idf = self.idf(term)
        postings = self._postings.get(term)
        if postings is None:
            return Matches(np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(0, np.uint8), idf)
        documents = postings.documents[: postings.size]
        counts, about = postings.counts[: postings.size], postings.about[: postings.size]
        if self.num_alive < len(self):
            living = self.alive[documents]
            documents, counts, about = documents[living], counts[living], about[living]
        average = max(self.average_length, 1.0)
        scores = term_scores(
            counts.astype(np.float32), self._lengths[documents], average, idf=idf, k1=_K1, b=_B
        )
        return Matches(documents, scores, about, idf)

    def rarest(self, text: IndexedText, number: int) -> list[int]:
        """Return the terms of `text` held by the fewest texts, the rarest first."""
        known = [(self._postings[term].size, term) for term in text.terms.tolist() if term in self._postings]
        return [term for _, term in sorted(known)[:number]]

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the index without its texts, for `fill`."""
        size = len(self)
        postings = list(self._postings.values())
        return {
            "terms": np.fromiter(self._postings, np.int64, len(postings)),
            "sizes": np.fromiter((one.size for one in postings), np.int64, len(postings)),
            "owners": _joined([one.documents[: one.size] for one in postings], np.int32),
            "counts": _joined([one.counts[: one.size] for one in postings], np.uint16),
            "about": _joined([one.about[: one.size] for one in postings], np.uint8),
            "gone": np.array([*self._gone.items()], np.int64).reshape(-1, 2),
            "lengths": self._lengths[:size],
            "alive": self.alive[:size],
        }

    def fill(self, arrays: Mapping[str, NDArray[Any]], text: Callable[[int], IndexedText]) -> None:
        """Load what `to_arrays` returned; texts are read on demand."""
        edges = np.concatenate([[0], np.cumsum(arrays["sizes"])]).tolist()
        owners, counts, about = arrays["owners"], arrays["counts"], arrays["about"]
        for term, (start, end) in zip(arrays["terms"].tolist(), pairwise(edges), strict=True):
            span = slice(start, end)
            self._postings[term] = _Postings(owners[span], counts[span], about[span])
        self._gone = {int(term): int(number) for term, number in arrays["gone"]}
        self._lengths, self.alive = arrays["lengths"], arrays["alive"]
        self._texts = LazyList(text, len(self._lengths))
        self.num_alive = int(self.alive.sum())
        self._total_length = float(self._lengths[self.alive].sum())

    def _register(self, text: IndexedText) -> int:
        document = len(self._texts)
        self._texts.append(text)
        if document == len(self._lengths):
            room = max(16, document)
            self._lengths = np.concatenate([self._lengths, np.zeros(room, np.float32)])
            self.alive = np.concatenate([self.alive, np.zeros(room, bool)])
        self._lengths[document] = text.length
        self._total_length += text.length
        self.alive[document] = True
        self.num_alive += 1
        return document


def _joined(parts: list[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, kind)
