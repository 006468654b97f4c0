"""The critic on the parts of the shared sets that were not fitted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from vidence.bench.report import Counts
from vidence.bench.shared import load_set_file
from vidence.bench.topics_sets import is_held_out
from vidence.intel.critic.conflict import find_conflict
from vidence.intel.critic.entailment import LABELS, relations
from vidence.intel.critic.sentiment import english_sentiment, sentiment_of, sentiments
from vidence.intel.critic.support import support_probability
from vidence.intel.digest import Embed
from vidence.language.tokens import sentences, terms

__all__ = ["critic_rows"]

CriticRow = tuple[str, float, float | None, str, str, int]
"""Measure, ours, floor, which floor, goal, number."""
_POLARITY = {2: "negative", 4: "neutral", 6: "positive"}


def critic_rows(folder: Path, embed: Embed) -> Iterator[CriticRow]:
    """Yield every measure of the critic."""
    yield _support(folder, embed)
    for language in ("en", "zh"):
        yield from _altered(folder, language)
    yield _entailment(folder, embed)
    yield _disputes(folder, embed)
    yield _annotator(folder)
    yield from _reviews(folder, embed)
    yield _news(folder, embed)


def _support(folder: Path, embed: Embed) -> CriticRow:
    rows = load_set_file("wice", folder)
    held = [row for row in rows if is_held_out(row["claim"], of=2)]
    truth = [row["label"] == "supported" for row in held]
    ours = [support_probability(row["claim"], row["evidence"], embed) >= 0.5 for row in held]
    fitted = [row for row in rows if not is_held_out(row["claim"], of=2)]
    step = _best_step([_overlap(row) for row in fitted], [row["label"] == "supported" for row in fitted])
    floor = [_overlap(row) >= step for row in held]
    return "WiCE support F1", _f1(truth, ours), _f1(truth, floor), "word overlap", "≥ .62", len(held)


def _overlap(row: dict[str, Any]) -> float:
    claim = set(terms(row["claim"]))
    return max(len(claim & set(terms(one))) for one in row["evidence"]) / max(len(claim), 1)


def _best_step(values: Sequence[float], truth: Sequence[bool]) -> float:
    return max(sorted(set(values)), key=lambda step: _f1(truth, [value >= step for value in values]))


def _altered(folder: Path, language: str) -> Iterator[CriticRow]:
    """Yield how often an altered passage among the true ones is noticed, and how often one is imagined."""
    rows = load_set_file(f"rgb_{language}", folder)
    noticed = [
        any(_disagree(one, other) for one in row["positive"] for other in row["positive_wrong"])
        for row in rows
    ]
    alarms = [
        any(_disagree(one, other) for one, other in combinations([*row["positive"], *row["negative"]], 2))
        for row in rows
    ]
    number = len(rows)
    yield f"altered facts noticed, {language}", sum(noticed) / number, None, "–", "≥ .85", number
    yield f"false alarms, {language}", sum(alarms) / number, None, "–", "≤ .10", number


def _disagree(one: str, other: str) -> bool:
    return find_conflict(one, other) is not None or any(
        find_conflict(mine, theirs) is not None for mine in sentences(one) for theirs in sentences(other)
    )


def _entailment(folder: Path, embed: Embed) -> CriticRow:
    rows = [row for row in load_set_file("ocnli_dev", folder) if row["label"] in LABELS]
    pairs = [(row["sentence1"], row["sentence2"]) for row in rows]
    found = relations(pairs, embed).argmax(axis=1)
    right = [LABELS[place] == row["label"] for place, row in zip(found, rows, strict=True)]
    most = max(sum(row["label"] == label for row in rows) for label in LABELS) / len(rows)
    return "OCNLI accuracy", float(np.mean(right)), most, "most frequent", "≥ .60", len(rows)


def _disputes(folder: Path, embed: Embed) -> CriticRow:
    """Measure disputed claims: one of five sentences entails the claim and another contradicts it."""
    rows = load_set_file("climate_fever", folder)
    pairs = [(one["evidence"], row["claim"]) for row in rows for one in row["evidences"]]
    found = relations(pairs, embed)
    edges = np.cumsum([0, *(len(row["evidences"]) for row in rows)])
    scores = [
        float(min(found[start:end, 0].max(), found[start:end, 2].max()))
        for start, end in pairwise(edges.tolist())
    ]
    truth = [row["claim_label"] == "DISPUTED" for row in rows]
    held = [is_held_out(row["claim"], of=2) for row in rows]
    fitted = [(score, true) for score, true, out in zip(scores, truth, held, strict=True) if not out]
    step = _best_step([score for score, _ in fitted], [true for _, true in fitted])
    kept = [(score >= step, true) for score, true, out in zip(scores, truth, held, strict=True) if out]
    said, real = [one for one, _ in kept], [true for _, true in kept]
    ours, floor = _f1(real, said), _f1(real, [True] * len(real))
    return "climate-fever disputes F1", ours, floor, "always disputed", "≥ .45", len(kept)


def _annotator(folder: Path) -> CriticRow:
    """Measure how well one annotator alone, whose vote is part of the label, tells what is disputed."""
    truth: list[bool] = []
    said: list[bool] = []
    for row in load_set_file("climate_fever", folder):
        for votes in zip(*(one["votes"] for one in row["evidences"]), strict=True):
            if None not in votes:
                truth.append(row["claim_label"] == "DISPUTED")
                said.append({"SUPPORTS", "REFUTES"} <= set(votes))
    return "disputes F1 of one of its annotators", _f1(truth, said), None, "–", "–", len(truth)


def _reviews(folder: Path, embed: Embed) -> Iterator[CriticRow]:
    for name, goal in (("hotels", "≥ .88"), ("meals", "≥ .85")):
        rows = [row for row in load_set_file(f"sentiment_zh_{name}", folder) if is_held_out(row["review"])]
        found = sentiments([row["review"] for row in rows], embed)
        right = [(one[2] > one[0]) == (row["label"] == "1") for one, row in zip(found, rows, strict=True)]
        share = sum(row["label"] == "1" for row in rows) / len(rows)
        floor = max(share, 1 - share)
        yield f"sentiment of {name}, accuracy", float(np.mean(right)), floor, "most frequent", goal, len(rows)


def _news(folder: Path, embed: Embed) -> CriticRow:
    rows = [
        (row["sentence_normalized"], (one["from"], one["to"]), _POLARITY[int(one["polarity"])])
        for row in load_set_file("sentiment_en_news", folder)
        for one in row["targets"]
    ]
    found = english_sentiment([text for text, _, _ in rows], [span for _, span, _ in rows], embed)
    said = [sentiment_of(one) for one in found]
    truth = [label for _, _, label in rows]
    ours = _macro_f1(truth, said)
    floor = max(_macro_f1(truth, [label] * len(rows)) for label in _POLARITY.values())
    return "sentiment of news, macro-F1", ours, floor, "one class", "≥ .62", len(rows)


def _macro_f1(truth: Sequence[str], said: Sequence[str]) -> float:
    labels = sorted(set(truth))
    scores = [_f1([one == label for one in truth], [one == label for one in said]) for label in labels]
    return sum(scores) / len(labels)


def _f1(truth: Sequence[bool], said: Sequence[bool]) -> float:
    pairs = list(zip(truth, said, strict=True))
    hits, false = sum(t and s for t, s in pairs), sum(s and not t for t, s in pairs)
    return Counts(hits, false, sum(t and not s for t, s in pairs)).f1
