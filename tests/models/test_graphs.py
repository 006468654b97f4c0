"""The hand-written protocol-buffer and ONNX code, against the real onnx package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import numpy_helper

from vidence.errors import BackendError
from vidence.models.convert.int8_write import Steps, conv_in_bytes, to_bytes, to_floats
from vidence.models.convert.onnx_write import GraphWriter
from vidence.models.convert.protobuf import bytes_field, fields, int_field
from vidence.models.runtime import OnnxModel


@given(st.integers(0, 2**63 - 1), st.integers(1, 500))
def test_numbers_survive_the_wire(value: int, number: int) -> None:
    assert list(fields(memoryview(int_field(number, value)))) == [(number, value)]


def test_a_cut_off_message_is_damaged() -> None:
    with pytest.raises(BackendError, match="damaged"):
        list(fields(memoryview(bytes_field(1, b"hello")[:-1])))
    with pytest.raises(BackendError, match="damaged"):
        list(fields(memoryview(b"\xff\xff")))


def test_what_is_written_is_a_valid_model_and_runs(tmp_path: Path) -> None:
    graph = GraphWriter("test")
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    product = graph.node("MatMul", [graph.input("x", ["n", 2]), graph.weight(weights)])
    graph.node("LeakyRelu", [product], output="y", alpha=0.5)
    graph.output("y", ["n", 3])
    path = tmp_path / "m.onnx"
    graph.save(path)
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    np.testing.assert_array_equal(numpy_helper.to_array(model.graph.initializer[0]), weights)
    x = np.array([[1, -2]], np.float32)
    expected = x @ weights
    [y] = OnnxModel(path).run({"x": x})
    np.testing.assert_allclose(y, np.where(expected < 0, expected * 0.5, expected))


def test_a_broken_model_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(b"this is not a model")
    with pytest.raises(BackendError, match=r"broken\.onnx cannot be opened as ONNX"):
        OnnxModel(path).run({})


def test_a_wrong_input_is_translated(tmp_path: Path) -> None:
    graph = GraphWriter("test")
    graph.node("Identity", [graph.input("x", [1])], output="y")
    graph.output("y", [1])
    graph.save(tmp_path / "m.onnx")
    with pytest.raises(BackendError, match=r"m\.onnx failed on its input"):
        OnnxModel(tmp_path / "m.onnx").run({"z": np.zeros(1, np.float32)})


def test_a_convolution_in_bytes_is_close_to_one_in_floats(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    weights = rng.normal(size=(5, 8, 3, 3)).astype(np.float32)
    bias = rng.normal(size=5).astype(np.float32)
    graph = GraphWriter("test")
    source = graph.input("x", ["n", 8, "h", "w"])
    exact = graph.node("Conv", [source, graph.weight(weights), graph.weight(bias)], kernel_shape=[3, 3])
    given, found = Steps.over(0, 6), Steps.over(-100, 100)
    packed = conv_in_bytes(
        graph, to_bytes(graph, source, given), weights, bias, given=given, found=found, kernel_shape=[3, 3]
    )
    coarse = to_floats(graph, packed, found)
    graph.node("Identity", [exact], output="exact")
    graph.node("Identity", [coarse], output="coarse")
    for name in ("exact", "coarse"):
        graph.output(name, ["n", 5, "h", "w"])
    graph.save(tmp_path / "m.onnx")
    onnx.checker.check_model(onnx.load(tmp_path / "m.onnx"), full_check=True)
    x = rng.uniform(0, 6, (1, 8, 9, 9)).astype(np.float32)
    one, other = OnnxModel(tmp_path / "m.onnx").run({"x": x}, ["exact", "coarse"])
    assert np.abs(one - other).max() < 0.02 * np.abs(one).max() + 100 / 127


@pytest.mark.parametrize("size", [1, 3])
def test_errors_of_rounding_weights_do_not_add_up(tmp_path: Path, size: int) -> None:
    rng = np.random.default_rng(5)
    weights = rng.normal(size=(16, 64, size, size)).astype(np.float32)
    graph = GraphWriter("test")
    given, found = Steps.over(0, 6), Steps.over(-400, 400)
    source = to_bytes(graph, graph.input("x", ["n", 64, "h", "w"]), given)
    packed = conv_in_bytes(
        graph, source, weights, np.zeros(16, np.float32), given=given, found=found, kernel_shape=[size, size]
    )
    graph.node("Identity", [to_floats(graph, packed, found)], output="y")
    graph.output("y", ["n", 16, "h", "w"])
    graph.save(tmp_path / "m.onnx")
    # The same value everywhere makes the worst of errors that do not cancel.
    [got] = OnnxModel(tmp_path / "m.onnx").run({"x": np.full((1, 64, size, size), 3.0, np.float32)})
    exact = 3.0 * weights.sum(axis=(1, 2, 3))
    step = np.abs(weights).reshape(16, -1).max(axis=1) / 63
    kernels = 64 if size > 1 else 1
    assert (np.abs(got.ravel() - exact) <= 3.0 * step * 0.5 * kernels**0.5 * 2 + found.scale).all()


@pytest.mark.parametrize(("low", "high"), [(0.0, 6.0), (-3.0, 7.2), (2.0, 3.0), (-1.0, -0.5)])
def test_the_steps_of_a_range_hold_zero_and_both_ends(low: float, high: float) -> None:
    steps = Steps.over(low, high)
    assert 0 <= steps.zero <= 255
    assert (0 - steps.zero) * steps.scale <= min(low, 0) + steps.scale
    assert (255 - steps.zero) * steps.scale >= max(high, 0) - steps.scale
