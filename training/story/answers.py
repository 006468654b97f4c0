"""Fit which lines of found passages answer a question, on the even stories of FairytaleQA and FriendsQA.

    python -m training.story.answers --shared FOLDER --home FOLDER --out FILE

Needs scikit-learn. The odd stories are left out and measure it (`vidence bench story`).
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from vidence.app import Workspace, open_workspace
from vidence.bench.memory_sets import KeptEmbedder
from vidence.bench.story_answers import holds, made_story
from vidence.bench.story_sets import AskedStory, fairy_tales, friends
from vidence.embedded.story_lines import FEATURES, line_features, story_lines_of

PASSAGES = 3
QUESTIONS = 14
"""Of each story."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rows, labels = [], []
    with open_workspace(home=arguments.home) as workspace:
        embedder = KeptEmbedder(workspace.indexer.shelf.text, arguments.home / "lines.npz")
        for name, sets in (("fairy", fairy_tales(arguments.shared)), ("friends", friends(arguments.shared))):
            for story in sets[::2]:
                for found, answered in _lines(workspace, name, story, embedder):
                    rows.append(found)
                    labels.append(answered)
        embedder.save()
    values, verdicts = np.concatenate(rows), np.concatenate(labels)
    fitted = LogisticRegression(C=1.0, max_iter=4000).fit(values, verdicts)
    lines = ["# Weights of the model that finds the line which answers a question: feature, weight."]
    lines += [f"{name}\t{weight:.3f}" for name, weight in zip(FEATURES, fitted.coef_[0], strict=True)]
    lines.append(f"bias\t{fitted.intercept_[0]:.3f}")
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _lines(
    workspace: Workspace, name: str, story: AskedStory, embedder: KeptEmbedder
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the features of the lines found for each question, and which of them hold its answer."""
    reader = made_story(workspace, f"{name}-{story.name}", story.text).reader
    chosen: Sequence[tuple[str, tuple[str, ...]]] = story.questions
    if len(chosen) > QUESTIONS:
        chosen = random.Random(7).sample(chosen, QUESTIONS)
    for question, answers in chosen:
        found, _ = reader.search(question, PASSAGES)
        passages = [
            story_lines_of(reader.quote(one.head.number, one.passage.start, one.passage.end).text)
            for one in found
        ]
        held = [holds(line, answers) for passage in passages for line in passage]
        if any(held):
            yield line_features(question, passages, embedder.embed), np.array(held)


if __name__ == "__main__":
    main()
