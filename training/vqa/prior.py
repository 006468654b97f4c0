"""Fit what the question alone says about its answer, by ridge regression on all training questions.

    PYTHONPATH=src:. python -m training.vqa.prior --work WORK

It needs no photographs and no torch, and a minute of CPU; the network learns this slowly.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from training.vqa.evaluate import Questions
from vidence.models.vision.eyes.prior import RAW, prior_features

RANDOM = 1400
RIDGE = 1000.0
_WIDE = 1.6
_BLOCK = 2000


def main() -> None:
    """Write `prior.npz`: the scaling of the features, the random directions, the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    questions = Questions(args.work)
    answers = len(json.loads((args.work / "answers.json").read_text()))
    trained = np.flatnonzero(questions.part == 0)
    rng = np.random.default_rng(0)
    sample = questions.raw(rng.choice(trained, 4000, replace=False))
    prior = {
        "mean": sample.mean(0),
        "std": sample.std(0) + 1e-3,
        "random": (rng.standard_normal((RAW, RANDOM)) * _WIDE / np.sqrt(RAW)).astype(np.float32),
    }
    # The random directions ship in half precision, so they are rounded before anything is fitted to them.
    prior = {name: values.astype(np.float16).astype(np.float32) for name, values in prior.items()}
    gram = np.zeros((RAW + RANDOM + 1, RAW + RANDOM + 1), np.float32)
    hits = np.zeros((RAW + RANDOM + 1, answers), np.float32)
    for start in range(0, len(trained), _BLOCK):
        rows = trained[start : start + _BLOCK]
        x = prior_features(prior, questions.raw(rows))
        gram += x.T @ x
        hits += x.T @ questions.targets(rows, answers)
    prior["weights"] = np.linalg.solve(gram + RIDGE * np.eye(len(gram), dtype=np.float32), hits)
    np.savez(args.work / "prior.npz", **prior)
    rows = questions.of("val")
    found = prior_features(prior, questions.raw(rows)) @ prior["weights"]
    np.savez(args.work / "val_prior.npz", rows=rows, scores=found)
    right = np.take_along_axis(questions.targets(rows, answers), found.argmax(1)[:, None], 1)[:, 0]
    print([round(float(right[questions.type[rows] == kind].mean()), 4) for kind in range(3)], right.mean())


if __name__ == "__main__":
    main()
