"""MOTA and IDF1 on cases small enough to count by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.bench.mot import MotScore, score_tracks
from vidence.bench.tracking import read_truth
from vidence.schema.perception import Box

A, B, FAR = Box(0.1, 0.1, 0.2, 0.4), Box(0.5, 0.1, 0.2, 0.4), Box(0.8, 0.8, 0.1, 0.1)


def test_perfect_tracks_score_one() -> None:
    truth = {frame: {1: A, 2: B} for frame in range(10)}
    score = score_tracks(truth, {frame: {7: A, 9: B} for frame in range(10)})
    assert (score.mota, score.idf1, score.switches) == (1.0, 1.0, 0)


def test_two_who_are_swapped_halfway_cost_two_switches() -> None:
    truth = {frame: {1: A, 2: B} for frame in range(10)}
    found = {frame: {7: A, 9: B} if frame < 5 else {7: B, 9: A} for frame in range(10)}
    score = score_tracks(truth, found)
    assert score.switches == 2
    assert score.mota == pytest.approx(1 - 2 / 20)
    assert score.idf1 == pytest.approx(0.5)


def test_misses_and_false_alarms_are_counted() -> None:
    truth = {frame: {1: A, 2: B} for frame in range(10)}
    found = {frame: {7: A, 8: FAR} for frame in range(10)}
    score = score_tracks(truth, found)
    assert (score.misses, score.false_alarms) == (10, 10)
    assert score.mota == pytest.approx(0.0)
    assert score.idf1 == pytest.approx(0.5)


def test_an_old_pair_is_kept_while_its_boxes_agree() -> None:
    near = Box(0.14, 0.1, 0.2, 0.4)
    score = score_tracks({0: {1: A}, 1: {1: A}}, {0: {7: near}, 1: {7: near, 8: A}})
    assert score.switches == 0
    assert score.false_alarms == 1


def test_scores_of_clips_add_up() -> None:
    one = score_tracks({0: {1: A}}, {0: {1: A}})
    two = score_tracks({0: {1: A}}, {})
    assert (one + two).mota == pytest.approx(0.5)
    assert MotScore().mota == 1.0


def test_boxes_marked_as_not_counted_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "gt.txt"
    path.write_text("1,1,101,51,20,40,1,-1,-1,-1\n1,2,1,1,10,10,0,-1,-1,-1\n", encoding="utf-8")
    assert read_truth(path, (200, 100)) == {1: {1: Box(0.5, 0.5, 0.1, 0.4)}}
