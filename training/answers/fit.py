"""Fit the weights of the proposal scorer; every figure is measured on videos that were left out.

python -m training.answers.fit ROWS.jsonl [RIDGE] [-v]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from training.answers.dialogues import ORIGIN as DIALOGUE
from training.answers.dialogues import evidence_of, is_same
from training.answers.questions import Asked, load_questions
from vidence.bench.ask_metrics import ece
from vidence.bench.ask_sets import Rules
from vidence.bench.shared import shared_folder
from vidence.embedded.answering import LEAST, proposals_of, situation_of
from vidence.embedded.gather import Evidence, gather
from vidence.embedded.proposals import Proposal
from vidence.embedded.recipes.recipe import Inquiry, advance
from vidence.embedded.score import SURE, Line, Situation, features, group_of, source_of
from vidence.language.question import Question, read_question
from vidence.schema.agent import SolverVariables

TARGET = Path("src/vidence/embedded/data/answer_weights.json")
PRIORS = Path(__file__).with_name("priors.json")
RIDGES = (3.0, 10.0, 30.0)
SOURCES = ("measured", "reader", "look", "likeness", "summary", "nothing")
ALONE = ("reader", "look", "likeness", "nothing")
"""Sources with a line of their own; what is measured differs more by kind than from the rest."""
NEAR_USUAL = 6.0
"""How much the line of a source is held near the line of all."""
ENOUGH = 20
"""Questions that tell from when on a source may be sure."""
RIGHT_WHEN_SURE = 0.8
"""The share of answers stated at `SURE` or more that should be right."""
PHOTOGRAPH = "photograph"
OURS = ("media", "own")
"""Where questions come from that recipes were written with: the spent list, and our own."""
ON_VIDEOS = (*OURS, "media2", "stranger")
VIDEO_WEIGHT = 2.0
"""How many questions about photographs or scenes one about a video counts for."""


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
        variables = SolverVariables.model_validate(kept["variables"])
        asked = _about_scene(kept, variables) if "answers" in kept else known.get(kept["item_id"])
        question = read_question(variables.question)
        if asked is None or not question.is_readable or _is_paired(asked, question):
            continue
        inquiry = Inquiry(question.form, variables, _no_meaning)
        is_scene = asked.origin == DIALOGUE
        evidence = evidence_of(variables) if is_scene else advance(gather(inquiry), variables)
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
                tuple(_told_apart(asked.origin, one, situation) for one in proposals),
                tuple(_is_right(rules, asked.check, one) for one in proposals),
            )
        )
    return rows


def _is_paired(asked: Asked, question: Question) -> bool:
    """Tell whether a question was asked of a pair of photographs, so that its "no" is nearly a yes.

    Questions of yes or no about a video are not like that: see `training.answers.yes_no`.
    """
    return asked.origin == PHOTOGRAPH and question.expected.type == "yes_no"


def _about_scene(kept: dict[str, Any], variables: SolverVariables) -> Asked:
    card = variables.videos[0]
    check = {"kind": "same", "answers": kept["answers"]} if kept["answers"] else {"kind": "abstain"}
    return Asked(kept["item_id"], Path(card.name), variables.question, "said", check, DIALOGUE)


def _is_right(rules: Rules, check: dict[str, Any], one: Proposal) -> bool:
    if check["kind"] == "same":
        return not one.cannot_tell and is_same(one.answer, check["answers"])
    return bool(rules(check, one.answer))


def _told_apart(origin: str, one: Proposal, situation: Situation) -> dict[str, float]:
    """Add how questions of our own differ from a stranger's: recipes were written with them in mind.

    At run time these features are absent: who asks then is a stranger.
    """
    told, source = features(one, situation), source_of(one)
    if origin not in OURS:
        return told
    group = group_of(situation.question)
    return {**told, "ours": 1.0, f"ours:{source}": 1.0, f"ours:{source}:{group}": 1.0}


def _no_meaning(texts: Sequence[str]) -> Any:
    """Stand in for the text model: here no sentence is like another, so that only words count."""
    return np.zeros((len(texts), 1), np.float32)


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
    worth = np.array(
        [VIDEO_WEIGHT if row.origin in ON_VIDEOS else 1.0 for row in rows for _ in row.right], float
    )
    prior = np.array([believed.get(name, 0.0) for name in names])
    weights = prior.copy()
    for _ in range(50):
        held = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        gradient = inputs.T @ (worth * (held - labels)) + ridge * (weights - prior)
        curve = inputs.T @ (inputs * (worth * held * (1 - held))[:, None]) + ridge * np.eye(len(names))
        step = np.clip(np.linalg.solve(curve, gradient), -1, 1)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return dict(zip(names, weights.tolist(), strict=True))


def total(one: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the weighted sum of a proposal's features."""
    return float(np.clip(sum(weights.get(name, 0.0) * value for name, value in one.items()), -30, 30))


