"""Written numbers: digits, English words and Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

__all__ = [
    "CHINESE_NUMERALS",
    "NUMBER_WORDS",
    "NUMBER_WORD_PATTERN",
    "RANK_PATTERN",
    "Number",
    "number_value",
    "number_word",
    "numbers_in",
    "rank_value",
]

_ONES: list[str] = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
)
_TENS: list[str] = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_RANKS: list[str] = re.findall(r"\w+", "first second third fourth fifth sixth seventh eighth ninth tenth")
_COUNTING = {"dozen": 12, "hundred": 100, "twice": 2, "thrice": 3, "couple": 2, "pair": 2}
_DIGITS = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "俩": 2, "三": 3, "仨": 3, "四": 4, "五": 5, "六": 6,
           "七": 7, "八": 8, "九": 9}  # fmt: skip
_UNITS = {"十": 10, "百": 100, "千": 1000}
# A longer row of digits counts nothing.
_LONGEST = 18

NUMBER_WORDS: Mapping[str, int] = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: 20 + 10 * place for place, word in enumerate(_TENS)},
}
"""The English numbers of one word, zero to ninety."""
NUMBER_WORD_PATTERN = rf"(?:{'|'.join(_TENS)})[-\s](?:{'|'.join(_ONES[1:10])})|{'|'.join(NUMBER_WORDS)}"
"""A regular expression for the English numbers below a hundred; it needs word boundaries around it."""
CHINESE_NUMERALS = "".join([*_DIGITS, *_UNITS])
"""The characters Chinese numbers below ten thousand are written with."""
RANK_PATTERN = rf"(?:{'|'.join(_RANKS)}|\d+(?:st|nd|rd|th))"
"""A regular expression for English ordinals: first to tenth, 11th and so on."""

_WORDS = re.compile(NUMBER_WORD_PATTERN)
_NUMBER = re.compile(
    r"(?P<digits>(?<![A-Za-z0-9_.])(?:(?<!第)|(?=[\d.]+秒))\d[\d,]*(?:\.\d+)?(?![A-Za-z0-9]*[A-Za-z]\d)(?!\d|(?-i:[A-Z])|st\b|nd\b|rd\b|th\b))"
    rf"|\b(?P<words>{NUMBER_WORD_PATTERN}|{'|'.join(_COUNTING)})\b"
    rf"|(?P<ordinal>第)?(?P<chinese>[{CHINESE_NUMERALS}]+)",
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
    """A number in a text, and where it stands."""

    value: float
    text: str
    start: int
    end: int
    is_vague: bool = False
    """True for a bare "one" or 一, which is as often an article as a count."""


def number_value(text: str) -> int | None:
    """Return the value of a text that is one whole number, in lower case; None when it is not."""
    if _WORDS.fullmatch(text):
        return sum(NUMBER_WORDS[word] for word in re.split(r"[-\s]", text))
    return _numeral_value(text) if 0 < len(text) <= _LONGEST else None


def number_word(value: int) -> str:
    """Return the English word for a number from zero to nineteen."""
    return _ONES[value]


def rank_value(text: str) -> int | None:
    """Return the value of an ordinal: third, 3rd, or 三 after 第; None when it is none."""
    lowered = text.lower()
    if lowered in _RANKS:
        return _RANKS.index(lowered) + 1
    digits = re.match(r"\d+", lowered)
    return int(digits[0]) if digits else number_value(lowered)


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
        elif not match["ordinal"]:
            written = match[0].lower()
            value = _COUNTING.get(written, number_value(written))
            if value is not None:
                yield Number(float(value), match[0], start, end, is_vague=value == 1)


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
