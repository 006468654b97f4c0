"""Numbers as people write them: digits, English words and Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from vidence.language.numbers import CHINESE_NUMERALS, NUMBER_WORD_PATTERN, number_value

__all__ = ["Number", "numbers_in"]

_WORDS = {"dozen": 12, "hundred": 100, "twice": 2, "thrice": 3, "couple": 2, "pair": 2}
_NUMBER = re.compile(
    r"(?P<digits>(?<![A-Za-z0-9_.])(?:(?<!第)|(?=[\d.]+秒))\d[\d,]*(?:\.\d+)?(?![A-Za-z0-9]*[A-Za-z]\d)(?!\d|(?-i:[A-Z])|st\b|nd\b|rd\b|th\b))"
    rf"|\b(?P<words>{NUMBER_WORD_PATTERN}|{'|'.join(_WORDS)})\b"
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
        elif not match["ordinal"]:
            written = match[0].lower()
            value = _WORDS.get(written, number_value(written))
            if value is not None:
                yield Number(float(value), match[0], start, end, is_vague=value == 1)
