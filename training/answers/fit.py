"""Fit the weights of the proposal scorer; every figure is measured on videos that were left out.

python -m training.answers.fit ROWS.jsonl
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training.answers.questions import load_questions
from vidence.bench.ask_metrics import ece
from vidence.bench.shared import shared_folder
from vidence.embedded.answering import LEAST, proposals_of, situation_of
from vidence.embedded.gather import Evidence, gather
from vidence.embedded.proposals import Proposal
from vidence.embedded.recipes.recipe import Inquiry, advance
from vidence.embedded.score import TRUST, features
from vidence.language.question import read_question
from vidence.schema.agent import SolverVariables

TARGET = Path("src/vidence/embedded/data/answer_weights.json")
PRIORS = Path(__file__).with_name("priors.json")
RIDGES = (1.0, 3.0, 10.0, 30.0, 1e6)
SURE = 0.6


@dataclass(frozen=True)
class Row:
    """The proposals of one question: features, whether each is right, and what it says."""

    item_id: str
    video: str
    origin: str
    question: str
    proposals: tuple[Proposal, ...]
    features: tuple[dict[str, float], ...]
    right: tuple[bool, ...]


def load(path: Path) -> list[Row]:
    """Return the rows of all questions that were collected."""
    questions, rules = load_questions(shared_folder())
    known = {one.item_id: one for one in questions}
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        kept = json.loads(line)
        asked = known.get(kept["item_id"])
        variables = SolverVariables.model_validate(kept["variables"])
        question = read_question(variables.question)
        if asked is None or not question.is_readable:
            continue
        inquiry = Inquiry(question.form, variables, _one_vector)
        evidence = advance(gather(inquiry), variables)
        if not isinstance(evidence, Evidence):
            print(f"not all evidence was collected: {asked.item_id}", file=sys.stderr)
            continue
        proposals = proposals_of(inquiry, question, evidence, variables.reading)
        situation = situation_of(question, evidence, proposals, variables.reading)
        rows.append(
            Row(
                asked.item_id,
                asked.video.stem,
                asked.origin,
                asked.question,
                proposals,
                tuple(features(one, situation) for one in proposals),
                tuple(bool(rules(asked.check, one.answer)) for one in proposals),
            )
        )
    return rows


def _one_vector(texts: Sequence[str]) -> Any:
    """Stand in for the text model: here every sentence means the same."""
    return np.ones((len(texts), 1), np.float32)


def fit(rows: Sequence[Row], ridge: float) -> dict[str, float]:
    """Return the weights of a logistic regression, held near what was believed before by a ridge penalty."""
    believed = json.loads(PRIORS.read_text(encoding="utf-8"))
    names = sorted({name for row in rows for one in row.features for name in one} | set(believed))
    place = {name: index for index, name in enumerate(names)}
    inputs = np.zeros((sum(len(row.right) for row in rows), len(names)))
    labels = np.array([right for row in rows for right in row.right], float)
    for index, one in enumerate(one for row in rows for one in row.features):
        for name, value in one.items():
            inputs[index, place[name]] = value
    prior = np.array([believed.get(name, 0.0) for name in names])
    weights = prior.copy()
    for _ in range(50):
        held = 1 / (1 + np.exp(-inputs @ weights))
        gradient = inputs.T @ (held - labels) + ridge * (weights - prior)
        curve = inputs.T @ (inputs * (held * (1 - held))[:, None]) + ridge * np.eye(len(names))
        step = np.linalg.solve(curve, gradient)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return dict(zip(names, weights.tolist(), strict=True))


def score(one: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the probability of a proposal with these features."""
    total = sum(weights.get(name, 0.0) * value for name, value in one.items())
    return float(1 / (1 + np.exp(-np.clip(total * TRUST if total > 0 else total, -30, 30))))


@dataclass(frozen=True)
class Outcome:
    """What would be answered to one question, and how probable that was held."""

    row: Row
    probability: float
    is_right: bool
    is_answered: bool
    chosen: Proposal


def decide(row: Row, weights: Mapping[str, float]) -> Outcome:
    """Choose among the proposals of a question as the engine does."""
    held = [score(one, weights) for one in row.features]
    best = int(np.argmax(held))
    nothing = next(index for index, one in enumerate(row.proposals) if one.cannot_tell)
    if held[best] < LEAST:
        best = nothing
    return Outcome(row, held[best], row.right[best], best != nothing, row.proposals[best])


def left_out(rows: Sequence[Row], ridge: float) -> list[Outcome]:
    """Decide every question with weights fitted to the other videos."""
    found = []
    for video in sorted({row.video for row in rows}):
        weights = fit([row for row in rows if row.video != video], ridge)
        found += [decide(row, weights) for row in rows if row.video == video]
    return found


def report(outcomes: Sequence[Outcome], name: str) -> str:
    """Return the figures of some outcomes in one line."""
    number = max(1, len(outcomes))
    right = sum(one.is_right for one in outcomes)
    wrong = sum(one.is_answered and not one.is_right for one in outcomes)
    sure = [one for one in outcomes if one.is_answered and one.probability >= SURE]
    sure_right = sum(one.is_right for one in sure)
    off = ece([one.probability for one in outcomes], [one.is_right for one in outcomes])
    return (
        f"{name:12s} {number:4d} right {right / number:.3f} wrong {wrong / number:.3f} "
        f"stated ≥ 60 %: {len(sure)}, right {sure_right / max(1, len(sure)):.3f} ECE {off:.3f}"
    )


def _told(one: Outcome) -> str:
    mark = "✓" if one.is_right else "✗" if one.is_answered else "–"
    pairs = zip(one.row.proposals, one.row.right, strict=True)
    shown = " / ".join(f"{c.source}{'✓' if right else ''}: {c.answer[:60]}" for c, right in pairs)
    return f"{mark} {one.probability:.2f} {one.row.question} || {one.chosen.answer[:80]} || {shown}"


def main(path: Path) -> None:
    """Measure with one video left out at a time, then fit to all and write the weights."""
    rows = load(path)
    for ridge in RIDGES:
        outcomes = left_out(rows, ridge)
        lost = -np.mean(
            [np.log(max(1e-6, one.probability if one.is_right else 1 - one.probability)) for one in outcomes]
        )
        print(report(outcomes, f"ridge {ridge:g}"), f"loss {lost:.3f}")
    ridge = float(sys.argv[2]) if len(sys.argv) > 2 else 3.0
    outcomes = left_out(rows, ridge)
    for origin in sorted({row.origin for row in rows}):
        print(report([one for one in outcomes if one.row.origin == origin], origin))
    for kind in sorted({read_question(row.question).expected.type for row in rows}):
        print(
            report([one for one in outcomes if read_question(one.row.question).expected.type == kind], kind)
        )
    ceiling = sum(any(row.right) for row in rows) / max(1, len(rows))
    print(f"a perfect chooser: {ceiling:.3f}")
    if "-v" in sys.argv:
        print("\n".join(_told(one) for one in outcomes))
    weights = {name: round(value, 4) for name, value in fit(rows, ridge).items() if abs(value) >= 1e-3}
    TARGET.write_text(json.dumps({"weights": weights}, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
