"""Beam search with the trained caption decoder, in NumPy, for many photographs at once."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = ["END", "START", "decode"]

START, END, UNKNOWN = 1, 2, 3
HEADS, PREFIX, LAYERS = 4, 4, 4
LONGEST = 18

Floats = NDArray[np.float32]
Weights = Mapping[str, Floats]
Cache = list[tuple[Floats, Floats]]


def decode(w: Weights, features: Floats, *, beams: int = 3, length_reward: float = 0.7) -> list[list[int]]:
    """Return the word numbers of one caption per (N, 1280) pooled feature row.

    Args:
        length_reward: a caption's log-probability is divided by its length to this power.
    """
    count = len(features)
    x = (np.log1p(features) - w["mean"]) / w["std"]
    made = (x @ w["pre.weight"].T + w["pre.bias"]).reshape(count, PREFIX, -1) + w["pos"][:PREFIX]
    prefix = np.asarray(made, np.float32)
    cache: Cache = []
    _run(w, prefix, cache)
    cache = [(np.repeat(k, beams, 0), np.repeat(v, beams, 0)) for k, v in cache]
    words = np.full((count * beams, 1), START)
    # All beams start equal, so only the first of each photograph may be extended at first.
    score = np.tile(np.array([0.0] + [-1e9] * (beams - 1), np.float32), count)
    ended = np.zeros(count * beams, bool)
    for step in range(LONGEST):
        inner = w["emb.weight"][words[:, -1]][:, None] + w["pos"][PREFIX + step]
        logits = _run(w, inner, cache)[:, -1] @ w["emb.weight"].T + w["b"]
        logits[:, [0, START, UNKNOWN]] = -1e9
        word = _log_softmax(logits)
        word[ended] = -1e9
        word[ended, END] = 0.0
        words, score, ended, cache = _extend(words, score, ended, cache, word, beams)
        if ended.all():
            break
    return _best(words, score, count, beams, length_reward)


def _extend(
    words: NDArray[np.int64], score: Floats, ended: NDArray[np.bool_], cache: Cache, word: Floats, beams: int
) -> tuple[NDArray[np.int64], Floats, NDArray[np.bool_], Cache]:
    count, size = len(words) // beams, word.shape[1]
    joint = (score[:, None] + word).reshape(count, -1)
    top = np.argpartition(-joint, beams, axis=1)[:, :beams]
    source = (top // size + np.arange(count)[:, None] * beams).ravel()
    chosen = (top % size).ravel()
    words = np.concatenate([words[source], chosen[:, None]], axis=1)
    score = np.take_along_axis(joint, top, 1).ravel().astype(np.float32)
    return words, score, ended[source] | (chosen == END), [(k[source], v[source]) for k, v in cache]


def _best(words: NDArray[np.int64], score: Floats, count: int, beams: int, reward: float) -> list[list[int]]:
    found = []
    for i in range(count):
        rows = words[i * beams : (i + 1) * beams, 1:]
        cut = [row[: list(row).index(END)].tolist() if END in row else row.tolist() for row in rows]
        value = [score[i * beams + k] / max(len(cut[k]), 1) ** reward for k in range(beams)]
        found.append(cut[int(np.argmax(value))])
    return found


def _run(w: Weights, x: Floats, cache: Cache) -> Floats:
    """Run the layers over new positions, all of which may see the cached ones; fills the cache."""
    width = x.shape[-1]
    for layer in range(LAYERS):
        at = f"blocks.{layer}."
        inner = _norm(x, w[at + "n1.weight"], w[at + "n1.bias"]) @ w[at + "qkv.weight"].T + w[at + "qkv.bias"]
        shaped = inner.reshape(len(x), x.shape[1], 3, HEADS, width // HEADS).transpose(2, 0, 3, 1, 4)
        q, k, v = shaped[0], shaped[1], shaped[2]
        if len(cache) > layer:
            k, v = (np.concatenate([old, new], 2) for old, new in zip(cache[layer], (k, v), strict=True))
            cache[layer] = k, v
        else:
            cache.append((k, v))
        weight = q @ k.transpose(0, 1, 3, 2) / np.sqrt(np.float32(width // HEADS))
        if x.shape[1] > 1:
            weight = weight + np.triu(np.full((x.shape[1], k.shape[2]), -1e9, np.float32), 1)
        seen = np.exp(_log_softmax(weight)) @ v
        x = x + seen.transpose(0, 2, 1, 3).reshape(x.shape) @ w[at + "o.weight"].T + w[at + "o.bias"]
        wide = _norm(x, w[at + "n2.weight"], w[at + "n2.bias"]) @ w[at + "f1.weight"].T + w[at + "f1.bias"]
        wide = 0.5 * wide * (1 + np.tanh(np.float32(0.7978846) * (wide + np.float32(0.044715) * wide**3)))
        x = x + wide @ w[at + "f2.weight"].T + w[at + "f2.bias"]
    return _norm(x, w["n.weight"], w["n.bias"])


def _norm(x: Floats, gain: Floats, shift: Floats) -> Floats:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + np.float32(1e-5)) * gain + shift
    return np.asarray(scaled, np.float32)


def _log_softmax(x: Floats) -> Floats:
    shifted = x - x.max(-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)), np.float32)
