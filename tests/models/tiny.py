"""Tiny ONNX models with the inputs and outputs of the real ones, small enough to reason about."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

WORDS = ("[UNK]", ".", "red", "green", "blue", "dot", "a", "person")


def save(
    path: Path,
    nodes: list[onnx.NodeProto],
    inputs: list[tuple[str, int, list[int | str]]],
    outputs: list[tuple[str, list[int | str]]],
    weights: dict[str, np.ndarray],
    metadata: dict[str, str] | None = None,
) -> Path:
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    helper.set_model_props(model, metadata or {})
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return path


def tokenizer(path: Path) -> None:
    words = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = Whitespace()
    words.save(str(path))


def clip(folder: Path) -> Path:
    """An encoder whose space is mean red, green, blue: the word "red" is the vector of a red picture."""
    folder.mkdir()
    save(
        folder / "vision_model.onnx",
        [helper.make_node("ReduceMean", ["pixel_values"], ["image_embeds"], axes=[2, 3], keepdims=0)],
        [("pixel_values", TensorProto.FLOAT, ["n", 3, 8, 8])],
        [("image_embeds", ["n", 3])],
        {},
    )
    table = np.zeros((len(WORDS), 3), np.float32)
    table[2:5] = np.eye(3)
    save(
        folder / "text_model.onnx",
        [
            helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
            helper.make_node("ReduceSum", ["rows", "axis"], ["text_embeds"], keepdims=0),
        ],
        [("input_ids", TensorProto.INT64, ["n", "length"])],
        [("text_embeds", ["n", 3])],
        {"table": table, "axis": np.array([1], np.int64)},
    )
    tokenizer(folder / "tokenizer.json")
    config = {"size": {"height": 8, "width": 8}, "image_mean": [0, 0, 0], "image_std": [1, 1, 1]}
    (folder / "preprocessor_config.json").write_text(json.dumps(config))
    return folder


def yolo(path: Path, *, anchors: np.ndarray, names: str | None) -> Path:
    """A detector that sees the same boxes everywhere."""
    return save(
        path,
        [
            helper.make_node("ReduceSum", ["images"], ["total"], keepdims=0),
            helper.make_node("Mul", ["total", "zero"], ["nothing"]),
            helper.make_node("Add", ["anchors", "nothing"], ["output0"]),
        ],
        [("images", TensorProto.FLOAT, [1, 3, 64, 64])],
        [("output0", list(anchors.shape))],
        {"anchors": anchors, "zero": np.zeros((), np.float32)},
        {"names": names} if names else None,
    )


def grounding(folder: Path) -> Path:
    """A detector with one box for each of the first two tokens."""
    folder.mkdir()
    logits = np.full((1, 2, 16), -9, np.float32)
    logits[0, 0, 0] = logits[0, 1, 2] = 3
    boxes = np.array([[[0.25, 0.25, 0.5, 0.5], [0.75, 0.75, 0.4, 0.4]]], np.float32)
    save(
        folder / "model.onnx",
        [
            helper.make_node("ReduceSum", ["pixel_values"], ["total"], keepdims=0),
            helper.make_node("Mul", ["total", "zero"], ["nothing"]),
            helper.make_node("Add", ["all_logits", "nothing"], ["logits"]),
            helper.make_node("Add", ["all_boxes", "nothing"], ["pred_boxes"]),
        ],
        [
            ("pixel_values", TensorProto.FLOAT, [1, 3, 32, 32]),
            ("input_ids", TensorProto.INT64, [1, "length"]),
        ],
        [("logits", [1, 2, 16]), ("pred_boxes", [1, 2, 4])],
        {"all_logits": logits, "all_boxes": boxes, "zero": np.zeros((), np.float32)},
    )
    tokenizer(folder / "tokenizer.json")
    return folder


def transnet(path: Path) -> Path:
    """A cut detector: how much brighter than 100 a frame is, as a logit."""
    return save(
        path,
        [
            helper.make_node("ReduceMean", ["frames"], ["light"], axes=[2, 3, 4], keepdims=0),
            helper.make_node("Sub", ["light", "middle"], ["logits"]),
        ],
        [("frames", TensorProto.FLOAT, [1, 100, 27, 48, 3])],
        [("logits", [1, 100])],
        {"middle": np.array(100, np.float32)},
    )
