"""Reading, writing and quantising ONNX graphs, checked against the onnx package."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from vidence.errors import BackendError
from vidence.models.convert.onnx_graph import GraphWriter, read_weights
from vidence.models.convert.quantise import Quantisation, dequantise, quantise, quantised_conv
from vidence.models.protobuf import compile_schema
from vidence.models.runtime import OnnxModel


def test_fields_outside_a_schema_are_skipped() -> None:
    whole = compile_schema("whole", "message Row { int64 size = 1; string name = 2; repeated float x = 3; }")[
        "Row"
    ]
    part = compile_schema("part", "message Row { string name = 2; }")["Row"]
    read = part.FromString(whole(size=-5, name="水", x=[1.5, 2.5]).SerializeToString())
    assert read.name == "水"


@given(st.integers(-(2**63), 2**63 - 1))
def test_numbers_survive_the_wire(value: int) -> None:
    row = compile_schema("numbers", "message Row { repeated int64 values = 7; }")["Row"]
    assert list(row.FromString(row(values=[value]).SerializeToString()).values) == [value]


def test_weights_are_read_back_and_damage_is_named(tmp_path: Path) -> None:
    path, weights = tmp_path / "m.onnx", np.arange(6, dtype=np.float32).reshape(2, 3)
    listed = numpy_helper.from_array(weights, "raw"), helper.make_tensor("floats", 1, [2, 3], weights.ravel())
    numbers = numpy_helper.from_array(np.arange(3), "numbers")
    graph = helper.make_graph([], "test", [], [], initializer=[*listed, numbers])
    path.write_bytes(helper.make_model(graph).SerializeToString())
    found = read_weights(path)
    assert found.keys() == {"raw", "floats"}
    for values in found.values():
        assert values.dtype == np.float32
        np.testing.assert_array_equal(values, weights)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(BackendError, match="damaged"):
        read_weights(path)
    with pytest.raises(BackendError, match="cannot be read"):
        read_weights(tmp_path / "absent.onnx")


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


def test_a_quantised_convolution_is_close_to_one_in_floats(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    weights = rng.normal(size=(5, 8, 3, 3)).astype(np.float32)
    bias = rng.normal(size=5).astype(np.float32)
    graph = GraphWriter("test")
    source = graph.input("x", ["n", 8, "h", "w"])
    exact = graph.node("Conv", [source, graph.weight(weights), graph.weight(bias)], kernel_shape=[3, 3])
    given, found = Quantisation.over(0, 6), Quantisation.over(-100, 100)
    packed = quantised_conv(
        graph, quantise(graph, source, given), weights, bias, given=given, found=found, kernel_shape=[3, 3]
    )
    coarse = dequantise(graph, packed, found)
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
    given, found = Quantisation.over(0, 6), Quantisation.over(-400, 400)
    source = quantise(graph, graph.input("x", ["n", 64, "h", "w"]), given)
    packed = quantised_conv(
        graph, source, weights, np.zeros(16, np.float32), given=given, found=found, kernel_shape=[size, size]
    )
    graph.node("Identity", [dequantise(graph, packed, found)], output="y")
    graph.output("y", ["n", 16, "h", "w"])
    graph.save(tmp_path / "m.onnx")
    # The same value everywhere makes the worst of errors that do not cancel.
    [got] = OnnxModel(tmp_path / "m.onnx").run({"x": np.full((1, 64, size, size), 3.0, np.float32)})
    exact = 3.0 * weights.sum(axis=(1, 2, 3))
    step = np.abs(weights).reshape(16, -1).max(axis=1) / 63
    kernels = 64 if size > 1 else 1
    assert (np.abs(got.ravel() - exact) <= 3.0 * step * 0.5 * kernels**0.5 * 2 + found.scale).all()


@pytest.mark.parametrize(("low", "high"), [(0.0, 6.0), (-3.0, 7.2), (2.0, 3.0), (-1.0, -0.5)])
def test_the_quantisation_of_a_range_holds_zero_and_both_ends(low: float, high: float) -> None:
    steps = Quantisation.over(low, high)
    assert 0 <= steps.zero <= 255
    assert (0 - steps.zero) * steps.scale <= min(low, 0) + steps.scale
    assert (255 - steps.zero) * steps.scale >= max(high, 0) - steps.scale
