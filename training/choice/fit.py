"""Fit the weights of given options by captions and reader; figures are of videos left out (needs scipy).

python -m training.choice.fit collect ROWS.jsonl SET [EVERY]   (goes on where it stopped)
python -m training.choice.fit fit ROWS.jsonl
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from vidence.agents.solver_checker.loop import run_video_agent
from vidence.app import open_workspace
from vidence.app.engines import open_reader
from vidence.bench.ask_metrics import ece
from vidence.bench.ask_sets import ChoiceItem, load_choices
from vidence.bench.shared import shared_folder
from vidence.embedded.choice import VectorCache
from vidence.embedded.choice.captions import gather
from vidence.embedded.choice.features import Features, measure
from vidence.embedded.choice.score import form_of, standard
from vidence.embedded.skills import embedded_skills
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.protocol import OnText, Reply
from vidence.prompts import Prompt
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import SolverVariables

TARGET = Path("src/vidence/embedded/data/choice_weights.json")
FOLDS, SEEDS = 5, 4
RIDGE = 30.0
"""On the captions' weights."""
READ_RIDGE, START = 3.0, (1.0, 1.0)
"""On the scale of the captions' logits and on the reader's weight, both held near the start."""
OPTIONS = 5
LEAST_READ = 100
"""Questions that tell how far to trust the reader."""
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Questions of one form with five options each, and the reader's probabilities where it was asked."""

    videos: list[str]
    features: Array
    """(questions, options, features)."""
    choices: Array
    """(questions, options); equal where the reader was not asked."""
    answers: NDArray[np.intp]

    def among(self, kept: NDArray[np.bool_]) -> Rows:
        """Return some of the questions."""
        videos = [video for video, one in zip(self.videos, kept, strict=True) if one]
        return Rows(videos, self.features[kept], self.choices[kept], self.answers[kept])

    @property
    def read(self) -> NDArray[np.bool_]:
        """Which questions the reader was asked."""
        return np.asarray(np.ptp(self.choices, axis=1) > 0)


class _Watched(EmbeddedEngine):
    """The embedded engine; it keeps what the Solver knew last."""

    known: SolverVariables | None = None

    def answer(
        self, prompt: Prompt, *, on_text: OnText | None = None, timeout_s: float | None = None
    ) -> Reply:
        """Answer as always."""
        if isinstance(prompt.variables, SolverVariables):
            self.known = prompt.variables
        return super().answer(prompt, on_text=on_text, timeout_s=timeout_s)


def collect(path: Path, name: str, every: int) -> None:
    """Keep what the scorer knows of all questions of a set, with the reader's view of every n-th of them.

    Questions come in a random order, so that a stopped run is a fair sample.
    """
    items = load_choices(name, shared_folder() / "eval")  # type: ignore[arg-type]
    Random(0).shuffle(items)
    done = {json.loads(line)["item_id"] for line in path.open()} if path.exists() else set()
    with open_workspace() as workspace, path.open("a") as file:
        embed = VectorCache(workspace.embed)
        engine = _Watched(embedded_skills(embed))
        reader = open_reader(workspace, engine)
        for place, item in enumerate(items):
            if item.item_id in done or len(item.distinct) != OPTIONS:
                continue
            world = CaptionWorld(item.video.units, videos=(item.video.card,), embed=embed)
            asked = None if place % every else reader
            run_video_agent(item.question, world=world, engine=engine, reader=asked, options=item.options)
            assert engine.known is not None
            file.write(json.dumps(_row(item, engine.known, embed)) + "\n")
            file.flush()


def _row(item: ChoiceItem, known: SolverVariables, embed: VectorCache) -> dict[str, object]:
    evidence = gather(known.memory, embed)
    assert evidence is not None
    found = measure(item.question, item.options, evidence, embed)
    return {
        "item_id": item.item_id,
        "video": item.video.card.video_id,
        "form": form_of(item.options),
        "features": [[float(value) for value in one.vector()] for one in found],
        "choice": known.choice,
        "answer": item.answer,
    }


