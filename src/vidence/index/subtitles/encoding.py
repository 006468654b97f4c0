"""Which encoding a subtitle file is in; few of them say."""

from __future__ import annotations

import codecs
import re

__all__ = ["decode_text"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # Before UTF-16, whose mark begins in the same way.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MOSTLY = 0.6
"""Share of non-ASCII bytes that stand alone: accents among Latin letters do, other scripts come in rows."""
_DAMAGED = 0.05
"""Bad bytes among the good characters of a UTF-8 file that was cut or patched."""
_USUAL = {
    "gb18030": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着，。！？、",
    "big5": "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著，。！？、",
    "shift_jis": "のにはをたがでてとしれさいるなあこうもかすまくんだ、。ー",
    "euc_kr": "이다는에가의을를은고하지나로해서기도어아니그있네요게한",
    "cp1251": "оеаинтсрвлкмдпуяызбгчйхжшюцщэф",
}  # fmt: skip
"""What a text in each encoding is full of; read as another it is full of other, rarer things."""
_LEAST = {"gb18030": 0.08, "big5": 0.08, "shift_jis": 0.3, "euc_kr": 0.08, "cp1251": 0.6}
"""The share of those that speaks for an encoding: high where nearly all letters are on its list."""


def decode_text(data: bytes) -> str | None:
    """Return the text of a file, or None when it is not text in any encoding known here."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    if b"\0" in data[:4000]:
        # Text has no zero bytes except in UTF-16, where they sit on one side of every ASCII character.
        little = data[1:4000:2].count(0) > data[0:4000:2].count(0)
        return _strict(data, "utf-16-le" if little else "utf-16-be")
    return _unicode(data) or _legacy(data)


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
    found = {name: text for name in _USUAL if (text := _strict(data, name)) is not None}
    best = max(found, key=lambda name: _usual(name, found[name]) / _LEAST[name], default=None)
    if best is not None and _usual(best, found[best]) >= _LEAST[best]:
        return found[best]
    return found.get("gb18030") or latin


def _usual(encoding: str, text: str) -> float:
    """Return the share of usual characters among all that are not ASCII."""
    letters = [char for char in text if not char.isascii()]
    return sum(char in _USUAL[encoding] for char in letters) / max(1, len(letters))


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
