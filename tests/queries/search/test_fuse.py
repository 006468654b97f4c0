from __future__ import annotations

import numpy as np

from vidence.language.question import read_question
from vidence.queries.search.fuse import Peak, features, fuse, in_order, peaks
from vidence.queries.search.material import Hit


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
