"""Tiny ONNX models with the inputs and outputs of the real ones, small enough to reason about."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from ctranslate2.specs import whisper_spec  # type: ignore[import-untyped]
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


def siglip(folder: Path) -> Path:
    """The same, as SigLIP is exported: any length allowed, no mask, and the 64th token answers."""
    clip(folder)
    table = np.zeros((len(WORDS), 3), np.float32)
    table[2:5] = np.eye(3)
    save(
        folder / "text_model.onnx",
        [
            helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
            helper.make_node("ReduceSum", ["rows", "axis"], ["sum"], keepdims=0),
            helper.make_node("Gather", ["input_ids", "last"], ["end"], axis=1),
            helper.make_node("Equal", ["end", "pad"], ["padded"]),
            helper.make_node("Cast", ["padded"], ["right"], to=TensorProto.FLOAT),
            helper.make_node("Mul", ["sum", "right"], ["pooler_output"]),
        ],
        [("input_ids", TensorProto.INT64, ["batch_size", "sequence_length"])],
        [("pooler_output", ["batch_size", 3])],
        {
            "table": table,
            "axis": np.array([1], np.int64),
            "last": np.array([63], np.int64),
            "pad": np.array(WORDS.index("."), np.int64),
        },
    )
    (folder / "config.json").write_text(json.dumps({"model_type": "siglip"}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 64, "pad_token": "."}))
    return folder


def joined_clip(folder: Path) -> Path:
    """The same in one network that wants pictures and words together, in half precision and 32 bits."""
    clip(folder)
    for name in ("vision_model", "text_model"):
        (folder / f"{name}.onnx").unlink()
    table = np.zeros((len(WORDS), 3), np.float32)
    table[2:5] = np.eye(3)
    save(
        folder / "model.onnx",
        [
            helper.make_node("Cast", ["pixel_values"], ["pixels"], to=TensorProto.FLOAT),
            helper.make_node("ReduceMean", ["pixels"], ["image_embeds"], axes=[2, 3], keepdims=0),
            helper.make_node("Gather", ["table", "input_ids"], ["rows"]),
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "third"], ["columns"]),
            helper.make_node("Mul", ["rows", "columns"], ["seen"]),
            helper.make_node("ReduceSum", ["seen", "second"], ["text_embeds"], keepdims=0),
        ],
        [
            ("input_ids", TensorProto.INT32, ["text_batch", "length"]),
            ("pixel_values", TensorProto.FLOAT16, ["image_batch", 3, 8, 8]),
            ("attention_mask", TensorProto.INT32, ["text_batch", "length"]),
        ],
        [("image_embeds", ["image_batch", 3]), ("text_embeds", ["text_batch", 3])],
        {"table": table, "third": np.array([2], np.int64), "second": np.array([1], np.int64)},
    )
    return folder


def answers(path: Path, outputs: dict[str, np.ndarray], *, half: bool = False) -> Path:
    """A detector with several outputs, the same for every picture."""
    kind = TensorProto.FLOAT16 if half else TensorProto.FLOAT
    nodes = [
        helper.make_node("Cast", ["images"], ["pixels"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["pixels"], ["total"], keepdims=0),
        helper.make_node("Mul", ["total", "zero"], ["nothing"]),
        *(helper.make_node("Add", [f"all_{name}", "nothing"], [name]) for name in outputs),
    ]
    return save(
        path,
        nodes,
        [("images", kind, ["batch", 3, "height", "width"])],
        [(name, list(value.shape)) for name, value in outputs.items()],
        {**{f"all_{name}": value for name, value in outputs.items()}, "zero": np.zeros((), np.float32)},
    )


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


def grounding(folder: Path, *, sides: tuple[int | str, int | str] = (32, 32)) -> Path:
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
            ("pixel_values", TensorProto.FLOAT, [1, 3, *sides]),
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


def planar_transnet(path: Path) -> Path:
    """The same with colours first, in bytes, with its sigmoid and both heads, the broad one first."""
    return save(
        path,
        [
            helper.make_node("Cast", ["input"], ["frames"], to=TensorProto.FLOAT),
            helper.make_node("ReduceMean", ["frames"], ["light"], axes=[1, 3, 4], keepdims=0),
            helper.make_node("Sub", ["light", "middle"], ["logits"]),
            helper.make_node("Sigmoid", ["logits"], ["single_frame_pred"]),
            helper.make_node("Sub", ["single_frame_pred", "single_frame_pred"], ["many_hot"]),
        ],
        [("input", TensorProto.UINT8, ["batch", 3, 100, 27, 48])],
        [("many_hot", ["batch", 100]), ("single_frame_pred", ["batch", 100])],
        {"middle": np.array(100, np.float32)},
    )


def whisper(folder: Path, *, mels: int) -> Path:
    """A Whisper of one layer and eight numbers that listens to so many bands."""
    folder.mkdir()
    spec, random = whisper_spec.WhisperSpec(1, 1, 1, 1), np.random.default_rng(0)

    def some(*shape: int) -> np.ndarray:
        return random.standard_normal(shape).astype(np.float32) / 10

    encoder, decoder = spec.encoder, spec.decoder
    encoder.conv1.weight, encoder.conv1.bias = some(8, mels, 3), some(8)
    encoder.conv2.weight, encoder.conv2.bias = some(8, 8, 3), some(8)
    encoder.position_encodings.encodings = some(1500, 8)
    decoder.scale_embeddings = False
    decoder.embeddings.weight = decoder.projection.weight = some(100, 8)
    decoder.position_encodings.encodings = some(448, 8)
    norms, linears = [encoder.layer_norm, decoder.layer_norm], []
    for layer in (*encoder.layer, *decoder.layer):
        own, feed = layer.self_attention, layer.ffn
        norms += [own.layer_norm, feed.layer_norm]
        linears += [(own.linear[0], 24), (own.linear[1], 8), (feed.linear_0, 8), (feed.linear_1, 8)]
    other = decoder.layer[0].attention
    norms.append(other.layer_norm)
    linears += [(other.linear[0], 8), (other.linear[1], 16), (other.linear[2], 8)]
    for norm in norms:
        norm.gamma, norm.beta = np.ones(8, np.float32), np.zeros(8, np.float32)
    for linear, size in linears:
        linear.weight, linear.bias = some(size, 8), some(size)
    spec.register_vocabulary([f"t{number}" for number in range(100)])
    spec.config.suppress_ids = spec.config.suppress_ids_begin = spec.config.lang_ids = []
    spec.config.alignment_heads = [[0, 0]]
    spec.validate()
    spec.optimize()
    spec.save(str(folder))
    tokenizer(folder / "tokenizer.json")
    return folder
