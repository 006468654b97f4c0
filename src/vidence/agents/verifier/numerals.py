"""Numbers as people write them: digits, English words and Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Number", "chinese_value", "numbers_in"]

_ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {word: value for value, word in enumerate(_ONES)} | {
    word: 20 + 10 * index for index, word in enumerate(_TENS)
}
_ALSO = {"dozen": 12, "hundred": 100, "twice": 2, "thrice": 3, "couple": 2, "pair": 2}
_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "俩": 2, "三": 3, "仨": 3, "四": 4, "五": 5, "六": 6,
           "七": 7, "八": 8, "九": 9}  # fmt: skip
_UNITS = {"十": 10, "百": 100, "千": 1000}

_NUMBER = re.compile(
    r"(?P<digits>(?<![A-Za-z0-9_.])(?:(?<!第)|(?=[\d.]+秒))\d[\d,]*(?:\.\d+)?(?![A-Za-z0-9]*[A-Za-z]\d)(?!\d|(?-i:[A-Z])|st\b|nd\b|rd\b|th\b))"
    rf"|\b(?P<words>(?:{'|'.join(_TENS)})[-\s](?:{'|'.join(_ONES[1:10])})|{'|'.join([*_WORDS, *_ALSO])})\b"
    r"|(?P<ordinal>第)?(?P<chinese>[零〇一二两俩三仨四五六七八九十百千]+)",
    re.IGNORECASE,
)
_FULL_WIDTH = str.maketrans("０１２３４５６７８９：．", "0123456789:.")
# Where these follow or precede, the character is part of a word and no number.
_CHINESE_WORDS = re.compile(
    r"一(?:些|起|直|样|般|下|边|旁|定|切|次次|会儿|点|共|同|致|并|旦|方面|侧|端|名叫|种)|统一|同一|唯一|之一|"
    r"第[零一二三四五六七八九十百]+|十分|千万|万一|三角|三脚|四周|四处|五官|七夕|八卦|九州|星期[一二三四五六]|周[一二三四五六]|"
    r"礼拜[一二三四五六]|十字|百货|百度|千里|二维码|一直|进一步|逐一"
)


@dataclass(frozen=True)
class Number:
    """A number in a text, and what stands around it."""

    value: float
    text: str
    start: int
    end: int
    is_vague: bool = False
    """True for a bare "one" or 一, which is as often an article as a count."""


def numbers_in(text: str) -> list[Number]:
    """Return the cardinal numbers of a text; ordinals and numerals inside words are left out."""
    plain = text.translate(_FULL_WIDTH)
    inside = [match.span() for match in _CHINESE_WORDS.finditer(plain)]
    return [
        number for number in _found(plain) if not any(start <= number.start < end for start, end in inside)
    ]


def _found(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        if match["digits"]:
            yield Number(float(match["digits"].replace(",", "")), match[0], start, end)
        elif match["words"]:
            value = _word_value(match["words"].lower())
            yield Number(value, match[0], start, end, is_vague=value == 1)
        elif match["chinese"] and not match["ordinal"]:
            found = chinese_value(match["chinese"])
            if found is not None:
                yield Number(found, match[0], start, end, is_vague=found == 1)


def _word_value(words: str) -> float:
    parts = re.split(r"[-\s]+", words)
    return float(sum(_WORDS.get(part, _ALSO.get(part, 0)) for part in parts))


def chinese_value(text: str) -> float | None:
    """Return the value of Chinese numerals below ten thousand; None when they are no number."""
    if all(character in _DIGITS for character in text):
        # Digits in a row, as a year or a telephone number is read.
        return float("".join(str(_DIGITS[character]) for character in text))
    total, digit = 0, None
    for character in text:
        if character in _DIGITS:
            digit = _DIGITS[character]
        elif character in _UNITS:
            total += (1 if digit is None else digit) * _UNITS[character]
            digit = None
        else:
            return None
    return float(total + (digit or 0))
