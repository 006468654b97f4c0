"""Fit whether found passages bear on a question, on the even stories of FairytaleQA and FriendsQA.

    python -m training.story.bearing --shared FOLDER --home FOLDER --out FILE

Needs scikit-learn. A question asked of its own story is one that bears, the same question asked of the next
story one that does not. The odd stories are left out and measure it (`vidence bench story`).
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from vidence.app import open_workspace
from vidence.bench.story_answers import made_story
from vidence.bench.story_sets import fairy_tales, friends
from vidence.embedded.story_lines import BEARING_FEATURES, bearing_features
from vidence.knowledge.reader import StoryReader

PASSAGES, QUESTIONS = 5, 8


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rows: list[list[float]] = []
    labels: list[bool] = []
    with open_workspace(home=arguments.home) as workspace:
        for name, sets in (("fairy", fairy_tales(arguments.shared)), ("friends", friends(arguments.shared))):
            even = sets[::2]
            readers = [made_story(workspace, f"{name}-{one.name}", one.text).reader for one in even]
            for at, story in enumerate(even):
                chosen = random.Random(at).sample(story.questions, min(QUESTIONS, len(story.questions)))
                for question, _ in chosen:
                    for own, reader in ((True, readers[at]), (False, readers[(at + 1) % len(even)])):
                        rows.append(_features(reader, question))
                        labels.append(own)
    fitted = LogisticRegression(C=1.0, max_iter=4000).fit(np.array(rows), np.array(labels))
    lines = ["# Weights of the model that tells whether passages bear on a question: feature, weight."]
    lines += [f"{name}\t{weight:.3f}" for name, weight in zip(BEARING_FEATURES, fitted.coef_[0], strict=True)]
    lines.append(f"bias\t{fitted.intercept_[0]:.3f}")
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _features(reader: StoryReader, question: str) -> list[float]:
    found, answerable = reader.search(question, PASSAGES)
    texts = [reader.quote(one.head.number, one.passage.start, one.passage.end).text for one in found]
    return bearing_features(question, texts, reader.absent(question), answerable)


if __name__ == "__main__":
    main()
