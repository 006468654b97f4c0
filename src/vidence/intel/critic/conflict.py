"""Contradictions between two sentences: numbers, dates, names and negations that cannot both be right.

Two sentences contradict each other where they say the same but for one thing. They are aligned word by word:
a single slot that differs, between words that agree, is the disagreement. Where several things differ, such
as the quarter and the sum, the sentences speak of different things.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from functools import lru_cache

from vidence.language.identify import HAN
from vidence.language.numbers import numbers_in
from vidence.language.tables import words_of
from vidence.schema.briefing import DisputeKind

__all__ = ["Conflict", "find_conflict"]

_TOKEN = re.compile(rf"\d+(?:[.,:]\d+)*|[A-Za-z]+(?:[.'’-][A-Za-z]+)*\.?|[{HAN}]|[%$€£¥°]")
_LEAST_SHARED = 0.6
"""The share of the shorter sentence that must agree."""
_LEAST_SHARED_HAN = 0.8
"""The same for a disagreement about a Chinese name."""
_LEAST_AGREED = 5
"""Different words, stop words not counted, that must agree."""
_LEAST_RUN_HAN = 3
_LONGEST_HAN_NAME = 8
_LONGER = 3
"""A name is at most so many times as long as the one in its place."""
_MARKS = re.compile(r"[，。！？；：、《》“”（）()\s,.;:!?]")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_STAMP = re.compile(r"^\s*[A-Z][a-z]{2} \d{1,2}, \d{4} \.\.\. ")
"""The day with which search services begin an excerpt."""
_MOST_ADDED = 3
_WIDEST = 8
"""Words that a slot may hold; in Chinese, characters."""
_STOP = words_of("stop_words.tsv", "any", "matching")
_NEGATIONS = words_of("negations.tsv", "word", room="intel")
_HAN = re.compile(f"[{HAN}]")
_DATE_WORDS = words_of("negations.tsv", "date", room="intel")
_POINTERS = words_of("negations.tsv", "pointer", room="intel")
_SCALES = words_of("negations.tsv", "scale", room="intel")


@dataclass(frozen=True)
class Conflict:
    """What two sentences disagree about, in the words of each."""

    kind: DisputeKind
    one: str
    other: str


@dataclass(frozen=True)
class _Word:
    key: str
    start: int
    end: int


@dataclass(frozen=True)
class _Slot:
    one: tuple[int, int]
    other: tuple[int, int]


def find_conflict(one: str, other: str) -> Conflict | None:
    """Return what two sentences disagree about; None when they agree, or speak of different things."""
    one, other = (unicodedata.normalize("NFKC", _STAMP.sub("", text)) for text in (one, other))
    mine, held = _words(one), _words(other)
    if not mine or not held:
        return None
    blocks = _agreements(mine, held)
    agreed = {mine[place].key for block in blocks for place in range(block.a, block.a + block.size)}
    shared = sum(block.size for block in blocks)
    if shared < _LEAST_SHARED * min(len(mine), len(held)) or len(agreed - _STOP) < _LEAST_AGREED:
        return None
    is_close = shared >= _LEAST_SHARED_HAN * min(len(mine), len(held))
    found: dict[tuple[str, str], Conflict] = {}
    for slot in _slots(blocks, len(mine), len(held)):
        conflict = _read(one, other, mine, held, slot)
        if conflict is _DIFFERENT:
            return None
        if conflict is not None and conflict.kind == "name" and _HAN.search(conflict.one) and not is_close:
            # Without capitals any run of characters may stand where a name does.
            return None
        if conflict is not None:
            found.setdefault((conflict.one.casefold(), conflict.other.casefold()), conflict)
    return next(iter(found.values())) if len(found) == 1 else None


def _agreements(mine: Sequence[_Word], held: Sequence[_Word]) -> list[Match]:
    """Return the runs of words that agree; in Chinese, where a character alone says little, longer ones."""
    matcher = SequenceMatcher(None, [w.key for w in mine], [w.key for w in held], autojunk=False)
    is_chinese = sum(bool(_HAN.match(word.key)) for word in mine) > len(mine) / 2
    least = _LEAST_RUN_HAN if is_chinese else 1
    return [block for block in matcher.get_matching_blocks() if block.size >= least]


def _slots(blocks: Sequence[Match], mine: int, held: int) -> list[_Slot]:
    """Return the differing parts; a longer beginning or end is what one sentence adds, and is none."""
    edges = [(0, 0), *((block.a + block.size, block.b + block.size) for block in blocks)]
    starts = [*((block.a, block.b) for block in blocks), (mine, held)]
    slots = [
        _Slot((a1, a2), (b1, b2))
        for (a1, b1), (a2, b2) in zip(edges, starts, strict=True)
        if a1 < a2 or b1 < b2
    ]
    return [slot for slot in slots if not _is_addition(slot, mine, held)]


def _is_addition(slot: _Slot, mine: int, held: int) -> bool:
    (a1, a2), (b1, b2) = slot.one, slot.other
    at_edge = (a1 == 0 and b1 == 0) or (a2 == mine and b2 == held)
    return at_edge and (a1 == a2 or b1 == b2 or max(a2 - a1, b2 - b1) > _WIDEST)


_DIFFERENT = Conflict("statement", "", "")
"""Stands for: these sentences speak of different things."""


def _read(one: str, other: str, mine: Sequence[_Word], held: Sequence[_Word], slot: _Slot) -> Conflict | None:
    """Return what a slot disagrees about; None where it does not matter."""
    left, right = mine[slice(*slot.one)], held[slice(*slot.other)]
    if not left or not right:
        added = left or right
        if _denies(added) and len(added) <= _MOST_ADDED:
            return Conflict("negation", _around(one, mine, slot.one), _around(other, held, slot.other))
        return None
    if max(len(left), len(right)) > _WIDEST:
        return _DIFFERENT
    said, says = _text(one, left), _text(other, right)
    if _plain(said) == _plain(says):
        return None
    figures, others = _figures(said), _figures(says)
    if figures and others:
        if _points(one, mine, slot.one) or _points(other, held, slot.other):
            return _DIFFERENT
        return _figure_conflict(left, right, said, says)
    if _denies(left) != _denies(right) and max(len(left), len(right)) <= _MOST_ADDED:
        return Conflict("negation", said, says)
    if _is_name(said, left, at_start=slot.one[0] == 0) and _is_name(says, right, at_start=slot.other[0] == 0):
        longer, shorter = sorted((_plain(said), _plain(says)), key=len, reverse=True)
        is_other = shorter not in longer and len(longer) <= _LONGER * len(shorter)
        kind: DisputeKind = "date" if _is_date(left) and _is_date(right) else "name"
        return Conflict(kind, said, says) if is_other else None
    if all(word.key in _STOP for word in [*left, *right]):
        return None
    return _DIFFERENT if figures or others else None


def _words(text: str) -> list[_Word]:
    return [_Word(_key(match[0]), match.start(), match.end()) for match in _TOKEN.finditer(text)]


def _denies(words: Sequence[_Word]) -> bool:
    return any(word.key in _NEGATIONS for word in words)


@lru_cache(maxsize=1 << 14)
def _key(token: str) -> str:
    return token.casefold().rstrip(".").replace(",", "") if not _HAN.match(token) else token


def _text(text: str, words: Sequence[_Word]) -> str:
    return text[words[0].start : words[-1].end]


def _around(text: str, words: Sequence[_Word], span: tuple[int, int]) -> str:
    first, last = max(span[0] - 2, 0), min(span[1] + 2, len(words))
    return _text(text, words[first:last])


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _figures(text: str) -> frozenset[float]:
    return frozenset(number.value for number in numbers_in(text) if not number.is_vague)


def _figure_conflict(left: Sequence[_Word], right: Sequence[_Word], said: str, says: str) -> Conflict | None:
    """Return the disagreement of two slots with figures of the same kind."""
    if _figures(said) == _figures(says) and _scales(left) == _scales(right):
        return None
    kinds = _is_date(left), _is_date(right)
    if kinds[0] != kinds[1] or _counted(left) != _counted(right):
        return _DIFFERENT
    return Conflict("date" if kinds[0] else "number", said, says)


def _points(text: str, words: Sequence[_Word], span: tuple[int, int]) -> bool:
    """Tell whether a figure only points somewhere: Chapter 4, 第四章, E0382."""
    first = words[span[0]]
    before = words[span[0] - 1].key if span[0] else ""
    glued = text[first.start - 1 : first.start]
    after = words[span[1]].key if span[1] < len(words) else ""
    return before in _POINTERS or after in _POINTERS or (glued.isascii() and glued.isalpha())


def _is_date(words: Sequence[_Word]) -> bool:
    return any(word.key in _DATE_WORDS or _YEAR.fullmatch(word.key) for word in words)


def _scales(words: Sequence[_Word]) -> set[str]:
    return {word.key for word in words if word.key in _SCALES}


def _counted(words: Sequence[_Word]) -> set[str]:
    """Return the words of a slot that say what its figure is about."""
    beside = _STOP | _SCALES | _DATE_WORDS
    return {word.key for word in words if word.key not in beside and not word.key[0].isdigit()}


def _is_name(text: str, words: Sequence[_Word], *, at_start: bool) -> bool:
    """Tell whether a slot holds a name: capitals inside a sentence, or a short Chinese run without verbs."""
    if _HAN.search(text):
        return 2 <= len(words) <= _LONGEST_HAN_NAME and not _MARKS.search(text) and not _figures(text)
    content = [word for word in words if word.key not in _STOP]
    capitals = [word for word in content if text[word.start - words[0].start].isupper()]
    return bool(content) and len(capitals) == len(content) and not (at_start and len(content) == 1)
