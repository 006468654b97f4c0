"""What a written number comes to: digits, English words and Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["CHINESE_NUMERALS", "NUMBER_WORDS", "NUMBER_WORD_PATTERN", "number_value"]

_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "俩": 2, "三": 3, "仨": 3, "四": 4, "五": 5, "六": 6,
           "七": 7, "八": 8, "九": 9}  # fmt: skip
# A longer row of digits counts nothing.
_LONGEST = 18
_UNITS = {"十": 10, "百": 100, "千": 1000}

NUMBER_WORDS: Mapping[str, int] = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 20 + 10 * place for place, word in enumerate(_TENS)},
}
"""The English numbers of one word, zero to ninety."""
NUMBER_WORD_PATTERN = rf"(?:{'|'.join(_TENS)})[-\s](?:{'|'.join(_ONES[1:10])})|{'|'.join(NUMBER_WORDS)}"
"""A regular expression for the English numbers below a hundred; it wants word boundaries around it."""
CHINESE_NUMERALS = "".join([*_DIGITS, *_UNITS])
"""The characters Chinese numbers below ten thousand are written with."""

_WORDS = re.compile(NUMBER_WORD_PATTERN)


def number_value(text: str) -> int | None:
    """Return the value of a text that is one whole number, in lower case; None when it is not."""
    if _WORDS.fullmatch(text):
        return sum(NUMBER_WORDS[word] for word in re.split(r"[-\s]", text))
    return _numeral_value(text) if 0 < len(text) <= _LONGEST else None


def _numeral_value(text: str) -> int | None:
    digits = [_digit(character) for character in text]
    if None not in digits:
        # Digits in a row, as a year or a telephone number is read.
        return int("".join(map(str, digits)))
    total, last = 0, None
    for character, digit in zip(text, digits, strict=True):
        if digit is not None:
            last = digit
        elif character in _UNITS:
            total += (1 if last is None else last) * _UNITS[character]
            last = None
        else:
            return None
    return total + (last or 0)


def _digit(character: str) -> int | None:
    """Return the value of one digit, Chinese or, as in 2〇23, any other."""
    return int(character) if character.isdecimal() else _DIGITS.get(character)