@dataclass(frozen=True)
class Outcome:
    """What would be answered to one question, and how probable that was held."""

    row: Row
    probability: float
    is_right: bool
    is_answered: bool
    chosen: Proposal


def decide(row: Row, totals: Sequence[float], lines: Mapping[str, Line], least: float) -> Outcome:
    """Choose among the proposals of a question as the engine does."""
    its = [lines[source_of(one)] for one in row.proposals]
    best = int(np.argmax([line.held(one) for line, one in zip(its, totals, strict=True)]))
    nothing = next(index for index, one in enumerate(row.proposals) if one.cannot_tell)
    if its[best].stated(totals[best]) < least:
        best = nothing
    stated = its[best].stated(totals[best])
    return Outcome(row, stated, row.right[best], best != nothing, row.proposals[best])


def left_out_totals(rows: Sequence[Row], ridge: float) -> list[list[float]]:
    """Return the sums of every row's proposals, with weights fitted to the other videos."""
    found: dict[int, list[float]] = {}
    for part in sorted({_part(row) for row in rows}):
        weights = fit([row for row in rows if _part(row) != part], ridge)
        for index, row in enumerate(rows):
            if _part(row) == part:
                found[index] = [total(one, weights) for one in row.features]
    return [found[index] for index in range(len(rows))]


def calibrate(rows: Sequence[Row], totals: Sequence[Sequence[float]]) -> dict[str, Line]:
    """Fit a line for each source to strangers' questions, summed by weights of others.

    What is answered is the best proposal, so lines are fitted to best ones; that nothing can be told is said
    where all others are weak, so its line is fitted to every question. Each line is held near that of all.
    """
    found: dict[str, list[tuple[float, bool]]] = {source: [] for source in SOURCES}
    for row, one in zip(rows, totals, strict=True):
        best = max(range(len(one)), key=one.__getitem__)
        for index, its in enumerate(row.proposals):
            if row.origin not in OURS and (index == best or its.cannot_tell):
                found[source_of(its)].append((one[index], row.right[index]))
    answered = [pair for source, pairs in found.items() if source != "nothing" for pair in pairs]
    usual = _line(answered, np.array([1.0, 0.0]), 2.0)
    lines = {}
    for source, pairs in found.items():
        slope, offset = _line(pairs, usual, NEAR_USUAL) if source in ALONE else usual
        held = Line(slope, offset, 0.0).held
        sure = _sure_from([(held(total), right) for total, right in pairs] if len(pairs) >= ENOUGH else [])
        lines[source] = Line(float(slope), float(offset), sure)
    return lines


def _line(pairs: Sequence[tuple[float, bool]], usual: Any, ridge: float) -> Any:
    """Return slope and offset of a logistic regression that is held near a usual line."""
    sums = np.array([[total, 1.0] for total, _ in pairs]).reshape(-1, 2)
    labels, line = np.array([float(right) for _, right in pairs]), usual.copy()
    for _ in range(50):
        held = 1 / (1 + np.exp(-np.clip(sums @ line, -30, 30)))
        gradient = sums.T @ (held - labels) + ridge * (line - usual)
        curve = sums.T @ (sums * (held * (1 - held))[:, None]) + ridge * np.eye(2)
        line = line - np.clip(np.linalg.solve(curve, gradient), -1, 1)
    return line


