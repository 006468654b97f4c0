"""Does an answer say what a reference answer says? A small model over shared words, figures and hedges.

Fitted on people's verdicts on half of the questions of a public set; `docs/stories.md` has its agreement with
people on the other half.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable

from vidence.language.numbers import NUMBER_WORD_PATTERN, RANK_PATTERN, number_value, numbers_in, rank_value
from vidence.language.tables import read_table
from vidence.language.tokens import sentences, stems

__all__ = ["PASS", "contains", "match_features", "match_probability", "same_answer"]

PASS = 0.65
"""The probability from which an answer counts as right: false passes cost more than misses."""
_HEDGE = re.compile(
    r"\b(?:i (?:do not|don't|am not|cannot|can't)|as an ai|sorry|unclear|unknown|unable|without more"
    r"|no (?:information|record|evidence)|could not find|couldn't find"
    r"|not (?:sure|clear|specified|possible|available))\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(r"\b(?:not|never|no)\b|n't\b", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"\s*(?:/|;|\bor\b)\s*")
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2})(?!\d)")
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_MONTH = re.compile(rf"\b(?:{_MONTHS})\b")
_DAY = re.compile(
    rf"\b(?P<month>{_MONTHS}) (?P<day>\d{{1,2}})\b|\b(?P<first>\d{{1,2}}) (?:of )?(?P<of>{_MONTHS})\b"
)
_CAPITALS = re.compile(r"\b[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)*")
_MENDED = (
    (re.compile(r"(?<=[a-z])(?=[A-Z][a-z])"), " "),
    (re.compile(r"(?<=[a-z])(?=\d)"), " "),
    (re.compile(r"(?<=\d)\. (?=\d)"), "."),
    (re.compile(r"(?<=[A-Za-z)”\"'])\d{1,2}(?=[.,;:\s]|$)"), ""),
    (re.compile(r"(?<=(?<!\d)(?:1[5-9]|20)\d{2})\d{1,4}(?=[.,;:]|\s*$)"), ""),
)
"""Text copied from web pages: words run together, decimals torn apart, numbers of footnotes after words."""
_RANK = re.compile(RANK_PATTERN)
_WRITTEN = re.compile(rf"\b(?:{NUMBER_WORD_PATTERN}|{RANK_PATTERN})\b", re.IGNORECASE)
_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FEW = 3
_LONGEST, _MOST_PARTS, _MOST_WORDS = 1500, 8, 12
"""Characters of an answer, alternatives of a reference and words of it that are compared."""


def same_answer(question: str, reference: str, answer: str) -> bool:
    """Say whether an answer passes against a reference answer."""
    return match_probability(question, reference, answer) >= PASS


def match_probability(question: str, reference: str, answer: str) -> float:
    """Return the probability that a person would call the answer right, by its best alternative."""
    weights = {name: float(value) for name, value in read_table("matching.tsv", "knowledge")}
    found = match_features(question, reference, answer)
    total = weights["bias"] + sum(weights[name] * value for name, value in found.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def match_features(question: str, reference: str, answer: str) -> dict[str, float]:
    """Return what speaks for and against an answer: features of the alternative that it fits best."""
    told = answer
    for pattern, mended in _MENDED:
        told = pattern.sub(mended, told)
    told, question = _in_digits(told), _in_digits(question)
    parts = [_in_digits(part) for part in _parts(reference)[:_MOST_PARTS]]
    rows = [_features(question, part, told[:_LONGEST]) for part in parts]
    best = max(rows, key=lambda one: (one["joined"], one["contains"], one["new"], one["near"]))
    return {
        **best,
        "parts": min(len(parts), 6) / 6,
        "parts_held": _mean(one["joined"] for one in rows),
        "parts_new": _mean(one["new"] for one in rows),
        **_clashes(parts, told[:_LONGEST]),
    }


def _in_digits(text: str) -> str:
    """Return a text with its numbers and ordinals in digits: seven is 7, the ninth is 9, 1,000 is 1000."""
    plain = _SEPARATOR.sub("", text)
    return _WRITTEN.sub(lambda found: _digits(found[0].lower()), plain)


def _digits(word: str) -> str:
    value = rank_value(word) if _RANK.fullmatch(word) else number_value(word)
    return word if value is None else f"{value:.0f}"


def _clashes(parts: list[str], answer: str) -> dict[str, float]:
    """Return whether any alternative has a month, year or number while the answer has only others."""
    rows = [_figures(part, answer) for part in parts]
    dated = any(_MONTH.search(_folded(part)) for part in parts)
    found = {
        f"clash_{kind}": float(any(one[f"other_{kind}"] for one in rows))
        for kind in ("figure", "year", "month", "day")
    }
    has_year = any(one["has_year"] for one in rows)
    decade = any(f"{year[:3]}0s" in answer for part in parts for year in _YEAR.findall(part))
    return {
        **found,
        "decade": float(decade),
        "year_alone": float(dated and has_year and not _MONTH.search(_folded(answer))),
    }


def contains(reference: str, answer: str) -> bool:
    """Say whether the reference, or one of its alternatives, stands in the answer, both normalised."""
    held = f" {_normal(answer)} "
    parts = [_normal(part) for part in _ALTERNATIVES.split(reference)]
    return any(part and f" {part} " in held for part in parts)


def _parts(reference: str) -> list[str]:
    return [part for part in _ALTERNATIVES.split(reference) if part.strip()] or [reference]


def _features(question: str, reference: str, answer: str) -> dict[str, float]:
    wanted, given = _normal(reference), _normal(answer)
    gold, said = stems(wanted), stems(given)
    asked, held = set(stems(_normal(question))), set(said)
    new = [one for one in gold if one not in asked] or gold
    shared_new = _share(new, held)
    is_in = float(contains(reference, answer))
    last, first = (float(bool(new) and new[at] in held) for at in (-1, 0))
    hedges, short = float(bool(_HEDGE.search(answer))), float(len(said) <= _FEW)
    begins = next(iter(sentences(answer)), answer)
    joined, whole = _bare(reference), _bare(answer)
    near = [_nearest(word, held) for word in new[:_MOST_WORDS]]
    figures = _figures(reference, answer)
    return {
        "contains": is_in,
        "joined": float(len(joined) >= _FEW and joined in whole),
        "begins": float(len(joined) >= _FEW and joined in _bare(begins)),
        "shared": _share(gold, held),
        "new": shared_new,
        "new_begins": _share(new, set(stems(_normal(begins)))),
        "near": _mean(near),
        "farthest": min(near, default=0.0),
        "last": last,
        "first": first,
        **figures,
        "hedges": hedges,
        "negates": float(bool(_NEGATED.search(begins))),
        "short": short,
        "precision": _share(said, set(gold)),
        "part_of": float(bool(given) and f" {given} " in f" {wanted} "),
        "new_short": shared_new * short,
        "new_squared": shared_new**2,
        "new_last": shared_new * last,
        "gold_length": min(len(gold), 8) / 8,
        "answer_length": math.log1p(len(said)) / 5,
        "other_names": _other_names(question, reference, answer),
        "contains_hedges": is_in * hedges,
        "new_hedges": shared_new * hedges,
        "lacks_figure_new": figures["lacks_figure"] * shared_new,
    }


def _figures(reference: str, answer: str) -> dict[str, float]:
    """Return whether the numbers, years and months of the reference stand in the answer, or others do."""
    found: dict[str, float] = {}
    pairs = {
        "figure": tuple(
            {one.value for one in numbers_in(text) if not one.is_vague} for text in (reference, answer)
        ),
        "year": tuple(set(_YEAR.findall(text)) for text in (reference, answer)),
        "month": tuple(set(_MONTH.findall(_folded(text))) for text in (reference, answer)),
        "day": tuple(_days(_folded(text)) for text in (reference, answer)),
    }
    for name, (wanted, said) in pairs.items():
        found[f"has_{name}"] = float(bool(wanted) and wanted <= said)
        found[f"lacks_{name}"] = float(bool(wanted) and not wanted & said)
        found[f"other_{name}"] = float(bool(wanted) and bool(said) and not wanted & said)
    return found


def _days(text: str) -> set[tuple[str, str]]:
    """Return the months with their days: july 4, 4 july, 4 of july."""
    return {(found["month"] or found["of"], found["day"] or found["first"]) for found in _DAY.finditer(text)}


def _other_names(question: str, reference: str, answer: str) -> float:
    known = f"{_folded(question)} {_folded(reference)}"
    others = {name for name in _CAPITALS.findall(answer) if _folded(name) not in known}
    return min(len(others), 8) / 8


def _nearest(word: str, held: set[str]) -> float:
    """Return how alike the most similar word is, by the letters that stand together: 0 to 1."""
    if word in held:
        return 1.0
    own = _trigrams(word)
    others = (_trigrams(one) for one in held if abs(len(one) - len(word)) <= _FEW)
    return max((len(own & other) / len(own | other) for other in others), default=0.0)


def _trigrams(word: str) -> set[str]:
    padded = f"  {word} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


def _mean(values: Iterable[float]) -> float:
    rows = list(values)
    return sum(rows) / max(1, len(rows))


def _share(words: list[str], held: set[str]) -> float:
    return sum(word in held for word in words) / max(1, len(words))


def _folded(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).casefold()
    return "".join(one for one in folded if not unicodedata.combining(one))


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", _folded(text))


def _normal(text: str) -> str:
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", re.sub(r"[^\w\s]", " ", _folded(text))).split())
