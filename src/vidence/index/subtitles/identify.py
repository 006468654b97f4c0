"""The encoding and the language of a subtitle file, recognised by its bytes, its words or its name."""

from __future__ import annotations

import codecs
import re
from functools import cache

from vidence.language.identify import count_han
from vidence.language.tables import read_table

__all__ = ["decode_text", "guess_language", "language_code"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # Before UTF-16, whose mark begins in the same way.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MOSTLY = 0.6
"""Share of isolated non-ASCII bytes: accents among Latin letters are isolated, other scripts come in runs."""
_DAMAGED = 0.05
"""Share of bad bytes that a UTF-8 file which was cut or patched may have."""
_STRAY = 0.02
"""Share of zero bytes that a damaged text may have; UTF-16 has far more."""
_LEAST_WORDS, _AHEAD = 2, 1.25
"""A language needs this many of its little words, and this many times those of any other language."""


def decode_text(data: bytes) -> str | None:
    """Return the text of a file, or None when it is not text in a known encoding."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if data[:4000].count(0) > _STRAY * len(data[:4000]):
        # Text has many zero bytes only in UTF-16, on one side of every ASCII character.
        little = data[1:4000:2].count(0) > data[0:4000:2].count(0)
        return _strict(data, "utf-16-le" if little else "utf-16-be")
    # A few are damage: a block that was never written, or a hand that slipped.
    whole = data.replace(b"\0", b"")
    return _unicode(whole) or _legacy(whole)


def _unicode(data: bytes) -> str | None:
    text = data.decode("utf-8", errors="replace")
    bad = text.count("\ufffd")
    good = sum(not char.isascii() for char in text) - bad
    return text if bad <= _DAMAGED * good else None


def _legacy(data: bytes) -> str | None:
    rows = re.findall(rb"[\x80-\xff]+", data)
    alone = sum(len(row) == 1 for row in rows)
    latin = _strict(data, "cp1252")
    if latin is not None and alone > _MOSTLY * sum(map(len, rows)):
        return latin
    found = {name: text for name in _rows("encoding") if (text := _strict(data, name)) is not None}
    fit = {name: _fit(name, text) for name, text in found.items()}
    best = max(fit, key=lambda name: fit[name], default=None)
    if best is not None and fit[best] >= 1.0:
        return found[best]
    return found.get("gb18030") or latin


def _fit(encoding: str, text: str) -> float:
    """Return the share of usual characters among all that are not ASCII, over what the encoding needs."""
    least, usual = _rows("encoding")[encoding]
    letters = [char for char in text if not char.isascii()]
    return sum(char in usual for char in letters) / max(1, len(letters)) / float(least)


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def language_code(tag: str) -> str | None:
    """Return the ISO 639-1 code a file name names: `zh`, `zh-CN`, `en.forced`, `chs`, …"""
    first = re.split(r"[.\-_]", tag.lower())[0]
    named = next((name for name, (_, names) in _rows("names").items() if first in names.split()), None)
    if named:
        return named
    return first if re.fullmatch(r"[a-z]{2}", first) else None


def guess_language(text: str) -> str | None:
    """Return the language by its script or its commonest little words; None when neither is clear."""
    letters = [c for c in text if c.isalpha()]
    if not letters:
        return None
    total = len(letters)
    if sum("\u3040" <= c <= "\u30ff" for c in letters) > total * 0.1:
        return "ja"
    if sum("\uac00" <= c <= "\ud7a3" for c in letters) > total * 0.3:
        return "ko"
    if count_han(text) > total * 0.3:
        return "zh"
    if sum("\u0400" <= c <= "\u04ff" for c in letters) > total * 0.5:
        return "ru"
    return _by_words(re.findall(r"[^\W\d_]+", text.lower()))


def _by_words(words: list[str]) -> str | None:
    little = {name: set(row.split()) for name, (_, row) in _rows("words").items()}
    counts = {name: sum(word in little[name] for word in words) for name in little}
    best, second = sorted(counts, key=lambda name: counts[name], reverse=True)[:2]
    is_clear = counts[best] >= max(_LEAST_WORDS, _AHEAD * counts[second]) and counts[best] > counts[second]
    return best if is_clear else None


@cache
def _rows(kind: str) -> dict[str, tuple[str, str]]:
    return {row[1]: (row[2], row[3]) for row in read_table("subtitles.tsv", "index") if row[0] == kind}