def load(path: Path, form: str) -> Rows:
    """Return the questions of one form."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["form"] == form]
    return Rows(
        [row["video"] for row in rows],
        np.array([row["features"] for row in rows]).reshape(-1, OPTIONS, len(fields(Features))),
        np.array([row["choice"] or [1 / OPTIONS] * OPTIONS for row in rows]).reshape(-1, OPTIONS),
        np.array([row["answer"] for row in rows], np.intp),
    )


def fit(inputs: Array, answers: NDArray[np.intp], ridge: float, start: Array) -> Array:
    """Return the weights, none below 0, of a conditional logit over (questions, options, inputs)."""
    right = inputs[np.arange(len(answers)), answers]

    def loss(weights: Array) -> tuple[float, Array]:
        shares = softmax(inputs @ weights)
        held = shares[np.arange(len(answers)), answers]
        slope = (np.einsum("qo,qof->qf", shares, inputs) - right).sum(axis=0)
        away = weights - start
        return float(-np.log(held + 1e-12).sum() + ridge / 2 * away @ away), slope + ridge * away

    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start))
    return np.asarray(found.x)


def softmax(logits: Array) -> Array:
    """Return probabilities along the last axis."""
    odds: Array = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return odds / odds.sum(axis=-1, keepdims=True)


def inputs_of(rows: Rows, spread: Array) -> Array:
    """Return the captions' features as the scorer takes them."""
    return standard(rows.features.astype(np.float32), spread.astype(np.float32)).astype(np.float64)


def fit_both(rows: Rows, spread: Array) -> tuple[Array, Array]:
    """Return the captions' weights by all questions, and how to mix them with the reader by those it read."""
    inputs = inputs_of(rows, spread)
    weights = fit(inputs, rows.answers, RIDGE, np.zeros(inputs.shape[2]))
    # The ridge makes them unsure.
    weights *= fit((inputs @ weights)[..., None], rows.answers, 0.0, np.ones(1))
    return weights, fit(
        _views(rows.among(rows.read), spread, weights), rows.answers[rows.read], READ_RIDGE, np.array(START)
    )


def _views(rows: Rows, spread: Array, weights: Array) -> Array:
    return np.stack([inputs_of(rows, spread) @ weights, np.log(np.maximum(rows.choices, 1e-6))], axis=-1)


def cross_validated(rows: Rows, spread: Array, seed: int) -> tuple[Array, Array]:
    """Return the probabilities by captions alone and by both, of weights fitted without the own video."""
    videos = sorted(set(rows.videos))
    Random(seed).shuffle(videos)
    place = {video: number % FOLDS for number, video in enumerate(videos)}
    fold = np.array([place[video] for video in rows.videos])
    alone, both = np.zeros(rows.choices.shape), np.zeros(rows.choices.shape)
    for one in range(FOLDS):
        weights, mix = fit_both(rows.among(fold != one), spread)
        views = _views(rows.among(fold == one), spread, weights)
        alone[fold == one], both[fold == one] = softmax(views[..., 0]), softmax(views @ mix)
    return alone, both


def told(shares: Array, answers: NDArray[np.intp]) -> str:
    """Return accuracy, mean negative log-likelihood and ECE in words."""
    if not len(answers):
        return "nothing"
    right = shares.argmax(axis=1) == answers
    nll = -float(np.log(shares[np.arange(len(answers)), answers] + 1e-9).mean())
    gap = ece([float(one) for one in shares.max(axis=1)], [bool(one) for one in right])
    return f"right {right.mean():.3f}, nll {nll:.3f}, ece {gap:.3f}"


def main(path: Path) -> None:
    """Print the figures of each form and write its weights."""
    kept = json.loads(TARGET.read_text(encoding="utf-8"))
    names = [one.name for one in fields(Features)]
    spread = np.array([kept["spread"][name] for name in names])
    for form in ("phrases", "statements"):
        rows = load(path, form)
        read = rows.read
        print(form, len(read), "questions,", len(set(rows.videos)), "videos, read", read.sum())
        print("  reader alone:", told(rows.choices[read], rows.answers[read]))
        for seed in range(SEEDS):
            alone, both = cross_validated(rows, spread, seed)
            print("  out of fold, captions:", told(alone, rows.answers))
            print("    of those read, captions:", told(alone[read], rows.answers[read]))
            print("    of those read, both:", told(both[read], rows.answers[read]))
        weights, mix = fit_both(rows, spread)
        views = _views(rows, spread, weights)
        print("  in sample, captions:", told(softmax(views[..., 0]), rows.answers), weights)
        print("    of those read, both:", told(softmax(views[read] @ mix), rows.answers[read]), mix)
        kept[form] = {
            "captions": {name: round(float(one), 3) for name, one in zip(names, weights, strict=True)},
            "with_reader": [round(float(one), 2) for one in mix] if read.sum() >= LEAST_READ else None,
        }
    lines = ",\n".join(f" {json.dumps(form)}: {json.dumps(own)}" for form, own in kept.items())
    TARGET.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "collect":
        collect(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    else:
        main(Path(sys.argv[2]))
