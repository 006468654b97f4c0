"""Write a trained student as ONNX that computes in bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from training.audio_events.nets import Student
from training.audio_events.quantise import Mel, quantise_network

SMALLEST = 2000
"""Weights with fewer numbers stay in float32: they save nothing and may matter."""


def load_student(path: Path) -> Student:
    """Return the student whose half-precision weights `cv` wrote."""
    stored = np.load(path)
    state = {key: torch.from_numpy(stored[key]) for key in stored.files if not key.startswith("__")}
    state = {key: value.float() if value.dtype == torch.float16 else value for key, value in state.items()}
    channels = tuple(state[f"backbone.blocks.{i}.conv2.weight"].shape[0] for i in (0, 2, 4))
    student = Student(len(stored["__names__"]), channels)  # type: ignore[arg-type]
    student.load_state_dict(state)
    return student.eval()


def export(student: Student, path: Path, *, sounds: Sequence[Mel] = ()) -> None:
    """Write the student to `path`; time is free, everything else fixed.

    Args:
        sounds: log-mel frames on which the range of inner values is measured; without any, only the weights
            are bytes.
    """
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        axes = {"mel": {2: "time"}, **{name: {2: "frames"} for name in ("frame", "clip", "attend")}}
        example = torch.zeros(1, 1, 320, 128)
        torch.onnx.export(
            student, (example,), str(plain), input_names=["mel"], output_names=["frame", "clip", "attend"],
            dynamic_axes=axes, opset_version=17, dynamo=False,
        )  # fmt: skip
        model = onnx.load(str(plain))
    _quantise(model)
    if sounds:
        quantise_network(model, sounds)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(path))


def _quantise(model: onnx.ModelProto) -> None:
    """Store big convolution weights as int8 with one scale per output channel."""
    graph = model.graph
    weights = {node.input[1] for node in graph.node if node.op_type == "Conv"}
    nodes = []
    for tensor in list(graph.initializer):
        values = numpy_helper.to_array(tensor)
        if tensor.name not in weights or values.size < SMALLEST or values.dtype != np.float32:
            continue
        flat = np.abs(values.reshape(values.shape[0], -1)).max(axis=1)
        scale = np.maximum(flat, 1e-8).astype(np.float32) / 127
        small = np.round(values / scale.reshape(-1, *[1] * (values.ndim - 1))).astype(np.int8)
        graph.initializer.remove(tensor)
        graph.initializer.append(numpy_helper.from_array(small, tensor.name + ".int8"))
        graph.initializer.append(numpy_helper.from_array(scale, tensor.name + ".scale"))
        inputs = [tensor.name + ".int8", tensor.name + ".scale"]
        nodes.append(helper.make_node("DequantizeLinear", inputs, [tensor.name], axis=0))
    for node in reversed(nodes):
        graph.node.insert(0, node)
    assert all(t.data_type != TensorProto.FLOAT16 for t in graph.initializer)
