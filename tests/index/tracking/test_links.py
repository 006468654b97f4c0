"""Who comes back is recognised; who is there at the same time is someone else."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.index.tracking.scenes import look_of
from vidence.index.tracking.links import TrackAppearance, link_tracks
from vidence.index.tracking.tracklets import split_at
from vidence.schema.entities import TrackPoint, TrackSeen


def _track(name: str, start_s: float, end_s: float, *, category: str = "person", x: float = 0.2) -> TrackSeen:
    times = np.arange(start_s, end_s + 1e-9, 0.5)
    points = tuple(TrackPoint(float(time), x, 0.2, 0.1, 0.5, 0.9) for time in times)
    return TrackSeen(
        start_time=start_s,
        end_time=float(times[-1]),
        track_id=name,
        category=category,
        confidence=0.9,
        points=points,
    )


def _looks(seed: int) -> TrackAppearance:
    return TrackAppearance(look_of(seed), look_of(100 + seed))


def test_who_comes_back_looking_the_same_is_the_same() -> None:
    tracks = [_track("a", 0, 5), _track("b", 20, 25, x=0.7), _track("c", 30, 35, x=0.5)]
    linked = link_tracks(tracks, [_looks(1), _looks(1), _looks(2)])
    assert [link.identity for link in linked] == [0, 0, 1]
    assert 0.7 <= min(linked[0].confidence, linked[1].confidence) < 1.0, "the doubt is kept"
    assert linked[2].confidence == 1.0


def test_two_at_once_are_never_one_however_alike() -> None:
    linked = link_tracks([_track("a", 0, 5), _track("b", 5, 9, x=0.6)], [_looks(1), _looks(1)])
    assert linked[0].identity != linked[1].identity


def test_different_kinds_are_never_one() -> None:
    linked = link_tracks([_track("a", 0, 5), _track("b", 9, 12, category="cup")], [_looks(1), _looks(1)])
    assert linked[0].identity != linked[1].identity


def test_a_track_cut_for_bookkeeping_goes_on_unless_a_shot_begins() -> None:
    tracks = [_track("a", 0, 5), _track("b", 5.5, 9)]
    unknown = [TrackAppearance(None, None), TrackAppearance(None, None)]
    assert len({link.identity for link in link_tracks(tracks, unknown)}) == 1
    assert len({link.identity for link in link_tracks(tracks, unknown, cuts=[5.2])}) == 2


def test_a_track_is_split_where_a_shot_begins() -> None:
    parts = split_at(_track("a", 0, 5), [2.0, 4.9])
    assert [(part.start_time, part.end_time) for part in parts] == [(0.0, 1.5), (2.0, 4.5)]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 30), st.floats(0.5, 10), st.integers(0, 2)), max_size=12))
def test_no_identity_is_in_two_places_at_once(spans: list[tuple[float, float, int]]) -> None:
    tracks = [_track(f"t{n}", start, start + length) for n, (start, length, _) in enumerate(spans)]
    linked = link_tracks(tracks, [_looks(look) for _, _, look in spans])
    for a in range(len(tracks)):
        for b in range(a):
            if linked[a].identity == linked[b].identity:
                assert tracks[a].start_time > tracks[b].end_time or tracks[b].start_time > tracks[a].end_time
    assert all(0 < link.confidence <= 1 for link in linked)
    assert sorted({link.identity for link in linked}) == list(range(len({link.identity for link in linked})))
