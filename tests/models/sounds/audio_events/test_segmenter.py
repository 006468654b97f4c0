"""Hysteresis, merging and shortest lengths."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.models.sounds.audio_events.segmenter import EventSpan, Rules, Segmenter

RULES = Rules(begin=0.5, go_on=0.2, merge_s=0.5, shortest_s=0.25)


def _spans(values: list[float], *, rules: Rules = RULES, cut: int | None = None) -> list[EventSpan]:
    rows = np.array(values, np.float32)[:, None]
    segmenter = Segmenter(1, rules)
    parts = [rows] if cut is None else [rows[:cut], rows[cut:]]
    found = [span for part in parts for span in segmenter.push(part)]
    return found + segmenter.flush()


def test_nothing_below_the_bar() -> None:
    assert _spans([0.1, 0.4, 0.49, 0.4, 0.1]) == []


def test_an_event_begins_where_the_probability_rose() -> None:
    (span,) = _spans([0.0, 0.3, 0.4, 0.9, 0.9, 0.3, 0.1, 0.0])
    assert (span.first, span.last) == (1, 6)


def test_a_short_gap_is_bridged_and_a_long_one_is_not() -> None:
    loud = [0.9] * 4
    assert len(_spans(loud + [0.0] * 3 + loud)) == 1
    assert len(_spans(loud + [0.0] * 8 + loud)) == 2


def test_a_murmur_after_a_pause_does_not_prolong_an_event() -> None:
    (span,) = _spans([0.9] * 4 + [0.0] * 2 + [0.3] * 3 + [0.0] * 9)
    assert span.last == 4


def test_a_blip_is_too_short() -> None:
    assert _spans([0.0, 0.9, 0.0, 0.0]) == []


def test_score_is_the_mean_of_the_best_frames() -> None:
    (span,) = _spans([0.6, 0.9, 0.8, 0.0], rules=Rules(shortest_s=0.1, score_frames=2))
    assert span.score == pytest.approx(0.85)


@pytest.mark.parametrize("cut", [1, 3, 5, 7])
def test_where_the_frames_are_cut_does_not_matter(cut: int) -> None:
    values = [0.0, 0.3, 0.9, 0.8, 0.1, 0.0, 0.7, 0.9, 0.2, 0.0]
    assert _spans(values, cut=cut) == _spans(values)
