"""A video on a time grid: means over spans, and what the rows of each stage become on it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.queries.made import Films, Rows, actions, frame, labels, motion, objects, thing, vector
from vidence.queries.search.grid import CURVE, Grid, Signal
from vidence.schema.observations import ObjectsSeen

RAMP = Signal(np.arange(8, dtype=np.float32)[:, None], 0.5)
"""Half-second cells with the values 0 to 7."""


def _mean(signal: Signal, start: float, end: float) -> list[float]:
    mean = signal.mean(np.array([start]), np.array([end]))[0]
    return [round(float(value), 4) for value in mean]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(0.0, 4.0, 3.5), (1.0, 2.0, 2.5), (1.0, 1.5, 2.0), (3.5, 4.0, 7.0)],
)
def test_a_mean_covers_the_cells_of_its_span(start: float, end: float, expected: float) -> None:
    assert _mean(RAMP, start, end) == [expected]


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(2.0, 2.0, 4.0), (9.0, 12.0, 7.0), (-3.0, -1.0, 0.0), (3.0, 99.0, 6.5)]
)
def test_a_span_outside_or_without_length_takes_the_nearest_cell(
    start: float, end: float, expected: float
) -> None:
    assert _mean(RAMP, start, end) == [expected]


def test_many_spans_are_averaged_at_once() -> None:
    both = RAMP.mean(np.array([0.0, 2.0]), np.array([1.0, 4.0]))
    assert both.tolist() == [[0.5], [5.5]]


def test_a_curve_follows_the_values_through_the_span() -> None:
    values = Signal(np.arange(12, dtype=np.float32)[:, None], 0.25)
    curve = values.curve(np.array([0.0]), np.array([3.0]))
    assert curve.shape == (1, CURVE, 1)
    assert curve[0, :, 0].tolist() == [0.5, 2.5, 4.5, 6.5, 8.5, 10.5]


def test_large_sums_stay_exact_late_in_a_long_video() -> None:
    values = np.full((20_000, 1), 1000.0, np.float32)
    values[-1] = 1000.5
    assert _mean(Signal(values, 0.25), 4999.75, 5000.0) == [1000.5]


@pytest.mark.parametrize(("duration_s", "step_s"), [(1.0, 0.25), (5000.0, 0.25), (20_000.0, 1.0)])
def test_the_grid_is_fine_but_of_limited_size(films: Films, duration_s: float, step_s: float) -> None:
    assert Grid(films.add(duration_s=duration_s)).step_s == step_s


def test_light_is_that_of_the_frame_nearest_in_time(films: Films) -> None:
    grid = Grid(films.add({"frames": [frame(0, 4, brightness=0.1), frame(4, 10, brightness=0.9)]}))
    assert _mean(grid.light, 0, 2) == [0.1, 0.2, 0.3]
    assert _mean(grid.light, 6, 8)[0] == 0.9
    assert 0.1 < _mean(grid.light, 2, 6)[0] < 0.9


def test_motion_keeps_its_spans(films: Films) -> None:
    grid = Grid(films.add({"motion": [motion(0, 5, dx=0.2), motion(5, 10, zoom=-0.1, activity=0.4)]}))
    assert _mean(grid.motion, 0, 5) == [0.2, 0, 0, 0, 0]
    assert _mean(grid.motion, 5, 10) == [0, 0, -0.1, 0, 0.4]


def test_embeddings_lie_where_their_frames_are(films: Films) -> None:
    vectors = {"image_vectors": [vector(0, 5, 1, 0), vector(5, 10, 0, 1)], "lens_vectors": []}
    grid = Grid(films.add(vectors=vectors))
    assert _mean(grid.looks, 1, 3) == [1, 0]
    assert _mean(grid.looks, 0, 10) == [0.5, 0.5]
    assert _mean(grid.words, 0, 10) == []


def test_things_pictures_and_actions_are_named_with_their_confidence(films: Films) -> None:
    rows: Rows = {
        "objects": [objects(0, thing("dog", confidence=0.8), length=10.0)],
        "labels": [labels(0, 10, espresso=0.5)],
        "actions": [actions(5, 10, juggling_balls=0.6)],
    }
    grid = Grid(films.add(rows))
    assert "dog" in grid.names
    assert "juggling balls" in grid.names
    sure = dict(zip(grid.names, _mean(grid.named, 5, 10), strict=True))
    assert sure["dog"] == pytest.approx(0.8)
    assert sure["juggling balls"] == pytest.approx(0.6)
    label = next(name for name in grid.names if name not in ("dog", "juggling balls"))
    assert sure[label] == pytest.approx(0.8), "labels are surer than their score says"
    before = dict(zip(grid.names, _mean(grid.named, 0, 5), strict=True))
    assert before["juggling balls"] == 0


def test_what_is_too_doubtful_is_not_named(films: Films) -> None:
    rows: Rows = {
        "objects": [objects(0, thing("dog", confidence=0.39))],
        "labels": [labels(0, 10, espresso=0.09)],
        "actions": [actions(0, 10, juggling_balls=0.24)],
    }
    assert Grid(films.add(rows)).names == ()


def test_of_several_alike_in_a_frame_the_surest_counts(films: Films) -> None:
    pair = objects(0, thing("cat", confidence=0.5), thing("cat", confidence=0.9), length=10.0)
    grid = Grid(films.add({"objects": [pair]}))
    assert grid.names == ("cat",)
    assert _mean(grid.named, 0, 10) == [0.9]


def test_things_are_counted_per_category(films: Films) -> None:
    rows = [
        objects(0, thing("cat"), thing("cat"), thing("dog"), length=5.0),
        objects(5, thing("dog"), thing("dog", confidence=0.3), length=5.0),
    ]
    grid = Grid(films.add({"objects": rows}))
    assert grid.kinds == ("cat", "dog")
    assert _mean(grid.counts, 0, 3) == [2, 1]
    assert _mean(grid.counts, 6, 10) == [0, 1]


@pytest.mark.parametrize("rows", [[], [objects(0), objects(1)]], ids=["no rows", "empty frames"])
def test_a_video_in_which_no_object_was_seen_has_no_counts(films: Films, rows: list[ObjectsSeen]) -> None:
    grid = Grid(films.add({"objects": rows}))
    assert grid.kinds == ()
    assert _mean(grid.counts, 0, 10) == []
