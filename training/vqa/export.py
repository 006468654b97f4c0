"""From trained networks to the file that ships: quantised, checked against torch, calibrated.

PYTHONPATH=src:. python -m training.vqa.export --work WORK --names a,b
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.vqa.cells import OBJECT
from training.vqa.evaluate import Questions, logits_of
from vidence.models.manifest import load_manifest
from vidence.models.vision import efficientnet
from vidence.models.vision.eyes.network import answer_logits
from vidence.models.vision.eyes.weights import FILE, VERSION, answer_odds, parse_weights
from vidence.queries.visual import answer_kind

KINDS = ("yes/no", "number", "other")
TARGET = Path("src/vidence/models/weights") / FILE
NEWTON_STEPS = 60


def main() -> None:
    """Write the shipped file; print its digest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--names", required=True)
    args = parser.parse_args()
    answers = json.loads((args.work / "answers.json").read_text())
    names = args.names.split(",")
    write(args.work, names, answers, [[1.0, 0.0]] * 3)
    questions = Questions(args.work)
    weights = parse_weights(TARGET.read_bytes())
    for number, name in enumerate(names):
        check(args.work / f"net-{name}.npz", weights.networks[number], questions)
    rows = questions.of("cal")
    scores = answer_odds(logits_of(weights, questions, rows))
    kinds = weights.kinds.argmax(1)
    temperature = calibrate(scores, questions.targets(rows, len(answers)), kinds)
    print("temperature", temperature)
    digest = write(args.work, names, answers, temperature)
    print(f"{TARGET.stat().st_size} bytes; put SHA256 = {digest} into eyes/weights.py and the manifest")


def write(work: Path, names: list[str], answers: list[str], temperature: list[list[float]]) -> str:
    """Write the file and return its digest."""
    meta = {
        "version": VERSION,
        "labeller_sha256": load_manifest(efficientnet.MODEL).file("model").sha256,
        "answers": answers,
        "temperature": temperature,
        "networks": len(names),
    }
    arrays: dict[str, NDArray[np.generic]] = {}
    with np.load(work / "basis.npz") as basis, np.load(work / "object_basis.npz") as inner:
        found = dict(basis) | {"object_mean": inner["mean"], "object": inner["axes"][:, :OBJECT]}
    for name, values in found.items():
        arrays[f"basis.{name}"] = values.astype(np.float16 if values.ndim > 1 else np.float32)
    for number, name in enumerate(names):
        with np.load(work / f"net-{name}.npz") as stored:
            for key in stored.files:
                if key.startswith("net."):
                    arrays |= _stored(f"net{number}.{key.removeprefix('net.')}", stored[key])
    with np.load(work / "prior.npz") as prior:
        for name in prior.files:
            arrays |= _stored(f"prior.{name}", prior[name])
    arrays["kinds"] = np.eye(3, dtype=np.float16)[[KINDS.index(answer_kind(answer)) for answer in answers]]
    np.savez_compressed(TARGET, meta=np.array(json.dumps(meta)), **arrays)  # type: ignore[arg-type]
    return hashlib.sha256(TARGET.read_bytes()).hexdigest()


def _stored(name: str, values: NDArray[np.float32]) -> dict[str, NDArray[np.generic]]:
    if values.ndim < 2:
        return {name: values.astype(np.float16)}
    scale = (np.abs(values).max(axis=1, keepdims=True) / 127 + 1e-6).astype(np.float16)
    quantised = np.clip(np.round(values / scale.astype(np.float32)), -127, 127).astype(np.int8)
    return {name: quantised, f"{name}.scale": scale}


def check(path: Path, quantised: dict[str, NDArray[np.float32]], questions: Questions) -> None:
    """Stop unless NumPy computes what torch did; say what 8 bits cost."""
    with np.load(path) as stored:
        exact = {key.removeprefix("net."): stored[key] for key in stored.files if key.startswith("net.")}
        rows, expected = stored["rows"], stored["logits"]

    def found(weights: dict[str, NDArray[np.float32]]) -> NDArray[np.float32]:
        return np.concatenate(
            [answer_logits(weights, questions.text(r), questions.seen(r), questions.prior(r)) for r in rows]
        )

    same, rounded = found(exact), found(quantised)
    print("largest difference from torch", float(np.abs(same - expected).max()))
    print(
        "in 8 bits",
        float(np.abs(rounded - expected).max()),
        "same best",
        float((rounded.argmax(1) == expected.argmax(1)).mean()),
    )
    if np.abs(same - expected).max() > 0.02:
        raise SystemExit("The NumPy network is not the one that was trained.")


def calibrate(
    odds: NDArray[np.float32], targets: NDArray[np.float32], kinds: NDArray[np.int64]
) -> list[list[float]]:
    """Return slope and offset per kind of answer, fitted to how often the two best answers are right.

    The second best count, too: of "yes" and "no" each needs a chance of its own.
    """
    best = np.argsort(-odds, axis=1)[:, :2]
    score, right = (np.take_along_axis(rows, best, 1).ravel().astype(np.float64) for rows in (odds, targets))
    kinds_best = kinds[best].ravel()
    fitted = []
    for kind in range(3):
        chosen = kinds_best == kind
        x = np.stack([score[chosen], np.ones(chosen.sum())], axis=1)
        found = np.array([1.0, 0.0])
        for _ in range(NEWTON_STEPS):
            p = 1 / (1 + np.exp(-x @ found))
            # One row of weight 1 holds the slope near 1 where there are few questions.
            curvature = (x * (p * (1 - p))[:, None]).T @ x + np.diag([1.0, 0.1])
            slope = x.T @ (right[chosen] - p) - np.array([found[0] - 1, 0.1 * found[1]])
            found = found + np.linalg.solve(curvature, slope)
        fitted.append([round(float(value), 4) for value in found])
    return fitted


if __name__ == "__main__":
    main()
