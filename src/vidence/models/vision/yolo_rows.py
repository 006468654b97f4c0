"""What the exports of YOLO detectors answer, brought to one form: corners, score and class of each find."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidence.errors import BackendError
from vidence.schema.perception import FloatArray

__all__ = ["yolo_rows"]

_SUPPRESSED = ("boxes", "scores", "labels")


def yolo_rows(answer: Mapping[str, NDArray[Any]], file: str, classes: int, min_score: float) -> FloatArray:
    """Return (x1, y1, x2, y2, score, class) of what is sure enough, in pixels of the network's input.

    Known are (1, 4 + classes, anchors), (1, anchors, 5 + classes), (1, n, 6) with its own suppression, and
    the outputs `boxes` and `scores`, with `labels` where they were suppressed.

    Args:
        file: the network's name, for messages.
        classes: how many are named.
    """
    if {"boxes", "scores"} <= set(answer):
        rows = _separate(
            {name: np.asarray(answer[name][0], np.float32) for name in _SUPPRESSED if name in answer}
        )
    else:
        rows = _joined(np.asarray(next(iter(answer.values()))[0], np.float32), file, classes)
    rows = rows[rows[:, 4] >= min_score]
    if len(rows) and rows[:, 5].max() >= classes:
        raise BackendError(
            f"{file} found its class {int(rows[:, 5].max())} (the first is 0), but only {classes} are named. "
            "Give the option 'labels' all of them."
        )
    return rows


def _separate(answer: Mapping[str, FloatArray]) -> FloatArray:
    """Read boxes, scores and classes that come apart; unused places have a class or score below 0."""
    boxes, scores = answer["boxes"].reshape(-1, 4), answer["scores"]
    if "labels" not in answer:
        return np.column_stack([boxes, scores.max(axis=1), scores.argmax(axis=1)])
    rows = np.column_stack([boxes, scores.reshape(-1), answer["labels"].reshape(-1)])
    return rows[rows[:, 5] >= 0]


def _joined(output: FloatArray, file: str, classes: int) -> FloatArray:
    if output.ndim != 2:
        raise BackendError(f"{file} is not a YOLO detector: its output is {output.shape}.")
    if output.shape[0] == 4 + classes:
        return _anchors(output[:4].T, output[4:].T)
    if output.shape[1] == 6:
        return output
    if output.shape[1] == 4 + classes:
        return _anchors(output[:, :4], output[:, 4:])
    if output.shape[1] == 5 + classes:
        return _anchors(output[:, :4], output[:, 5:] * output[:, 4:5])
    told = min(output.shape) - 4
    raise BackendError(f"{file} scores {told} classes, but {classes} are named (option 'labels').")


def _anchors(boxes: FloatArray, scores: FloatArray) -> FloatArray:
    """Read centres and sizes with a score for every class."""
    centre, half = boxes[:, :2], boxes[:, 2:] / 2
    return np.column_stack([centre - half, centre + half, scores.max(axis=1), scores.argmax(axis=1)])
