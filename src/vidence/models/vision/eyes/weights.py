"""The shipped weights of eyes: read once, checked against their digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from vidence.errors import BackendError
from vidence.models.packed import read_packed, shipped_bytes, under
from vidence.schema.perception import FloatArray

__all__ = ["FILE", "VERSION", "EyesWeights", "answer_chances", "answer_odds", "load_weights", "parse_weights"]

VERSION: Final = "2"
FILE: Final = f"eyes-{VERSION}.npz"
SHA256: Final = "17f8a9979b3ef4d9cef38f533cd5ce9cbf4b9fd3f19bf6b1217bf4a23d2ef6f3"


@dataclass(frozen=True)
class EyesWeights:
    """The networks, the whitening of their inputs, and the answers they choose from."""

    version: str
    labeller_sha256: str  # digest of the labeller whose tensors the cells are made from
    answers: tuple[str, ...]
    kinds: FloatArray  # (answers, 3): share of yes/no, number and other questions an answer is given to
    temperature: FloatArray  # (3, 2): slope and offset of the log-odds of yes/no, number and other answers
    basis: Mapping[str, FloatArray]
    networks: tuple[Mapping[str, FloatArray], ...]
    prior: Mapping[str, FloatArray]  # what the question alone says


@cache
def load_weights() -> EyesWeights:
    """Return the weights inside the package."""
    return parse_weights(shipped_bytes(FILE, SHA256))


def parse_weights(content: bytes) -> EyesWeights:
    """Return the weights a `.npz` holds."""
    try:
        meta, arrays = read_packed(content)
        return EyesWeights(
            version=str(meta["version"]),
            labeller_sha256=str(meta["labeller_sha256"]),
            answers=tuple(meta["answers"]),
            kinds=arrays["kinds"],
            temperature=np.array(meta["temperature"], np.float32),
            basis=under("basis.", arrays),
            networks=tuple(under(f"net{k}.", arrays) for k in range(int(meta["networks"]))),
            prior=under("prior.", arrays),
        )
    except (OSError, ValueError, KeyError) as exc:
        raise BackendError(f"The weights of eyes cannot be read: {exc}. Reinstall vidence.") from exc


def answer_chances(weights: EyesWeights, logits: FloatArray) -> FloatArray:
    """Return the calibrated chance of each answer, from the (N, answers) scores of the networks."""
    slope, offset = (weights.kinds @ weights.temperature).T
    return np.asarray(1 / (1 + np.exp(-np.clip(slope * answer_odds(logits) + offset, -30, 30))), np.float32)


def answer_odds(logits: FloatArray) -> FloatArray:
    """Return the log-odds of each answer against all others."""
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    share = np.clip(raised / raised.sum(axis=1, keepdims=True), 1e-7, 1 - 1e-6)
    return np.asarray(np.log(share / (1 - share)), np.float32)
