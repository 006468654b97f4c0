"""Fit the kind of a picture (filmed, screen, graphic); figures are of sources left out (needs scipy).

python -m training.kind.fit collect FOLDER ROWS   (FOLDER/live.NAME, /screen.NAME, /graphic.NAME: frames)
python -m training.kind.fit fit ROWS [HELD ...]   (HELD: sources that are only reported)
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from vidence.index.scene.kind import FILE
from vidence.index.scene.statistics import picture_statistics
from vidence.media.jpeg import encode_jpeg
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.settings import load_settings

TARGET = Path("src/vidence/models/weights") / FILE
CLASSES = ("live", "screen", "graphic")
RIDGE, FILMED = 1e-2, 2.0
"""On the weights; and how much more a filmed picture counts, since calling it made costs its place."""
FURTHEST, STEPS = 5.0, 120
TOLD, DOUBTED = 0.9, 0.5
Array = NDArray[np.float64]
Rows = Mapping[str, Array]


def collect(folder: Path, target: Path) -> None:
    """Measure every frame as the index does: its thumbnail's statistics and its vector by lens."""
    shelf = ModelShelf(ModelCache(load_settings().model_home))
    target.mkdir(parents=True, exist_ok=True)
    for source in sorted(path for path in folder.iterdir() if path.name.split(".")[0] in CLASSES):
        rows = [_measure(shelf, file) for file in sorted(source.iterdir())]
        np.save(target / f"{source.name}.npy", np.array(rows))


def _measure(shelf: ModelShelf, file: Path) -> Array:
    image = np.asarray(cv2.imread(str(file), cv2.IMREAD_COLOR_RGB), np.uint8)
    data = encode_jpeg(image, max_side=320, quality=80)
    thumbnail = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
    feature = shelf.labeller.label([image])[0].feature
    vector = shelf.lens.encoder.encode_images(feature[None])[0]
    return np.concatenate([picture_statistics(np.asarray(thumbnail, np.uint8)), vector]).astype(np.float64)


def fit(folder: Path, held: Sequence[str]) -> None:
    """Print the figures of each made source left out, then write the weights fitted on all but `held`."""
    rows = {path.stem: np.load(path) for path in sorted(folder.glob("*.npy"))}
    used = {name: row for name, row in rows.items() if name not in held}
    for name in (name for name in used if not name.startswith("live")):
        model = solve({other: row for other, row in used.items() if other != name})
        _report(f"without {name}", model, {one: rows[one] for one in (name, *held)})
    model = solve(used)
    _report("all", model, {name: rows[name] for name in held})
    names = ("mean", "spread", "weight", "bias")
    arrays = {name: part.astype(np.float32) for name, part in zip(names, model, strict=True)}
    with TARGET.open("wb") as file:
        np.savez_compressed(file, meta=np.array(json.dumps({"version": "1", "classes": CLASSES})), **arrays)  # type: ignore[arg-type]
    print(TARGET, hashlib.sha256(TARGET.read_bytes()).hexdigest())


def solve(rows: Rows) -> tuple[Array, Array, Array, Array]:
    """Return mean, spread, weights and biases of a softmax in which each class counts the same."""
    raw = np.vstack(list(rows.values()))
    kinds = np.concatenate([[CLASSES.index(name.split(".")[0])] * len(row) for name, row in rows.items()])
    mean, spread = raw.mean(axis=0), raw.std(axis=0) + 1e-6
    plain = np.clip((raw - mean) / spread, -FURTHEST, FURTHEST)
    target = np.eye(len(CLASSES))[kinds]
    worth = np.where(kinds == 0, FILMED, 1.0) / target.mean(axis=0)[kinds]
    worth /= worth.mean()
    shape = (plain.shape[1], len(CLASSES))

    def loss(flat: Array) -> tuple[float, Array]:
        weight, bias = flat[: -len(CLASSES)].reshape(shape), flat[-len(CLASSES) :]
        share = _softmax(plain @ weight + bias)
        wrong = (share - target) * worth[:, None] / len(plain)
        entropy = -(worth * np.log((share * target).sum(axis=1) + 1e-12)).mean()
        slope = plain.T @ wrong + 2 * RIDGE * weight
        return float(entropy + RIDGE * (weight**2).sum()), np.append(slope.ravel(), wrong.sum(axis=0))

    start = np.zeros(shape[0] * shape[1] + len(CLASSES))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return mean, spread, found[: -len(CLASSES)].reshape(shape), found[-len(CLASSES) :]


def _softmax(odds: Array) -> Array:
    share = np.exp(odds - odds.max(axis=1, keepdims=True))
    return np.asarray(share / share.sum(axis=1, keepdims=True), np.float64)


def _report(title: str, model: tuple[Array, Array, Array, Array], rows: Rows) -> None:
    mean, spread, weight, bias = model
    for name, row in rows.items():
        share = _softmax(np.clip((row - mean) / spread, -FURTHEST, FURTHEST) @ weight + bias)
        made = 1 - share[:, 0]
        right = share[:, 1:].argmax(axis=1) + 1 == CLASSES.index(name.split(".")[0])
        told = made >= TOLD
        print(
            f"{title}: {name} n={len(row)} told {told.mean():.3f}, of the right kind"
            f" {(told & right).mean():.3f}, no place {(made >= DOUBTED).mean():.3f}"
        )


if __name__ == "__main__":
    if sys.argv[1] == "collect":
        collect(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        fit(Path(sys.argv[2]), sys.argv[3:])
