"""Fusing evidence: features of intervals, their probability, and spans around the peaks."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from vidence.language.question import SearchQuery, read_question
from vidence.queries.search.fuse import (
    AUDIO_SOURCES,
    FEATURES,
    EvidenceTimeline,
    Peak,
    features,
    fuse,
    in_order,
    peaks,
    probability,
)
from vidence.queries.search.material import Hit, Source


def test_spans_stop_at_cuts_and_never_overlap() -> None:
    edges = np.arange(0.0, 7.0)
    chances = np.array([0.1, 0.8, 0.9, 0.85, 0.2, 0.6])
    joined = np.array([True, True, True, False, True, True])
    found = peaks(edges, chances, joined=joined, limit=9, least=0.15)
    assert [(peak.start_s, peak.end_s) for peak in found] == [(1, 3), (3, 4), (5, 6), (4, 5)]


def test_limit_and_least_are_kept() -> None:
    edges, chances = np.arange(0.0, 4.0), np.array([0.5, 0.05, 0.9])
    joined = np.ones(3, bool)
    assert len(peaks(edges, chances, joined=joined, limit=1, least=0.1)) == 1
    assert len(peaks(edges, chances, joined=joined, limit=9, least=0.1)) == 2


def test_the_earliest_likely_one_comes_first_when_asked_for() -> None:
    found = [Peak(20, 22, 0.9, 0, 0), Peak(5, 6, 0.7, 1, 1), Peak(1, 2, 0.2, 2, 2)]
    ranked = in_order(read_question("when does the bird first appear").search, found)
    assert [peak.start_s for peak in ranked] == [5, 20, 1]
    chances = [peak.probability for peak in ranked]
    assert chances == sorted(chances, reverse=True)


def test_more_evidence_is_more_probable_and_none_is_not() -> None:
    query = read_question("a red cup").search
    hits = [Hit(0, 4, 0.8, "lens"), Hit(2, 4, 0.9, "objects")]
    timeline = features(query, hits, duration_s=6.0, cuts=[])
    chances = fuse(timeline)
    assert timeline.edges.tolist() == [0, 2, 4, 6]
    assert chances[1] > chances[0] > chances[2]
    assert chances[2] < 0.15


def test_outside_the_time_named_little_remains() -> None:
    query = read_question("a cat at 10-12 seconds").search
    hits = [Hit(0, 20, 1.0, "lens")]
    chances = fuse(features(query, hits, duration_s=20.0, cuts=[]))
    assert chances.argmax() == 1
    assert chances[0] < 0.5 * chances[1]


def _query(text: str) -> SearchQuery:
    return read_question(text).search


def _column(timeline: EvidenceTimeline, name: str) -> list[float]:
    return [float(value) for value in timeline.values[:, FEATURES.index(name)]]


def test_intervals_begin_and_end_where_any_evidence_or_shot_does() -> None:
    hits = [Hit(1, 3, 0.5, "labels"), Hit(2, 3.0002, 0.5, "speech")]
    timeline = features(_query("a cup"), hits, duration_s=8.0, cuts=[5.0])
    assert timeline.edges.tolist() == [0, 1, 2, 3, 5, 8]
    assert timeline.hinted.all()


def test_of_several_hits_of_one_source_the_strongest_counts() -> None:
    hits = [Hit(0, 4, 0.3, "lens"), Hit(1, 2, 0.9, "lens"), Hit(1, 4, 0.6, "speech")]
    timeline = features(_query("a cup"), hits, duration_s=4.0, cuts=[])
    assert _column(timeline, "lens") == [0.3, 0.9, 0.3]
    assert _column(timeline, "speech") == [0.0, 0.6, 0.6]
    assert _column(timeline, "objects") == [0.0, 0.0, 0.0]


def test_evidence_past_the_end_of_the_video_is_cut_off() -> None:
    timeline = features(_query("a cup"), [Hit(3, 9, 0.5, "lens")], duration_s=5.0, cuts=[])
    assert timeline.edges.tolist() == [0, 3, 5]
    assert _column(timeline, "lens") == [0.0, 0.5]


def test_without_evidence_the_whole_video_is_one_improbable_interval() -> None:
    timeline = features(_query("a cup"), [], duration_s=5.0, cuts=[])
    assert timeline.edges.tolist() == [0, 5]
    assert fuse(timeline)[0] < 0.1


@pytest.mark.parametrize(
    ("text", "heard", "read"),
    [
        ("a dog barking", True, False),
        ("狗叫声", True, False),
        ("the title on screen", False, True),
        ("画面上的字幕", False, True),
        ("a red cup", False, False),
        ("红色的杯子", False, False),
    ],
)
def test_the_query_says_whether_sound_or_text_is_asked_for(text: str, heard: bool, read: bool) -> None:
    timeline = features(_query(text), [], duration_s=2.0, cuts=[])
    assert _column(timeline, "asked_heard") == [float(heard)]
    assert _column(timeline, "asked_read") == [float(read)]


@pytest.mark.parametrize("text", ["the music", "音乐声"])
def test_what_is_seen_counts_less_where_sound_is_asked_for(text: str) -> None:
    hits = [Hit(0, 1, 0.9, "lens")]
    asked = fuse(features(_query(text), hits, duration_s=2.0, cuts=[]))
    plain = fuse(features(_query("a cup"), hits, duration_s=2.0, cuts=[]))
    assert plain[0] > asked[0] > asked[1]


def test_where_text_is_asked_for_only_the_screen_counts_in_full() -> None:
    for source, fully in (("screen", True), ("speech", False), ("lens", False)):
        hits = [Hit(0, 1, 0.9, source)]  # type: ignore[arg-type]
        asked = fuse(features(_query("the title"), hits, duration_s=2.0, cuts=[]))[0]
        plain = fuse(features(_query("a cup"), hits, duration_s=2.0, cuts=[]))[0]
        assert bool(asked == pytest.approx(plain)) is fully, source


@pytest.mark.parametrize(("text", "hinted"), [("a cat at the end", (18, 20)), ("结尾的猫", (18, 20))])
def test_a_relative_time_is_taken_from_the_length_of_the_video(
    text: str, hinted: tuple[float, float]
) -> None:
    timeline = features(_query(text), [Hit(0, 20, 0.5, "lens")], duration_s=20.0, cuts=[])
    assert timeline.edges.tolist() == [0, hinted[0], hinted[1]]
    assert timeline.hinted.tolist() == [False, True]
    assert _column(timeline, "hint") == [0.0, 1.0]


def test_a_probability_follows_the_weights() -> None:
    weights = {**dict.fromkeys(FEATURES, 0.0), "bias": -1.0, "lens": 3.0, "unasked": 0.5}
    values = np.zeros((3, len(FEATURES)))
    values[1:, FEATURES.index("lens")] = 1.0
    values[2, FEATURES.index("asked_heard")] = 1.0
    found = probability(values, weights)
    assert found == pytest.approx([1 / (1 + np.e), 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(-0.5))])
    assert values[2, FEATURES.index("lens")] == 1.0, "the features themselves stay as they are"


def test_extreme_evidence_stays_a_probability() -> None:
    weights = {**dict.fromkeys(FEATURES, 1e6), "bias": 0.0, "unasked": 1.0}
    values = np.vstack([np.ones(len(FEATURES)), -np.ones(len(FEATURES))])
    high, low = probability(values, weights)
    assert 0 < low < 1e-9
    assert 1 - 1e-9 < high <= 1


def test_a_peak_takes_in_neighbours_that_are_nearly_as_probable() -> None:
    edges, joined = np.arange(0.0, 5.0), np.ones(4, bool)
    [found] = peaks(edges, np.array([0.5, 0.8, 0.62, 0.1]), joined=joined, limit=1, least=0.2)
    assert (found.start_s, found.end_s, found.probability) == (1, 3, 0.8)
    assert (found.first_cell, found.last_cell) == (1, 2)


def test_of_equals_the_earlier_peak_comes_first() -> None:
    edges, joined = np.arange(0.0, 6.0), np.ones(5, bool)
    found = peaks(edges, np.array([0.1, 0.7, 0.1, 0.7, 0.1]), joined=joined, limit=9, least=0.5)
    assert [peak.start_s for peak in found] == [1, 3]


def test_nothing_is_found_below_the_least_probability() -> None:
    assert peaks(np.arange(0.0, 3.0), np.array([0.2, 0.3]), joined=np.ones(2, bool), limit=9, least=0.4) == []


def test_spans_keep_their_order_unless_one_end_is_asked_for() -> None:
    found = [Peak(20, 22, 0.9, 0, 0), Peak(5, 6, 0.7, 1, 1)]
    assert in_order(_query("a bird"), found) == found
    assert in_order(_query("the first bird"), []) == []


@pytest.mark.parametrize("text", ["the last time the bird is seen", "鸟最后一次出现"])
def test_the_latest_likely_one_comes_first_when_asked_for(text: str) -> None:
    found = [Peak(5, 6, 0.9, 0, 0), Peak(20, 22, 0.8, 1, 1), Peak(30, 31, 0.3, 2, 2)]
    ranked = in_order(_query(text), found)
    assert [peak.start_s for peak in ranked] == [20, 5, 30]
    assert ranked[0].probability == 0.9, "the first answer is as probable as the best evidence"


def test_every_source_has_a_weight_and_audio_sources_are_sources() -> None:
    assert set(get_args(Source)) < set(FEATURES)
    assert set(get_args(Source)) > AUDIO_SOURCES
