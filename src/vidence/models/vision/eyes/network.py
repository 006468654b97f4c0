"""The network of eyes in NumPy: a question looks at cells and boxes of pictures; every answer is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vidence.models.text.use import relu
from vidence.schema.perception import FloatArray

__all__ = ["LOUD", "AskedText", "SeenPictures", "answer_logits"]

_THRESHOLDS = np.array([0.2, 0.3, 0.4, 0.5, 0.6], np.float32)
_MOST = 8
LOUD = np.float32(20.0)  # gives each number of a 512-number unit vector about variance 1
_SCALE = np.float32(8.0)  # of products of 64 numbers
_HIDDEN = np.float32(-1e4)
_EPS = np.float32(1e-5)

Weights = Mapping[str, FloatArray]


@dataclass(frozen=True)
class AskedText:
    """A question as the encoders see it."""

    words: FloatArray  # (pieces, 512)
    sentence: FloatArray  # (512,)
    lens: FloatArray  # (512,)


@dataclass(frozen=True)
class SeenPictures:
    """N pictures as the embedded models see them; rows of `boxes` are category or -1, score, x, y, w, h."""

    cells: FloatArray  # (N, 81, C)
    boxes: FloatArray  # (N, B, 6)
    box_cells: FloatArray  # (N, B, C)
    lens: FloatArray  # (N, 512)


def answer_logits(w: Weights, text: AskedText, seen: SeenPictures) -> FloatArray:
    """Return (N, answers): the log-odds of each answer on each picture."""
    asked, image = text.lens * LOUD, seen.lens * LOUD
    q = np.repeat(_read(w, text)[None], len(seen.lens), axis=0)
    looks = [_glance(w, "first", q, seen.cells), _boxes(w, q, seen), _counts(w, q, seen.boxes)]
    v = relu(_linear(w, "seen", np.concatenate(looks, axis=1)))
    both = v * relu(_linear(w, "asked", q))
    again = _glance(w, "second", np.concatenate([q, both], axis=1), seen.cells)
    parts = [both, v, q, again, _linear(w, "lens_gate", q) * image, asked * image]
    h = _normalise(w, "norm", relu(_linear(w, "fuse", np.concatenate(parts, axis=1))))
    h = h + relu(_linear(w, "leave", h))
    by_lens = (_linear(w, "answer_gate", h) * seen.lens * np.float32(5)) @ w["answer_lens"].T
    return np.asarray(_linear(w, "answer", h) + by_lens, np.float32)


def _read(w: Weights, text: AskedText) -> FloatArray:
    """Return the question, from its pieces in windows of three and its two whole vectors."""
    x = relu(_linear(w, "word", text.words))
    padded = np.pad(x, ((1, 1), (0, 0)))
    x = x + relu(_linear(w, "window", np.concatenate([padded[:-2], x, padded[2:]], axis=1)))
    picked = _softmax(_linear(w, "pick", x).T) @ x
    joined = np.concatenate([picked.ravel(), text.sentence * LOUD, text.lens * LOUD])
    return _normalise(w, "norm_question", relu(_linear(w, "question", joined)))


def _glance(w: Weights, name: str, q: FloatArray, cells: FloatArray) -> FloatArray:
    """Return what several looks at the grid find, by what cells show and where they are."""
    n, _, width = cells.shape
    place = w[f"{name}.place"]
    query = _linear(w, f"{name}.query", q).reshape(n, -1, width)
    where = _linear(w, f"{name}.where", q).reshape(n, -1, place.shape[1])
    weight = _softmax(query @ cells.transpose(0, 2, 1) / np.float32(np.sqrt(width)) + where @ place.T)
    return np.concatenate([(weight @ cells).reshape(n, -1), (weight @ place).reshape(n, -1)], axis=1)


def _boxes(w: Weights, q: FloatArray, seen: SeenPictures) -> FloatArray:
    """Return what the boxes that fit the question are; a glance may also find none."""
    boxes, n = seen.boxes, len(q)
    category = boxes[..., 0].astype(np.int64)
    area = np.log(np.maximum(boxes[..., 4:5] * boxes[..., 5:6], np.float32(1e-4)))
    size = np.concatenate([boxes[..., 1:], area], axis=-1)
    kinds = _linear(w, "category", w["category_lens"])[np.maximum(category, 0)]
    keys, values = np.split(kinds, 2, axis=-1)
    keys = keys + _linear(w, "shape", size) + _linear(w, "box_cell", seen.box_cells)
    query = _linear(w, "box_query", q).reshape(n, -1, keys.shape[-1])
    scores = query @ keys.transpose(0, 2, 1) / _SCALE
    scores = np.where((category < 0)[:, None], _HIDDEN, scores)
    none = _linear(w, "nothing", q)[..., None]
    weight = _softmax(np.concatenate([scores, none], axis=-1))[..., :-1]
    found = weight @ np.concatenate([values, size, seen.box_cells], axis=-1)
    return np.asarray(found.reshape(n, -1), np.float32)


def _counts(w: Weights, q: FloatArray, boxes: FloatArray) -> FloatArray:
    """Return soft counts of the boxes whose category the question asks for, at several scores."""
    kinds = _sigmoid(_linear(w, "wanted", q) @ _linear(w, "named", w["category_lens"]).T / _SCALE)
    category = boxes[..., 0].astype(np.int64)
    match = np.take_along_axis(kinds, np.maximum(category, 0), axis=1) * (category >= 0)
    sure = _sigmoid((boxes[..., 1:2] - _THRESHOLDS) * np.float32(20))
    total = np.einsum("nb,nbk->nk", match, sure)[..., None]
    near = np.exp(-2 * (total - np.arange(_MOST + 1, dtype=np.float32)) ** 2)
    return np.asarray(np.concatenate([near, total / np.float32(4)], axis=-1).reshape(len(q), -1), np.float32)


def _linear(w: Weights, name: str, x: FloatArray) -> FloatArray:
    return np.asarray(x @ w[f"{name}.weight"].T + w[f"{name}.bias"], np.float32)


def _normalise(w: Weights, name: str, x: FloatArray) -> FloatArray:
    centred = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPS)
    return np.asarray(centred / spread * w[f"{name}.weight"] + w[f"{name}.bias"], np.float32)


def _softmax(x: FloatArray) -> FloatArray:
    raised = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), np.float32)


def _sigmoid(x: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -50, 50))), np.float32)
