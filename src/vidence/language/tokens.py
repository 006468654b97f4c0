"""The one tokeniser: words to search and match by, in two languages.

English words become stems, Chinese runs become pairs of characters. `terms` makes what memories are indexed
by, so its rules are part of stored data; `stems` makes what words are matched by at query time.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vidence.language.forms import stem
from vidence.language.identify import HAN
from vidence.language.tables import words_of

__all__ = [
    "ABOUT_HEARER",
    "ABOUT_SPEAKER",
    "IndexedText",
    "clean",
    "has_words",
    "index_text",
    "query_terms",
    "sentences",
    "stems",
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
# Function characters; the run between two of them is nearly always a word.
_JOINERS = re.compile(
    "[的了是在和与及或被把对于从向到为以之其而且但也就都又还很最个们吗呢吧啊哪谁什么怎样几多少何]+"
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”’')\]]*\s+|(?<=[。！？；])|\n{2,}|\s(?=\[)")
_FIRST_PERSON = re.compile(r"\b(?:i|my|me|mine|myself|we|our|ours|us)\b|[我咱俺]", re.IGNORECASE)
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself|u)\b|[你您]", re.IGNORECASE)
_STOP_STORED = words_of("stop_words.tsv", "any", "memory")
_STOP_MATCHING = words_of("stop_words.tsv", "any", "matching")
_QUESTION_STEMS = frozenset(stem(word, stored=True) for word in words_of("stop_words.tsv", "question"))

Hashes = NDArray[np.int64]


@dataclass(frozen=True)
class IndexedText:
    """The indexed form of a text: each distinct term, its count, and whom it is about."""

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


def clean(text: str) -> str:
    """Return the text without control characters, in one form of each character, with single spaces."""
    normal = unicodedata.normalize("NFKC", text)
    plain = "".join(
        " " if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co") else char for char in normal
    )
    return " ".join(plain.split())


def has_words(text: str) -> bool:
    """Say whether there is a letter or a digit in the text, of any script."""
    return any(char.isalnum() for char in text)


def terms(text: str) -> Iterator[str]:
    """Yield the index terms of a text, in order, with repetitions."""
    for token in _tokens(text):
        if _UNSPACED.match(token):
            yield from _pairs(token)
            yield from (word for word in _JOINERS.split(token) if 3 <= len(word) <= 4)
        elif token not in _STOP_STORED:
            yield stem(token, stored=True)


def stems(text: str) -> list[str]:
    """Return the content words of a text in order: stems, and pairs of Chinese characters."""
    found: list[str] = []
    for token in _tokens(text):
        if _UNSPACED.match(token):
            found += _pairs(token)
        elif token not in _STOP_MATCHING:
            found.append(stem(token.partition("'")[0]))
    return found


def query_terms(text: str) -> list[str]:
    """Return the distinct content terms of a question; all its terms when it has none."""
    found = list(dict.fromkeys(terms(text)))
    return [term for term in found if not _is_empty(term)] or found


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; the whole text when it has no ends of sentences."""
    found = [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]
    return found or [text]


def index_text(text: str, *, subject: str = "") -> IndexedText:
    """Return the indexed form of a text; terms of its subject count twice."""
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


@lru_cache(maxsize=1 << 17)
def term_id(term: str) -> int:
    """Return the number of a term in the index and the database, the same on every machine."""
    digest = hashlib.blake2b(term.encode(errors="replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def _tokens(text: str) -> Iterator[str]:
    """Yield words without their ending after an apostrophe, and whole runs of unspaced scripts."""
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).lower().replace("’", "'")):
        token = match.group()
        yield token.partition("'")[0] if token.isascii() else token


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)] or [run]


def _is_empty(term: str) -> bool:
    pair = len(term) == 2 and bool(_UNSPACED.match(term))
    return term in _QUESTION_STEMS or (pair and bool(_JOINERS.search(term)))


def _about(sentence: str) -> int:
    first, second = bool(_FIRST_PERSON.search(sentence)), bool(_SECOND_PERSON.search(sentence))
    if second:
        return ABOUT_HEARER | (ABOUT_SPEAKER if first else 0)
    # A question without a person is about nobody.
    return 0 if not first and sentence.rstrip().endswith(("?", "？")) else ABOUT_SPEAKER
