"""Fit how much a likeness to the question and the visual answerer count for yes or no about what is seen.

python -m training.answers.yes_no

Every figure is measured with one video left out at a time. Photographs are not used: people asked about
pairs of them, so that "no" is nearly a yes, while a video's users ask about what is not there at all.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.answers.questions import Asked, load_questions
from vidence.app import open_workspace
from vidence.app.workspace import Workspace
from vidence.bench.ask_sets import Rules
from vidence.bench.shared import shared_folder
from vidence.language.question import read_question
from vidence.media import open_video
from vidence.queries.search.material import Material
from vidence.queries.visual import leaning, pool, relevance_of, times_to_look
from vidence.schema.time import TimeRange

TARGET = Path("src/vidence/language/data/look_weights.tsv")
NAMES = ("bias", "likeness", "answerer")
YES, NO = {"en": "Yes.", "zh": "是的。"}, {"en": "No.", "zh": "没有。"}
_LOOKS, _SIDE, _RIDGE = 8, 640, 0.01


def rows_of(workspace: Workspace, asked: Asked, rules: Rules) -> tuple[list[float], bool] | None:
    """Return the inputs and the truth of a question of yes or no about what is seen; None of others."""
    question = read_question(asked.question)
    truth = bool(rules(asked.check, YES[question.language]))
    is_either = truth != bool(rules(asked.check, NO[question.language]))
    if question.expected.type != "yes_no" or question.form.sense != "seen" or not is_either:
        return None
    record, shelf = workspace.resolve(str(asked.video)), workspace.indexer.shelf
    text = question.text.rstrip(".。!！?？ ") + ("？" if question.language == "zh" else "?")
    whole = TimeRange(start_time=0.0, end_time=record.info.duration_s)
    relevance = relevance_of(text, Material(workspace.store, record.video_id), shelf, whole)
    if relevance is None or relevance.likeness is None:
        return None
    step = record.info.duration_s / _LOOKS
    times = times_to_look([step * (index + 0.5) for index in range(_LOOKS)], relevance)
    with open_video(asked.video) as reader:
        images = [picture.rgb(max_side=_SIDE) for picture in reader.at(times)]
    answers = shelf.visual_answerer.answer(images, text)
    pooled = pool(answers, [relevance.at(time_s) for time_s in times[: len(answers)]])
    return [1.0, float(relevance.likeness.max()), leaning(pooled)], truth


def fit(inputs: NDArray[np.float64], truths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression with a weak ridge penalty."""
    weights = np.zeros(inputs.shape[1])
    for _ in range(50):
        held = 1 / (1 + np.exp(-inputs @ weights))
        gradient = inputs.T @ (held - truths) + _RIDGE * weights
        curve = inputs.T @ (inputs * (held * (1 - held))[:, None]) + _RIDGE * np.eye(len(weights))
        weights = weights - np.linalg.solve(curve, gradient)
    return weights


def main() -> None:
    """Measure with one video left out at a time, then fit to all and write the weights."""
    questions, rules = load_questions(shared_folder())
    with open_workspace() as workspace:
        found = [
            (asked, row)
            for asked in questions
            if asked.origin != "photograph" and (row := rows_of(workspace, asked, rules)) is not None
        ]
    inputs = np.array([row for _, (row, _) in found])
    truths = np.array([truth for _, (_, truth) in found], float)
    clips = np.array([str(asked.video) for asked, _ in found])
    held = np.zeros(len(truths))
    for clip in set(clips):
        left = clips == clip
        held[left] = 1 / (1 + np.exp(-inputs[left] @ fit(inputs[~left], truths[~left])))
    _report(held, truths, np.array([asked.origin for asked, _ in found]), inputs)
    weights = fit(inputs, truths)
    fitted = dict(zip(NAMES, weights, strict=True))
    kept = [line.split("\t") for line in TARGET.read_text(encoding="utf-8").splitlines()]
    lines = [
        f"{name}\t{fitted[name]:.3f}" if name in fitted else "\t".join([name, *rest]) for name, *rest in kept
    ]
    TARGET.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _report(
    held: NDArray[np.float64],
    truths: NDArray[np.float64],
    origins: NDArray[np.str_],
    inputs: NDArray[np.float64],
) -> None:
    for name in ("all", *sorted(set(origins))):
        its = (origins == name) | (name == "all")
        right = float(((held > 0.5) == (truths > 0.5))[its].mean())
        alone = float(((inputs[:, 2] > 0) == (truths > 0.5))[its].mean())
        loss = -float(np.log(np.where(truths > 0.5, held, 1 - held))[its].mean())
        print(f"{name:10s} {its.sum():4d} right {right:.3f} (answerer alone {alone:.3f}) log loss {loss:.3f}")
    for low, high in ((0.0, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 1.0)):
        inside = (held >= low) & (held < high)
        if inside.any():
            print(f"  said {held[inside].mean():.2f}, true {truths[inside].mean():.2f} of {inside.sum()}")


if __name__ == "__main__":
    main()
