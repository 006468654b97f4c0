"""Detailed OCR of a frame: every line of text with its place, and corrections of misread words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from vidence.language.tables import read_table
from vidence.models.protocols import OcrReader
from vidence.models.text.tokenizer import load_sentencepiece
from vidence.models.vision.ppocr import PpOcrReader
from vidence.schema.perception import Rgb, TextLine

__all__ = ["VOCABULARY", "asks_for_text", "is_noise", "known_words", "likely_words", "read_lines"]

_ASKED = re.compile(
    r"\b(?:text|words?|letters?|writing|title|caption|subtitle|sign|signs|logo|headline|banner|inscription)\b"
    r"|文字|字幕|标题|招牌|标志|字样|文本",
    re.IGNORECASE,
)
_MIN_WORD = 5
VOCABULARY = ("use-multilingual-3", "vocabulary")
"""The model and the role of the file with the words of the text encoder."""
_NOISE_LETTERS = 2.0
"""Letters in a piece, on average, of a word that means nothing to the text encoder."""
_NAMED = ("coco.tsv", "imagenet.tsv", "kinetics400.tsv", "things.tsv", "places.tsv", "synonyms.tsv")
_ALIKE = ("mnh", "uvo", "il1jt", "oqcg0", "ceo", "bre8", "kxn", "s5", "z2", "uc", "fpt", "vy")
"""Letters that OCR confuses in blurred pictures."""


def asks_for_text(query: str) -> bool:
    """Return whether a query asks for text as such: "text", "the title", "sign"."""
    return bool(_ASKED.search(query))


def read_lines(image: Rgb, reader: OcrReader) -> list[TextLine]:
    """Return the lines of a frame in reading order, in the reader's detailed mode if it has one."""
    lines = reader.read_closely(image) if isinstance(reader, PpOcrReader) else reader.read([image])[0]
    return [TextLine(line.text.strip(), line.confidence, line.box) for line in lines if line.text.strip()]


def likely_words(text: str, vocabulary: Path) -> str | None:
    """Return the text with misread words corrected; None if nothing was corrected.

    A word is corrected if replacing exactly one letter by a similar one gives exactly one known word.
    """
    words = frozenset(word for word in known_words(vocabulary) if len(word) >= _MIN_WORD - 1)
    parts = re.split(r"([^\W\d_]+)", text)
    fixed = [_fixed(part, words) if index % 2 else part for index, part in enumerate(parts)]
    return "".join(fixed) if fixed != parts else None


def _fixed(word: str, words: frozenset[str]) -> str:
    lowered = word.lower()
    if len(word) < _MIN_WORD or not word.isascii() or lowered in words:
        return word
    found = sorted(set(_changed(lowered)) & words)
    if len(found) != 1:
        return word
    return found[0].upper() if word.isupper() else found[0].capitalize() if word[0].isupper() else found[0]


def _changed(word: str) -> Iterable[str]:
    for place, letter in enumerate(word):
        for group in _ALIKE:
            if letter in group:
                yield from (word[:place] + other + word[place + 1 :] for other in group if other != letter)


def is_noise(word: str, vocabulary: Path) -> bool:
    """Tell whether a word is none: in no vocabulary, and broken into the smallest pieces by the encoder."""
    if word in known_words(vocabulary):
        return False
    pieces = load_sentencepiece(vocabulary).encode(word).tokens
    return len(word) <= _NOISE_LETTERS * len(pieces)


@lru_cache(maxsize=2)
def known_words(vocabulary: Path) -> frozenset[str]:
    """Return the English words that the text encoder or our tables of things, actions and places know."""
    pieces = load_sentencepiece(vocabulary).get_vocab()
    whole = {piece[1:].lower() for piece in pieces if piece.startswith("▁") and piece[1:].isascii()}
    named = (cell for table in _NAMED for row in read_table(table) for cell in row)
    return frozenset({*whole, *(word for cell in named for word in re.findall(r"[a-z]+", cell.lower()))})
