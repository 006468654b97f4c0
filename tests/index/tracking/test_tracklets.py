"""Tracks as rows, cut at the shots, and read back from a store with their appearance."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.index.tracking.follow import Followed
from vidence.index.tracking.tracker import TimedBox
from vidence.index.tracking.tracklets import COLOURS, load_tracklets, split_at, track_row
from vidence.schema.entities import TrackSeen
from vidence.schema.observations import Segment
from vidence.schema.perception import Box, FloatArray
from vidence.store import Store, VectorRow


def _followed(start_s: float, end_s: float, category: str = "person") -> Followed:
    count = round((end_s - start_s) * 10) + 1
    return Followed(
        category,
        tuple(
            TimedBox(start_s + n / 10, Box(0.123456, 0.2, 0.1, 0.4), 0.8 + 0.1 * (n % 2), category)
            for n in range(count)
        ),
    )


def _track(start_s: float, end_s: float, track_id: str = "t1", category: str = "person") -> TrackSeen:
    return track_row(_followed(start_s, end_s, category), track_id)


def test_a_row_spans_its_sightings_and_is_rounded() -> None:
    row = _track(1.0, 2.0)
    assert (row.start_time, row.end_time, row.track_id, row.category) == (1.0, 2.0, "t1", "person")
    assert row.points[0].bbox == (0.1235, 0.2, 0.1, 0.4)
    assert row.confidence == pytest.approx(0.8455, abs=1e-4)
    assert len(row.points) == 11


def test_a_track_without_a_cut_stays_whole() -> None:
    track = _track(1.0, 2.0)
    assert split_at(track, []) == [track]
    assert split_at(track, [0.5, 3.0]) == [track]


def test_a_sighting_at_the_cut_belongs_to_the_shot_after_it() -> None:
    first, second = split_at(_track(0.0, 2.0), [1.0])
    assert (first.start_time, first.end_time) == (0.0, 0.9)
    assert (second.start_time, second.end_time) == (1.0, 2.0)
    assert len(first.points) + len(second.points) == 21
    assert first.track_id == second.track_id


def test_a_part_of_one_sighting_is_left_out() -> None:
    (only,) = split_at(_track(0.0, 2.0), [0.1])
    assert only.start_time == pytest.approx(0.1)


def test_a_track_cut_into_single_sightings_is_kept_whole() -> None:
    track = _track(0.0, 0.2)
    assert split_at(track, [0.1, 0.2]) == [track]


def _unit(*values: float) -> FloatArray:
    vector = np.array(values, np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def _shot(number: int, start_s: float, end_s: float) -> Segment:
    return Segment(segment_id=f"seg_{number:03d}", start_time=start_s, end_time=end_s, type="shot")


def _store_tracks(store: Store, video_id: str, *tracks: TrackSeen, bodies: dict[str, FloatArray]) -> None:
    store.stages.begin(video_id, "tracks", "1")
    store.observations.append(video_id, "tracks", tracks)
    rows = [
        VectorRow(track.start_time, track.end_time, track.track_id + suffix, bodies[track.track_id])
        for track in tracks
        for suffix in ("", COLOURS)
        if track.track_id in bodies
    ]
    store.vectors.append(video_id, "tracks", rows)


def test_only_the_longest_part_of_a_track_takes_its_appearance(store: Store, video_id: str) -> None:
    store.segments.replace(video_id, "fine", [_shot(1, 0, 0.5), _shot(2, 0.5, 2.0)])
    _store_tracks(store, video_id, _track(0.0, 1.9), bodies={"t1": _unit(1, 2, 3)})
    found = load_tracklets(store, video_id)
    assert found.cuts == (0.5,)
    assert [(part.start_time, part.end_time) for part in found.tracks] == [(0.0, 0.4), (0.5, 1.9)]
    short, long = found.appearances
    assert (short.body, short.colours) == (None, None)
    assert long.body is not None
    assert long.body == pytest.approx(_unit(1, 2, 3), abs=1e-3)
    assert long.colours is not None


def test_a_track_without_vectors_has_no_known_appearance(store: Store, video_id: str) -> None:
    _store_tracks(store, video_id, _track(0.0, 1.0), bodies={})
    found = load_tracklets(store, video_id)
    assert found.cuts == ()
    assert found.appearances[0].body is None


def test_tracklets_can_be_reduced_to_some_categories(store: Store, video_id: str) -> None:
    tracks = (_track(0.0, 1.0, "p"), _track(0.0, 1.0, "d", "dog"), _track(1.2, 1.9, "c", "cat"))
    _store_tracks(store, video_id, *tracks, bodies={"d": _unit(1, 0)})
    animals = load_tracklets(store, video_id).of(frozenset({"dog", "cat"}))
    assert [track.track_id for track in animals.tracks] == ["d", "c"]
    assert [one.body is not None for one in animals.appearances] == [True, False]


def test_two_tracks_that_look_alike_are_one_identity(store: Store, video_id: str) -> None:
    tracks = (_track(0.0, 0.5, "a"), _track(1.7, 2.0, "b"), _track(1.7, 2.0, "c"))
    bodies = {"a": _unit(1, 0, 0), "b": _unit(1, 0.05, 0), "c": _unit(0, 0, 1)}
    _store_tracks(store, video_id, *tracks, bodies=bodies)
    first, second, third = load_tracklets(store, video_id).link()
    assert first.identity == second.identity
    assert third.identity != first.identity
    assert load_tracklets(store, video_id).link(at_least=1.01)[1].identity != first.identity
