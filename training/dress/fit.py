"""Fit dress and measure it on people that nothing was fitted to.

    PYTHONPATH=src:. python -m training.dress.fit --work WORK [--write]

Thresholds were set by cross-validation on the part "fit"; the part "held" was labelled before any output was
seen, and the shipped weights are fitted to both.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.dress.collect import labelled
from vidence.models.manifest import load_manifest
from vidence.models.vision import efficientnet
from vidence.models.vision.dress.features import HEAD, PERSON, SIZE, TORSO
from vidence.models.vision.dress.weights import FILE, VERSION

__all__: list[str] = []

Array = NDArray[np.float64]
_RIDGE, _PATTERN_RIDGE, _PAINTED = 0.5, 600.0, 0.3
_FAR, _LEAST_SPREAD = 6.0, 1e-3
_PATTERN_COLUMN = 3
_PATTERNS = {"plain": ("pl", 0.7, 1.2), "striped": ("s", 0.8, 1.0), "checked": ("c", 0.4, 1.0),
             "patterned": ("o", 1.1, 0.6)}  # fmt: skip
"""The letters of each pattern, from which chance on it is told (never for other patterns), and its weight."""


@dataclass(frozen=True)
class _Trait:
    name: str
    told: str
    denied: str
    region: str
    column: int
    yes: str
    no: str
    reads: tuple[slice, ...]
    told_from: float
    denied_to: float


_TRAITS = (
    _Trait("headwear", "hat or helmet", "none", "head", 0, "hm", "n", (PERSON, HEAD), 0.6, 0.2),
    _Trait("tie", "tie", "none", "torso", 4, "t", "n", (PERSON, TORSO), 0.6, 0.1),
    _Trait("sleeves", "long", "short", "torso", 7, "L", "S", (PERSON, TORSO), 0.8, 0.2),
    _Trait("legwear", "trousers", "shorts or skirt", "legs", 5, "L", "SK", (PERSON,), 0.9, 0.25),
)


@dataclass(frozen=True)
class _Data:
    inputs: Array
    letters: NDArray[np.str_]
    is_held: NDArray[np.bool_]
    painted: Array
    painted_kinds: NDArray[np.str_]
    mean: Array
    scale: Array


def main() -> None:
    """Print the figures; with --write, replace the shipped weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    data = _read(args.work)
    for trait in _TRAITS:
        _measure_trait(data, trait)
    _measure_patterns(data)
    if args.write:
        _write(data)


def _read(work: Path) -> _Data:
    rows = labelled()
    features = np.load(work / "people.npz")["features"].astype(np.float64)
    is_held = np.array([one.part == "held" for one in rows])
    mean = features[~is_held].mean(0).astype(np.float16).astype(np.float64)
    scale = (features[~is_held].std(0) + _LEAST_SPREAD).astype(np.float16).astype(np.float64)
    inputs = np.clip((features - mean) / scale, -_FAR, _FAR)
    painted = np.load(work / "painted.npz")
    cloth = np.clip((painted["features"] - mean[TORSO]) / scale[TORSO], -_FAR, _FAR)
    letters = np.array([list(one.letters) for one in rows])
    return _Data(inputs, letters, is_held, cloth, painted["kind"], mean, scale)


def _fit_trait(data: _Data, trait: _Trait, among: NDArray[np.bool_]) -> tuple[Array, float]:
    columns = np.concatenate([np.arange(part.start, part.stop) for part in trait.reads])
    letters = data.letters[:, trait.column]
    used = among & np.isin(letters, list(trait.yes + trait.no))
    fitted, bias = _softmax_fit(
        data.inputs[np.ix_(used, columns)],
        np.stack([~np.isin(letters[used], list(trait.yes)), np.isin(letters[used], list(trait.yes))], axis=1),
        np.ones(int(used.sum())),
        _RIDGE * len(columns) * 2,
    )
    weights = np.zeros(SIZE)
    weights[columns] = fitted[:, 1] - fitted[:, 0]
    return weights, float(bias[1] - bias[0])


def _fit_patterns(data: _Data, among: NDArray[np.bool_]) -> tuple[Array, Array]:
    letters = data.letters[:, _PATTERN_COLUMN]
    used = among & np.isin(letters, list("".join(row[0] for row in _PATTERNS.values())))
    inputs = np.concatenate([data.inputs[used][:, TORSO], data.painted])
    kinds = np.concatenate([letters[used], data.painted_kinds])
    classes = np.stack([np.isin(kinds, list(row[0])) for row in _PATTERNS.values()], axis=1)
    worth = np.where(np.arange(len(kinds)) < used.sum(), 1.0, _PAINTED)
    # Each pattern counts alike, however rare it is.
    shares = np.array([row[2] for row in _PATTERNS.values()]) * len(kinds) / len(_PATTERNS)
    worth = worth * (classes @ (shares / (classes * worth[:, None]).sum(0)))
    return _softmax_fit(inputs, classes, worth, _PATTERN_RIDGE)


