"""The network of eyes in NumPy: a question looks at cells, regions and boxes; every answer is scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from vidence.models.text.use import relu
from vidence.schema.perception import FloatArray

__all__ = ["LOUD", "AskedText", "SeenPictures", "answer_logits"]

_THRESHOLDS = np.array([0.2, 0.3, 0.4, 0.5, 0.6], np.float32)
_MOST = 8
LOUD = np.float32(20.0)  # gives each number of a 512-number unit vector about variance 1
_SCALE = np.float32(8.0)  # of products of 64 numbers
_LENS_SCALE = np.float32(5.0)
_HIDDEN = np.float32(-1e4)
_EPS = np.float32(1e-5)

Weights = Mapping[str, FloatArray]


@dataclass(frozen=True)
class AskedText:
    """A question as the encoders see it."""

    words: FloatArray  # (pieces, 512)
    sentence: FloatArray  # (512,)
    lens: FloatArray  # (512,)
    named: FloatArray  # (80,): 1 for each category of the detector that it names


@dataclass(frozen=True)
class SeenPictures:
    """N pictures as the embedded models see them; rows of `boxes` are category or -1, score, x, y, w, h."""

    cells: FloatArray  # (N, 81, C)
    boxes: FloatArray  # (N, B, 6)
    box_cells: FloatArray  # (N, B, C)
    regions: FloatArray  # (N, R + B, D): overlapping windows, then the boxes, in the space of lens
    whole: FloatArray  # (N, W + 80): the whole picture, ending in how likely each category is there
    lens: FloatArray  # (N, 512)

    @classmethod
    def join(cls, parts: Sequence[SeenPictures]) -> SeenPictures:
        """Return the pictures of all parts in order."""
        return cls(*(np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(cls)))


def answer_logits(w: Weights, text: AskedText, seen: SeenPictures, prior: FloatArray) -> FloatArray:
    """Return (N, answers): the score of each answer on each picture; `prior` is what the question says."""
    n = len(seen.lens)
    image = seen.lens * LOUD
    q = np.repeat(_read(w, text)[None], n, axis=0)
    kinds = _wanted(w, q, text.named)
    near, near_where = _glance(w, "regions", q, seen.regions[:, : len(w["regions.place"])])
    boxes, box_regions = _boxes(w, q, seen)
    looks = [
        *_glance(w, "first", q, seen.cells),
        near,
        near_where,
        boxes,
        box_regions,
        _counts(kinds, seen.boxes),
        seen.whole,
        kinds * seen.whole[:, -kinds.shape[1] :],
    ]
    v = relu(_linear(w, "seen", _joined(looks)))
    both = v * relu(_linear(w, "asked", q))
    again = _glance(w, "second", _joined([q, both]), seen.cells)
    parts = [both, v, q, *again, _linear(w, "lens_gate", q) * image, text.lens * LOUD * image]
    h = _normalise(w, "norm", relu(_linear(w, "fuse", _joined(parts))))
    kind = _softmax(_linear(w, "kind", q))
    ways = relu(_linear(w, "leave", h)).reshape(n, kind.shape[1], -1)
    h = h + np.einsum("nk,nkw->nw", kind, ways)
    found = np.concatenate([near, box_regions], axis=1)
    region = np.einsum("ng,ngd->nd", _softmax(_linear(w, "blend", h)), found)
    by_region = (_linear(w, "region_gate", h) * region) @ w["answer_region"].T
    by_lens = (_linear(w, "answer_gate", h) * seen.lens * _LENS_SCALE) @ w["answer_lens"].T
    return np.asarray(w["trust"] * prior + _linear(w, "answer", h) + by_lens + by_region, np.float32)


def _read(w: Weights, text: AskedText) -> FloatArray:
    """Return the question, from its pieces in windows of three and its whole vectors."""
    x = relu(_linear(w, "word", text.words))
    padded = np.pad(x, ((1, 1), (0, 0)))
    x = x + relu(_linear(w, "window", np.concatenate([padded[:-2], x, padded[2:]], axis=1)))
    picked = _softmax(_linear(w, "pick", x).T) @ x
    joined = np.concatenate([picked.ravel(), text.sentence * LOUD, text.lens * LOUD, text.named])
    return _normalise(w, "norm_question", relu(_linear(w, "question", joined)))


def _wanted(w: Weights, q: FloatArray, named: FloatArray) -> FloatArray:
    """Return (N, 80): how much the question asks for each category."""
    learnt = _linear(w, "wanted", q) @ _linear(w, "listed", w["category_lens"]).T / _SCALE
    gain, level = w["asked_by_name"]
    return _sigmoid(learnt + gain * named + level)


def _glance(w: Weights, name: str, q: FloatArray, parts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what several looks find, by what the parts show and where they are; and where."""
    n, _, width = parts.shape
    place = w[f"{name}.place"]
    query = _linear(w, f"{name}.query", q).reshape(n, -1, width)
    where = _linear(w, f"{name}.where", q).reshape(n, -1, place.shape[1])
    weight = _softmax(query @ parts.transpose(0, 2, 1) / np.float32(np.sqrt(width)) + where @ place.T)
    return weight @ parts, weight @ place


def _boxes(w: Weights, q: FloatArray, seen: SeenPictures) -> tuple[FloatArray, FloatArray]:
    """Return what the boxes that fit the question are; a glance may also find none."""
    boxes, n = seen.boxes, len(q)
    regions = seen.regions[:, -boxes.shape[1] :]
    category = boxes[..., 0].astype(np.int64)
    area = np.log(np.maximum(boxes[..., 4:5] * boxes[..., 5:6], np.float32(1e-4)))
    size = np.concatenate([boxes[..., 1:], area], axis=-1)
    kinds = _linear(w, "category", w["category_lens"])[np.maximum(category, 0)]
    keys, values = np.split(kinds, 2, axis=-1)
    shown = np.concatenate([seen.box_cells, regions], axis=-1)
    keys = keys + _linear(w, "shape", size) + _linear(w, "box_cell", shown)
    query = _linear(w, "box_query", q).reshape(n, -1, keys.shape[-1])
    scores = query @ keys.transpose(0, 2, 1) / _SCALE
    scores = np.where((category < 0)[:, None], _HIDDEN, scores)
    none = _linear(w, "nothing", q)[..., None]
    weight = _softmax(np.concatenate([scores, none], axis=-1))[..., :-1]
    return weight @ np.concatenate([values, size, seen.box_cells], axis=-1), weight @ regions


def _counts(kinds: FloatArray, boxes: FloatArray) -> FloatArray:
    """Return soft counts of the boxes whose category the question asks for, at several scores."""
    category = boxes[..., 0].astype(np.int64)
    match = np.take_along_axis(kinds, np.maximum(category, 0), axis=1) * (category >= 0)
    sure = _sigmoid((boxes[..., 1:2] - _THRESHOLDS) * np.float32(20))
    total = np.einsum("nb,nbk->nk", match, sure)[..., None]
    near = np.exp(-2 * (total - np.arange(_MOST + 1, dtype=np.float32)) ** 2)
    return np.asarray(np.concatenate([near, total / np.float32(4)], axis=-1), np.float32)


def _joined(parts: list[FloatArray]) -> FloatArray:
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)


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
