"""Does an answer say what a reference answer says? A small model over shared words, figures and hedges.

Fitted on people's verdicts on half of the questions of a public set; `docs/stories.md` has its agreement with
people on the other half.
"""

from __future__ import annotations

import math
import re
import unicodedata

from vidence.language.numbers import numbers_in
from vidence.language.tables import read_table
from vidence.language.tokens import stems

__all__ = ["PASS", "contains", "match_probability", "same_answer"]

PASS = 0.7
"""The probability from which an answer counts as right: false passes cost more than misses."""
_HEDGE = re.compile(
    r"\b(?:i (?:do not|don't|am not|cannot|can't)|as an ai|sorry|unclear|unknown|unable|without more"
    r"|no (?:information|record|evidence)|could not find|couldn't find"
    r"|not (?:sure|clear|specified|possible|available))\b",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(r"\s*(?:/|;|\bor\b)\s*")
_YEAR = re.compile(r"\b(?:1\d{3}|20\d{2})\b")
_FEW = 3


def same_answer(question: str, reference: str, answer: str) -> bool:
    """Say whether an answer passes against a reference answer."""
    return match_probability(question, reference, answer) >= PASS


def match_probability(question: str, reference: str, answer: str) -> float:
    """Return the probability that a person would call the answer right, by its best alternative."""
    parts = [part for part in _ALTERNATIVES.split(reference) if part.strip()] or [reference]
    best = max(
        (_features(question, part, answer) for part in parts), key=lambda one: (one["contains"], one["new"])
    )
    weights = {name: float(value) for name, value in read_table("matching.tsv", "knowledge")}
    total = weights["bias"] + sum(weights[name] * value for name, value in best.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def contains(reference: str, answer: str) -> bool:
    """Say whether the reference, or one of its alternatives, stands in the answer, both normalised."""
    held = f" {_normal(answer)} "
    parts = [_normal(part) for part in _ALTERNATIVES.split(reference)]
    return any(part and f" {part} " in held for part in parts)


def _features(question: str, reference: str, answer: str) -> dict[str, float]:
    wanted, given = _normal(reference), _normal(answer)
    gold, said = stems(wanted), stems(given)
    asked, held = set(stems(_normal(question))), set(said)
    new = [one for one in gold if one not in asked] or gold
    shared_new = _share(new, held)
    figures = {one.value for one in numbers_in(reference) if not one.is_vague}
    stated = {one.value for one in numbers_in(answer) if not one.is_vague}
    years = _YEAR.findall(reference)
    is_in = float(contains(reference, answer))
    last, first = (float(bool(new) and new[at] in held) for at in (-1, 0))
    hedges, short = float(bool(_HEDGE.search(answer))), float(len(said) <= _FEW)
    lacks_figure = float(bool(figures) and not figures & stated)
    return {
        "contains": is_in,
        "shared": _share(gold, held),
        "new": shared_new,
        "last": last,
        "first": first,
        "figures": float(bool(figures) and figures <= stated),
        "lacks_figure": lacks_figure,
        "years": float(bool(years) and all(year in answer for year in years)),
        "lacks_year": float(bool(years) and not any(year in answer for year in years)),
        "hedges": hedges,
        "short": short,
        "precision": _share(said, set(gold)),
        "part_of": float(bool(given) and f" {given} " in f" {wanted} "),
        "new_short": shared_new * short,
        "new_squared": shared_new**2,
        "new_last": shared_new * last,
        "gold_length": min(len(gold), 8) / 8,
        "answer_length": min(len(said), 60) / 60,
        "contains_hedges": is_in * hedges,
        "new_hedges": shared_new * hedges,
        "lacks_figure_new": lacks_figure * shared_new,
    }


def _share(words: list[str], held: set[str]) -> float:
    return sum(word in held for word in words) / max(1, len(words))


def _normal(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(one for one in folded if not unicodedata.combining(one))
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", re.sub(r"[^\w\s]", " ", plain)).split())
