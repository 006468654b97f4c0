"""What the critic's small models read: hashed grams of characters and words, shared words, figures, names."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vidence.language.numbers import numbers_in
from vidence.language.tables import words_of
from vidence.language.tokens import terms

__all__ = [
    "BUCKETS",
    "char_grams",
    "hashed",
    "new_characters",
    "pair_features",
    "support_features",
    "target_grams",
]

BUCKETS = 1 << 16
Floats = NDArray[np.float32]
_WORD = re.compile(r"\w+|[!?]")
_NAME = re.compile(r"[A-Z][\w'’.-]+")
_YEAR = re.compile(r"\b\d{4}\b")
_CLAUSE = re.compile(r",| and | but | while | which | who | where |，|；|、|而且|并且|但是")
_NEAR = 6
"""Words on either side of a target whose side counts."""
_NEGATIONS = "不没未无非别莫否"
_CUES = sorted(words_of("negations.tsv", "cue", room="intel"))
"""Words that change what follows from a sentence: all, only, may, must, already."""


def hashed(grams: Iterable[str], buckets: int = BUCKETS) -> NDArray[np.int64]:
    """Return the distinct buckets of grams, sorted; the same on every machine."""
    return np.unique(np.fromiter((zlib.crc32(gram.encode()) % buckets for gram in grams), np.int64))


def char_grams(text: str, longest: int = 3) -> list[str]:
    """Return the runs of one to `longest` characters of a text."""
    return [
        text[start : start + size] for size in range(1, longest + 1) for start in range(len(text) - size + 1)
    ]


def target_grams(text: str, start: int | None = None, end: int | None = None) -> list[str]:
    """Return words and pairs of words, the target masked, and the side of those near to it."""
    masked = text if start is None else f"{text[:start]} TTT {text[end:]}"
    words = _WORD.findall(masked.lower())
    grams = [*words, *(f"{one} {two}" for one, two in pairwise(words))]
    if "ttt" in words:
        place = words.index("ttt")
        near = range(max(0, place - _NEAR), min(len(words), place + _NEAR + 1))
        grams += [f"{'L' if at < place else 'R'}:{words[at]}" for at in near if at != place]
    return grams


def new_characters(premise: str, claim: str) -> str:
    """Return the characters of a claim that its premise does not hold."""
    return "".join(character for character in claim if character not in premise)


def pair_features(premise: str, claim: str) -> list[float]:
    """Return how a claim relates to a premise by their words, figures and negations."""
    mine, held = set(terms(premise)), set(terms(claim))
    shared = len(mine & held)
    letters, others = set(premise), set(claim)
    denied = [sum(text.count(one) for one in _NEGATIONS) for text in (premise, claim)]
    figures = [{number.value for number in numbers_in(text)} for text in (premise, claim)]
    run = SequenceMatcher(None, premise, claim, autojunk=False).find_longest_match().size
    values = [
        shared / max(len(held), 1),
        shared / max(len(mine), 1),
        len(letters & others) / max(len(others), 1),
        len(premise) / 50,
        len(claim) / 20,
        denied[0],
        denied[1],
        denied[1] > 0 and denied[0] == 0,
        denied[0] % 2 != denied[1] % 2,
        run / max(len(claim), 1),
        bool(figures[1] - figures[0]),
        bool(figures[1] & figures[0]),
        len(others - letters),
    ]
    for cue in _CUES:
        values += [cue in claim, cue in premise, cue in claim and cue not in premise]
    return [float(value) for value in values]


def support_features(
    statement: str, evidence: Sequence[str], statement_vector: Floats, vectors: Floats
) -> list[float]:
    """Return how much of a statement sentences hold: words, clauses, figures, names and meaning."""
    wanted = set(terms(statement))
    held = [set(terms(one)) for one in evidence]
    everything = set().union(*held)
    covers = sorted((len(wanted & one) / max(len(wanted), 1) for one in held), reverse=True)
    gains, chosen = _cover(wanted, held)
    likeness = np.sort(vectors @ statement_vector)[::-1]
    nearest = np.argsort(-(vectors @ statement_vector), kind="stable")[:5]
    best = " ".join([*(evidence[place] for place in nearest), *(evidence[place] for place in chosen)])
    whole = " ".join(evidence)
    clauses = [set(terms(part)) for part in _CLAUSE.split(statement) if len(set(terms(part))) > 1] or [wanted]
    parts = [max(len(part & one) / max(len(part), 1) for one in held) for part in clauses]
    names = [name.lower().strip(".'’") for name in _NAME.findall(statement)]
    return [
        covers[0],
        covers[1] if len(covers) > 1 else covers[0],
        sum(gains[:2]),
        sum(gains),
        len(wanted & everything) / max(len(wanted), 1),
        float(likeness[0]),
        float(likeness[:3].mean()),
        _share(_figures(statement), _figures(best)),
        _share(_figures(statement), _figures(whole)),
        _share(names, best.lower()),
        _share(names, whole.lower()),
        min(parts),
        sum(parts) / len(parts),
        len(wanted) / 20,
        float(len(clauses)),
        float(len(_figures(statement))),
        float(len(wanted - everything)),
    ]


def _cover(wanted: set[str], held: Sequence[set[str]]) -> tuple[list[float], list[int]]:
    """Return what each of four sentences adds, and which they are, chosen one after the other."""
    left, gains, chosen = set(wanted), [], []
    for _ in range(4):
        place = max(range(len(held)), key=lambda at: len(left & held[at]))
        gains.append(len(left & held[place]) / max(len(wanted), 1))
        chosen.append(place)
        left -= held[place]
    return gains, chosen


def _figures(text: str) -> set[str]:
    return {f"{number.value:g}" for number in numbers_in(text) if not number.is_vague} | set(
        _YEAR.findall(text)
    )


def _share(wanted: Iterable[str], held: Iterable[str] | str) -> float:
    listed = list(wanted)
    return sum(one in held for one in listed) / len(listed) if listed else 1.0