def _sure_from(pairs: Sequence[tuple[float, bool]]) -> float:
    """Return the least probability from which on the wanted share of answers is right."""
    for value in np.arange(SURE, 0.9, 0.01):
        above = [right for held, right in pairs if held >= value]
        if above and sum(above) >= RIGHT_WHEN_SURE * len(above):
            return round(float(value), 2)
    return 0.9 if pairs else SURE


def left_out(rows: Sequence[Row], totals: Sequence[Sequence[float]], least: float) -> list[Outcome]:
    """Decide every question with weights and a calibration that know nothing of its video."""
    found = []
    for part in sorted({_part(row) for row in rows}):
        kept = [index for index, row in enumerate(rows) if _part(row) != part]
        line = calibrate([rows[index] for index in kept], [totals[index] for index in kept])
        found += [
            decide(row, one, line, least) for row, one in zip(rows, totals, strict=True) if _part(row) == part
        ]
    return found


def _part(row: Row) -> str:
    """Return what is left out together: a video, or a tenth of the photographs or of the scenes."""
    return row.video if row.origin in ON_VIDEOS else f"{row.origin} {crc32(row.video.encode()) % 10}"


def report(outcomes: Sequence[Outcome], name: str) -> str:
    """Return the figures of some outcomes in one line."""
    number = max(1, len(outcomes))
    right = sum(one.is_right for one in outcomes)
    wrong = sum(one.is_answered and not one.is_right for one in outcomes)
    sure = [one for one in outcomes if one.is_answered and one.probability >= SURE]
    sure_right = sum(one.is_right for one in sure)
    off = ece([one.probability for one in outcomes], [one.is_right for one in outcomes])
    return (
        f"{name:24s} {number:4d} right {right / number:.3f} wrong {wrong / number:.3f} "
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
        totals = left_out_totals(rows, ridge)
        outcomes = left_out(rows, totals, LEAST)
        _print_parts(outcomes, f"ridge {ridge:g}")
    ridge = float(sys.argv[2]) if len(sys.argv) > 2 else 10.0
    totals = left_out_totals(rows, ridge)
    for least in (0.3, 0.35, 0.4, 0.45, 0.5):
        _print_parts(left_out(rows, totals, least), f"least {least:g}")
    outcomes = left_out(rows, totals, LEAST)
    for origin in sorted({row.origin for row in rows}):
        print(report([one for one in outcomes if one.row.origin == origin], origin))
    kinds = [(one, read_question(one.row.question).expected.type) for one in outcomes]
    for kind in sorted({kind for _, kind in kinds}):
        print(report([one for one, its in kinds if its == kind and one.row.origin in ON_VIDEOS], kind))
    ceiling = sum(any(row.right) for row in rows) / max(1, len(rows))
    print(f"a perfect chooser: {ceiling:.3f}")
    if "-v" in sys.argv:
        print("\n".join(_told(one) for one in outcomes))
    weights = {
        name: round(value, 4)
        for name, value in fit(rows, ridge).items()
        if abs(value) >= 1e-3 and not name.startswith("ours")
    }
    lines = {
        source: [round(one.slope, 4), round(one.offset, 4), one.sure_from]
        for source, one in calibrate(rows, totals).items()
    }
    fitted = {"lines": lines, "weights": weights}
    TARGET.write_text(json.dumps(fitted, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _print_parts(outcomes: Sequence[Outcome], name: str) -> None:
    parts = {"videos": ON_VIDEOS, "photographs": (PHOTOGRAPH,), "dialogues": (DIALOGUE,)}
    for what, origins in parts.items():
        shown = [one for one in outcomes if one.row.origin in origins]
        lost = [np.log(max(1e-6, one.probability if one.is_right else 1 - one.probability)) for one in shown]
        print(report(shown, f"{name} {what}"), f"loss {-np.mean(lost or [0.0]):.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
