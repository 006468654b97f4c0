"""Fit what the question alone says about its answer, by ridge regression on all training questions.

    PYTHONPATH=src:. python -m training.vqa.prior --work WORK

It needs no photographs and no torch, and a minute of CPU. The network starts from it and learns what the
picture changes; so that it does not trust the fit more than new questions deserve, a training question gets
the scores of a fit that left its photograph out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.vqa.data import PARTS, TYPES, accuracy
from training.vqa.prepare import Texts
from vidence.models.vision.eyes.network import LOUD
from vidence.models.vision.eyes.prior import RAW, prior_features, score_logits

RANDOM = 1200
RIDGE = 1000.0
FOLDS = 5
RANK = 160
"""Directions of the fit that are kept; fewer than half are needed for the same answers."""
_WIDE = 1.6
_BLOCK = 2000

Floats = NDArray[np.float32]


class Asked:
    """The features of all texts: asked by people, made from captions, asked in Chinese."""

    def __init__(self, work: Path) -> None:
        found = [dict(np.load(work / f"{name}.npz")) for name in ("texts", "texts_made", "texts_zh")]
        self.ids, self._sentence, self._lens = (
            np.concatenate([texts[name] for texts in found]) for name in ("ids", "sentence", "lens")
        )
        asked, made, chinese = found
        self.question = np.concatenate(
            [np.arange(len(asked["ids"])), np.full(len(made["ids"]), -1), chinese["rows"]]
        )
        used = np.unique(self.ids)
        self._places = np.searchsorted(used, self.ids)
        self._vectors = Texts().pieces.vectors(used.astype(np.int64))

    def raw(self, rows: NDArray[np.int64]) -> Floats:
        """Return the features the prior is made from."""
        there = (self.ids[rows] > 0).astype(np.float32)[..., None]
        mean = (self._vectors[self._places[rows]] * there).sum(1) / there.sum(1)
        whole = [self._sentence[rows].astype(np.float32), self._lens[rows].astype(np.float32)]
        return np.concatenate([whole[0] * LOUD, whole[1] * LOUD, mean], axis=1)


def main() -> None:
    """Write `prior.npz`, the fit to all, and `prior_logits.npy`, what it says to each text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    asked, t = Asked(args.work), dict(np.load(args.work / "targets.npz"))
    answers = len(json.loads((args.work / "answers.json").read_text()))
    votes = np.zeros((len(t["image"]), answers), np.int8)
    votes[t["rows"], t["answers"]] = t["votes"]
    fold = np.append(np.where(t["part"] == 0, t["image"] % FOLDS, -1), -1)[asked.question]
    trained = np.flatnonzero(fold[: len(votes)] >= 0)
    prior = open_features(asked, trained)
    grams, hits = sums(prior, asked, fold, votes)
    whole = solve(grams.sum(0), hits.sum(0))
    fits = [solve(grams.sum(0) - grams[k], hits.sum(0) - hits[k]) for k in range(FOLDS)]
    out = np.zeros((len(asked.ids), answers), np.float16)
    for start in range(0, len(out), _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, len(out)))
        x = prior_features(prior, asked.raw(rows))
        for k, (enter, leave) in enumerate([*fits, whole]):
            chosen = fold[rows] == (k if k < FOLDS else -1)
            out[rows[chosen]] = score_logits(x[chosen] @ enter @ leave)
    np.save(args.work / "prior_logits.npy", out)
    np.savez(args.work / "prior.npz", **prior, enter=whole[0], leave=whole[1])
    for name in ("train", "val"):
        rows = np.flatnonzero(t["part"] == PARTS.index(name))
        right = accuracy(votes[rows, out[rows].argmax(1)])
        print(
            name,
            [round(float(right[t["type"][rows] == kind].mean()), 4) for kind in range(len(TYPES))],
            right.mean(),
        )


def open_features(asked: Asked, trained: NDArray[np.int64]) -> dict[str, Floats]:
    """Return the scaling of the features and the random directions."""
    rng = np.random.default_rng(0)
    sample = asked.raw(rng.choice(trained, 4000, replace=False))
    prior = {
        "mean": sample.mean(0),
        "std": sample.std(0) + 1e-3,
        "random": (rng.standard_normal((RAW, RANDOM)) * _WIDE / np.sqrt(RAW)).astype(np.float32),
    }
    # The random directions ship in half precision, so they are rounded before anything is fitted to them.
    return {name: values.astype(np.float16).astype(np.float32) for name, values in prior.items()}


def sums(
    prior: dict[str, Floats], asked: Asked, fold: NDArray[np.int64], votes: NDArray[np.int8]
) -> tuple[Floats, Floats]:
    """Return the products of features with features and with answers, of each fold of the questions."""
    width = RAW + RANDOM + 1
    grams = np.zeros((FOLDS, width, width), np.float32)
    hits = np.zeros((FOLDS, width, votes.shape[1]), np.float32)
    for k in range(FOLDS):
        rows = np.flatnonzero(fold[: len(votes)] == k)
        for start in range(0, len(rows), _BLOCK):
            some = rows[start : start + _BLOCK]
            x = prior_features(prior, asked.raw(some))
            grams[k] += x.T @ x
            hits[k] += x.T @ (votes[some].astype(np.float32) / 10)
    return grams, hits


def solve(gram: Floats, hits: Floats) -> tuple[Floats, Floats]:
    """Return the ridge fit as two thin matrices."""
    weights = np.linalg.solve(gram + RIDGE * np.eye(len(gram), dtype=np.float32), hits)
    # The directions that matter are those of the scores, not of the weights.
    _, axes = np.linalg.eigh(weights.T @ gram @ weights)
    kept = axes[:, ::-1][:, :RANK]
    return weights @ kept, np.ascontiguousarray(kept.T)


if __name__ == "__main__":
    main()
