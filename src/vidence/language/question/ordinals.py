"""Which one of several a question means: the third shot, the second time, 倒数第二个镜头."""

from __future__ import annotations

import re

from vidence.language.numbers import CHINESE_NUMERALS, RANK_PATTERN, rank_value
from vidence.language.question.form import Ordinal, OrdinalUnit

__all__ = ["clause_of_time", "find_ordinal"]

_FROM_END = (
    rf"(?P<from_end>{RANK_PATTERN})[- ](?:(?:to|from)[- ](?:the[- ])?)?last"
    r"|(?P<but_one>penultimate|next[- ]to[- ]last|last but one)"
)
_ENGLISH = re.compile(
    rf"\b(?:{_FROM_END}|(?P<last>last|final)|(?P<rank>{RANK_PATTERN}))"
    r"(?: (?:spoken|camera|single|other|hard))?"
    r" (?P<unit>times?|shots?|scenes?|cuts?|fades?|dissolves?|transitions?"
    r"|words?|sentences?|lines?|phrases?|thing|statement)\b"
    r"(?! of (?:day|year))",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    rf"(?:(?P<last>最后一?|末)|(?P<reverse>倒数)?第(?P<rank>[{CHINESE_NUMERALS}\d]+))"
    r"(?:个|段|幅|句)?(?P<unit>次|回|镜头|场景|画面|幕|单词|词|字|句话?|话)"
)
_UNITS: dict[str, OrdinalUnit] = {
    "time": "time", "shot": "shot", "scene": "scene", "word": "word", "sentence": "sentence",
    "cut": "cut", "fade": "cut", "dissolve": "cut", "transition": "cut",
    "line": "sentence", "phrase": "sentence", "thing": "sentence", "statement": "sentence",
    "次": "time", "回": "time", "镜头": "shot", "画面": "shot", "场景": "scene", "幕": "scene",
    "单词": "word", "词": "word", "字": "word", "句": "sentence", "句话": "sentence", "话": "sentence",
}  # fmt: skip
_SAID = re.compile(r"\b(?:say|says|said|speaks?|spoken|heard|utter\w*|tells?)\b|说|讲|念|话", re.IGNORECASE)
_TIME_CLAUSE = re.compile(
    rf"\b(?:last|final|{RANK_PATTERN})(?: time|-time) (?:that |when )?(?P<en>[^?,;:.]+)", re.IGNORECASE
)


def find_ordinal(text: str) -> Ordinal | None:
    """Return which shot, scene, time, word or sentence a question means; None where it means none."""
    for match in (*_ENGLISH.finditer(text), *_CHINESE.finditer(text)):
        unit = _UNITS[match["unit"].lower().removesuffix("s")]
        is_speech = unit in ("word", "sentence")
        number = _number(match)
        # "The first time" is the default, so it selects nothing.
        is_plain = unit == "time" and number == 1
        if number and not is_plain and (not is_speech or _SAID.search(text)):
            return Ordinal(number, unit)
    return None


def clause_of_time(text: str) -> str | None:
    """Return what happens "the second time …"; None where the text has no such words."""
    match = _TIME_CLAUSE.search(text)
    return match["en"].strip() if match else None


def _number(match: re.Match[str]) -> int | None:
    found = match.groupdict()
    if found.get("last"):
        return -1
    if found.get("but_one"):
        return -2
    rank = rank_value(found.get("from_end") or found["rank"])
    return -rank if rank and (found.get("from_end") or found.get("reverse")) else rank
