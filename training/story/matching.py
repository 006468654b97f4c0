"""Fit the model that compares an answer with a reference, on the even questions of the verdicts.

    python -m training.story.matching --shared FOLDER --out src/vidence/knowledge/data/matching.tsv

Needs scikit-learn. The odd questions are left out and measure it (`vidence bench story`).
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from vidence.knowledge.matching import match_features

MODELS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    with gzip.open(arguments.shared / "story" / "answer_verdicts.json.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in json.load(file) if not row["improper"]]
    names: list[str] = []
    values, verdicts = [], []
    for row in rows[::2]:
        for model in MODELS:
            answer, verdict = row[f"answer_{model}"], row[f"judge_{model}"]
            if verdict is None or not answer:
                continue
            best = match_features(row["question"], row["golden_answer"], answer)
            names = list(best)
            values.append(list(best.values()))
            verdicts.append(bool(verdict))
    fitted = LogisticRegression(C=5.0, max_iter=6000).fit(np.array(values), np.array(verdicts))
    lines = ["# Weights of the model that compares an answer with a reference: feature, weight."]
    lines += [f"{name}\t{weight:.3f}" for name, weight in zip(names, fitted.coef_[0], strict=True)]
    lines.append(f"bias\t{fitted.intercept_[0]:.3f}")
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
