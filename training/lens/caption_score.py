"""Figures for captions: corpus BLEU-4 and CIDEr-D, on words already split."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["bleu4", "cider"]

Words = Sequence[str]
Counts = Counter[tuple[str, ...]]

_ORDERS = (1, 2, 3, 4)
_LENGTH_SPREAD = 6.0  # CIDEr-D's sigma


def bleu4(candidates: Sequence[Words], references: Sequence[Sequence[Words]]) -> float:
    """Return corpus BLEU-4, 0 to 1: clipped n-gram precisions, brevity by the nearest reference length."""
    right, total = [0] * 4, [0] * 4
    said = wanted = 0
    for candidate, several in zip(candidates, references, strict=True):
        said += len(candidate)
        wanted += min((abs(len(one) - len(candidate)), len(one)) for one in several)[1]
        for place, n in enumerate(_ORDERS):
            counts, most = _grams(candidate, n), Counter[tuple[str, ...]]()
            for one in several:
                most |= _grams(one, n)
            right[place] += (counts & most).total()
            total[place] += counts.total()
    if not all(right):
        return 0.0
    precision = math.exp(sum(math.log(r / t) for r, t in zip(right, total, strict=True)) / 4)
    return precision * min(1.0, math.exp(1 - wanted / said))


def cider(candidates: Sequence[Words], references: Sequence[Sequence[Words]]) -> float:
    """Return CIDEr-D, the mean over candidates: 10 is a caption equal to every reference."""
    seen: Counts = Counter()
    for several in references:
        seen.update({gram for one in several for n in _ORDERS for gram in _grams(one, n)})
    total = math.log(max(len(references), 2))
    scores = [
        sum(_alike(candidate, one, seen, total) for one in several) / len(several)
        for candidate, several in zip(candidates, references, strict=True)
    ]
    return 10 * sum(scores) / len(scores)


def _alike(candidate: Words, reference: Words, seen: Counts, total: float) -> float:
    """Return the mean over n of the clipped cosine of rarity-weighted n-grams, less for another length."""
    gap = len(candidate) - len(reference)
    found = 0.0
    for n in _ORDERS:
        ours, theirs = (_weighed(_grams(words, n), seen, total) for words in (candidate, reference))
        norms = math.hypot(*ours.values()) * math.hypot(*theirs.values())
        if norms:
            found += sum(min(ours[g], w) * w for g, w in theirs.items() if g in ours) / norms
    return found / len(_ORDERS) * math.exp(-(gap**2) / (2 * _LENGTH_SPREAD**2))


def _weighed(counts: Counts, seen: Counts, total: float) -> dict[tuple[str, ...], float]:
    return {gram: count * (total - math.log(max(seen[gram], 1))) for gram, count in counts.items()}


def _grams(words: Words, n: int) -> Counts:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
