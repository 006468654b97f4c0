"""Words to search by, in two languages: stems for English, character pairs and runs for Chinese.

`snowballstemmer` does the English stemming: it is pure Python, maintained, and the reference implementation
of the algorithm; irregular forms are ours.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from vidence.language.identify import HAN
from vidence.language.stems import FIRST_PERSON, IRREGULAR, QUESTION_WORDS, SECOND_PERSON, STOP_WORDS

__all__ = [
    "ABOUT_HEARER",
    "ABOUT_SPEAKER",
    "IndexedText",
    "index_text",
    "query_terms",
    "sentences",
    "term_id",
    "terms",
]

ABOUT_SPEAKER, ABOUT_HEARER = 1, 2

_KANA = "\u3040-\u30ff"
_TOKEN = re.compile(
    rf"[{HAN}{_KANA}]+|\d+(?:[.,:]\d+)+|(?:(?![{HAN}{_KANA}])[^\W_])+(?:'[a-z]+)?"
    "|[\u2600-\u27bf\U0001f300-\U0001faff]"
)
_UNSPACED = re.compile(rf"[{HAN}{_KANA}]")
# Characters that join words rather than make them; what stands between two of them is nearly always a word.
_JOINERS = re.compile(
    "[的了是在和与及或被把对于从向到为以之其而且但也就都又还很最个们吗呢吧啊哪谁什么怎样几多少何]+"
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”’')\]]*\s+|(?<=[。！？；])|\n{2,}|\s(?=\[)")
_MAX_TERM = 64

Hashes = NDArray[np.int64]


@dataclass(frozen=True)
class IndexedText:
    """A text as the index keeps it: each distinct term, how often, and about whom it was said."""

    terms: Hashes
    counts: NDArray[np.uint16]
    about: NDArray[np.uint8]

    @property
    def length(self) -> int:
        return int(self.counts.sum())

    def to_bytes(self) -> bytes:
        """Return the form kept in the database."""
        return self.terms.tobytes() + self.counts.tobytes() + self.about.tobytes()

    @classmethod
    def from_bytes(cls, body: bytes) -> IndexedText:
        """Read what `to_bytes` wrote."""
        size = len(body) // 11
        return cls(
            np.frombuffer(body, np.int64, size),
            np.frombuffer(body, np.uint16, size, offset=8 * size),
            np.frombuffer(body, np.uint8, size, offset=10 * size),
        )


def terms(text: str) -> Iterator[str]:
    """Yield the search terms of a text, in order and with repetitions."""
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).lower().replace("’", "'")):
        token = match.group()
        if _UNSPACED.match(token):
            yield from _unspaced(token)
        elif token.isascii():
            word = token.partition("'")[0]
            if word not in STOP_WORDS:
                yield _stem(word)
        else:
            yield token[:_MAX_TERM]


def query_terms(text: str) -> list[str]:
    """Return the distinct terms a question is about; all of them when it has no other."""
    found = list(dict.fromkeys(terms(text)))
    return [term for term in found if not _is_empty(term)] or found


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; the whole text when it has no ends of sentences."""
    found = [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]
    return found or [text]


def index_text(text: str, *, subject: str = "") -> IndexedText:
    """Return what the index keeps of a text; its subject counts twice."""
    counts: dict[int, int] = {}
    about: dict[int, int] = {}
    for sentence in sentences(text):
        whom = _about(sentence)
        for term in terms(sentence):
            key = term_id(term)
            counts[key] = counts.get(key, 0) + 1
            about[key] = about.get(key, 0) | whom
    for term in terms(subject):
        key = term_id(term)
        counts[key] = counts.get(key, 0) + 2
        about[key] = about.get(key, 0) | ABOUT_SPEAKER
    return IndexedText(
        np.fromiter(counts, np.int64, len(counts)),
        np.minimum(np.fromiter(counts.values(), np.int64, len(counts)), 0xFFFF).astype(np.uint16),
        np.fromiter(about.values(), np.uint8, len(about)),
    )


def _is_empty(term: str) -> bool:
    pair = len(term) == 2 and bool(_UNSPACED.match(term))
    return term in _QUESTION_STEMS or (pair and bool(_JOINERS.search(term)))


@lru_cache(maxsize=1 << 17)
def term_id(term: str) -> int:
    """Return the number a term goes by in the index and the database, the same on every machine."""
    digest = hashlib.blake2b(term.encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _unspaced(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for start in range(len(run) - 1):
        yield run[start : start + 2]
    for word in _JOINERS.split(run):
        if 3 <= len(word) <= 4:
            yield word


def _about(sentence: str) -> int:
    first, second = bool(FIRST_PERSON.search(sentence)), bool(SECOND_PERSON.search(sentence))
    if second:
        return ABOUT_HEARER | (ABOUT_SPEAKER if first else 0)
    # A question that names neither is about nobody yet.
    return 0 if not first and sentence.rstrip().endswith(("?", "？")) else ABOUT_SPEAKER


@lru_cache(maxsize=1 << 17)
def _stem(word: str) -> str:
    word = word[:_MAX_TERM]
    return str(_STEMMER.stemWord(IRREGULAR.get(word, word)))


_STEMMER = snowballstemmer.stemmer("english")
_QUESTION_STEMS = frozenset(_stem(word) for word in QUESTION_WORDS)