def _softmax_fit(
    inputs: Array, classes: NDArray[np.bool_], worth: Array, ridge: float
) -> tuple[Array, Array]:
    """Return the weights and biases of a ridge-held softmax regression."""
    from scipy.optimize import minimize

    size, count = inputs.shape[1], classes.shape[1]

    def loss(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(size + 1, count)
        scores = inputs @ weights[:-1] + weights[-1]
        raised = np.exp(scores - scores.max(1, keepdims=True))
        chances = raised / raised.sum(1, keepdims=True)
        value = -(worth[:, None] * classes * np.log(chances + 1e-12)).sum()
        gap = worth[:, None] * (chances - classes)
        slope = np.concatenate([inputs.T @ gap + ridge * weights[:-1], gap.sum(0)[None]])
        return float(value + ridge / 2 * (weights[:-1] ** 2).sum()), slope.ravel()

    found = minimize(
        loss, np.zeros((size + 1) * count), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    )
    weights = found.x.reshape(size + 1, count)
    return weights[:-1], weights[-1]


def _measure_trait(data: _Data, trait: _Trait) -> None:
    weights, bias = _fit_trait(data, trait, ~data.is_held)
    letters = data.letters[:, trait.column]
    used = data.is_held & np.isin(letters, list(trait.yes + trait.no))
    scores, truth = data.inputs[used] @ weights + bias, np.isin(letters[used], list(trait.yes))
    print(f"{trait.name}: area {_area(scores, truth):.2f}, {truth.sum()} of {len(truth)}")
    _print_part(trait.told, scores >= _odds(trait.told_from), truth)
    _print_part(trait.denied, scores <= _odds(trait.denied_to), ~truth)


def _measure_patterns(data: _Data) -> None:
    weights, bias = _fit_patterns(data, ~data.is_held)
    letters = data.letters[:, _PATTERN_COLUMN]
    used = data.is_held & np.isin(letters, list("".join(row[0] for row in _PATTERNS.values())))
    scores = data.inputs[used][:, TORSO] @ weights + bias
    raised = np.exp(scores - scores.max(1, keepdims=True))
    chances = raised / raised.sum(1, keepdims=True)
    for column, (name, (kinds, least, _)) in enumerate(_PATTERNS.items()):
        truth = np.isin(letters[used], list(kinds))
        print(f"{name}: area {_area(chances[:, column], truth):.2f}, {truth.sum()} of {len(truth)}")
        _print_part(name, chances[:, column] >= least, truth)


def _print_part(name: str, said: NDArray[np.bool_], truth: NDArray[np.bool_]) -> None:
    right = truth[said].mean() if said.any() else float("nan")
    found = (said & truth).sum() / max(1, truth.sum())
    print(f"  {name!r} said of {said.sum()}, right {right:.2f}, found {found:.2f}")


def _area(scores: Array, truth: NDArray[np.bool_]) -> float:
    ranks = scores.argsort().argsort() + 1.0
    positive = int(truth.sum())
    above = ranks[truth].sum() - positive * (positive + 1) / 2
    return float(above / max(1, positive * (len(truth) - positive)))


def _odds(chance: float) -> float:
    return float(np.log(chance / (1 - chance)))


def _write(data: _Data) -> None:
    everyone = np.ones(len(data.is_held), bool)
    arrays: dict[str, NDArray[np.float16]] = {
        "mean": data.mean.astype(np.float16), "scale": data.scale.astype(np.float16)
    }  # fmt: skip
    traits: list[dict[str, Any]] = []
    for trait in _TRAITS:
        weights, bias = _fit_trait(data, trait, everyone)
        arrays[f"trait.{trait.name}"] = weights.astype(np.float16)
        traits.append(
            {
                "name": trait.name,
                "told": trait.told,
                "denied": trait.denied,
                "region": trait.region,
                "bias": bias,
                "told_from": _odds(trait.told_from),
                "denied_to": _odds(trait.denied_to),
            }
        )
    weights, biases = _fit_patterns(data, everyone)
    arrays["pattern"] = weights.astype(np.float16)
    meta = {
        "version": VERSION,
        "labeller_sha256": load_manifest(efficientnet.MODEL).file("model").sha256,
        "traits": traits,
        "pattern_bias": biases.tolist(),
        "pattern_from": [[name, row[1]] for name, row in _PATTERNS.items()],
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, meta=np.array(json.dumps(meta)), **arrays)
    content = buffer.getvalue()
    (Path("src/vidence/models/weights") / FILE).write_bytes(content)
    print(f"{FILE}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
