"""Fit the ranker of Chinese speakers on the training quotations; the development ones are left out.

    python -m training.story.speakers --shared FOLDER --out src/vidence/knowledge/data/speakers.tsv

Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from vidence.bench.story_sets import name_finder
from vidence.knowledge.speakers import speaker_features


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    with gzip.open(arguments.shared / "story" / "speakers_zh.json.gz", "rt", encoding="utf-8") as file:
        rows: dict[str, Any] = json.load(file)
    finder = name_finder(rows["names"])
    names: list[str] = []
    values, right = [], []
    for row in rows["train"]:
        speaker = finder.owner(row["speaker"]) if row["speaker"] in finder.names else row["speaker"]
        for who, features in speaker_features(row["lines"], row["quote_line"], finder).items():
            names = list(features)
            values.append(list(features.values()))
            right.append(who == speaker)
    fitted = LogisticRegression(C=1.0, max_iter=3000, fit_intercept=False).fit(
        np.array(values), np.array(right)
    )
    lines = ["# Weights of the ranker of Chinese speakers: feature, weight."]
    lines += [f"{name}\t{weight:.3f}" for name, weight in zip(names, fitted.coef_[0], strict=True)]
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
