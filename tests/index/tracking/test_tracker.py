"""Joining detections frame by frame: who begins a track, who continues one, and when it ends."""

from __future__ import annotations

import pytest

from tests.index.tracking.scenes import look_of
from vidence.index.tracking.motion import BoxMotion
from vidence.index.tracking.tracker import TimedBox, Track, Tracker, TrackerSettings, group_of
from vidence.schema.perception import Box, FloatArray

HERE = Box(0.4, 0.3, 0.1, 0.4)


def _seen(
    time_s: float,
    box: Box = HERE,
    confidence: float = 0.9,
    category: str = "person",
    look: FloatArray | None = None,
) -> TimedBox:
    return TimedBox(time_s, box, confidence, category, look)


def _tracks(*frames: list[TimedBox]) -> list[Track]:
    tracker = Tracker(aspect=1.0)
    ended = []
    for step, found in enumerate(frames):
        ended += tracker.update(step / 10, found)
    return [*ended, *tracker.finish()]


@pytest.mark.parametrize(
    ("category", "group"),
    [("car", "vehicle"), ("truck", "vehicle"), ("dog", "animal"), ("person", "person"), ("cup", "cup")],
)
def test_vehicles_and_animals_may_change_their_name(category: str, group: str) -> None:
    assert group_of(category) == group


def test_a_person_needs_more_confidence_than_other_things() -> None:
    settings = TrackerSettings()
    assert not settings.is_sure(_seen(0, confidence=0.5))
    assert settings.is_sure(_seen(0, confidence=0.5, category="dog"))
    assert settings.is_sure(_seen(0, confidence=0.55))


def test_a_track_needs_three_sightings() -> None:
    assert _tracks(*[[_seen(step / 10)] for step in range(2)]) == []
    (track,) = _tracks(*[[_seen(step / 10)] for step in range(3)])
    assert len(track.sightings) == 3
    assert track.last_s == pytest.approx(0.2)


def test_a_track_ends_a_second_after_its_last_sighting() -> None:
    tracker = Tracker(aspect=1.0)
    for step in range(3):
        assert tracker.update(step / 10, [_seen(step / 10)]) == []
    assert tracker.update(1.1, []) == []
    idle = [tracker.is_idle]
    (ended,) = tracker.update(1.3, [])
    assert len(ended.sightings) == 3
    assert [*idle, tracker.is_idle] == [False, True]
    assert tracker.finish() == []


def test_two_apart_are_two_tracks_whatever_their_order() -> None:
    there = Box(0.8, 0.3, 0.1, 0.4)
    frames = []
    for step in range(4):
        pair = [_seen(step / 10), _seen(step / 10, there)]
        frames.append(pair if step % 2 else pair[::-1])
    tracks = _tracks(*frames)
    assert sorted(round(track.motion.box.x, 2) for track in tracks) == [0.4, 0.8]
    assert all(len({seen.box for seen in track.sightings}) == 1 for track in tracks)


def test_a_box_inside_another_of_its_kind_begins_no_track() -> None:
    part = Box(0.42, 0.35, 0.05, 0.2)
    frames = [[_seen(step / 10)] + ([_seen(step / 10, part)] if step else []) for step in range(5)]
    assert len(_tracks(*frames)) == 1
    dogs = [[_seen(step / 10), _seen(step / 10, part, category="dog")] for step in range(5)]
    assert len(_tracks(*dogs)) == 2


def test_an_unsure_box_continues_only_a_track_seen_in_the_frame_before() -> None:
    frames = [[_seen(step / 10)] for step in range(3)]
    (kept,) = _tracks(*frames, [_seen(0.3, confidence=0.3)])
    assert len(kept.sightings) == 4
    (lost,) = _tracks(*frames, [], [], [_seen(0.5, confidence=0.3)])
    assert len(lost.sightings) == 3


def test_colours_choose_between_two_boxes_that_overlap_as_much() -> None:
    red, blue = look_of(1), look_of(2)
    left, right = Box(0.36, 0.3, 0.1, 0.4), Box(0.44, 0.3, 0.1, 0.4)
    frames = [[_seen(step / 10, look=red)] for step in range(3)]
    frames.append([_seen(0.3, left, look=blue), _seen(0.3, right, look=red)])
    (track,) = _tracks(*frames)
    assert track.sightings[-1].box == right


def test_the_category_is_the_one_with_most_confidence_in_all() -> None:
    names = [("truck", 0.95), ("car", 0.6), ("car", 0.6)]
    (track,) = _tracks(*[[_seen(step / 10, HERE, sure, name)] for step, (name, sure) in enumerate(names)])
    assert track.category == "car"


def test_mixed_colours_stay_a_unit_vector_near_the_usual_ones() -> None:
    track = Track(BoxMotion(HERE, aspect=1.0), [])
    for step in range(5):
        track.take(_seen(step / 10, look=look_of(1)))
    track.take(_seen(0.5, look=look_of(2)))
    assert track.colours is not None
    assert float(track.colours @ track.colours) == pytest.approx(1.0, abs=1e-5)
    assert float(track.colours @ look_of(1)) > float(track.colours @ look_of(2))


def test_the_top_speed_is_that_of_what_is_in_view() -> None:
    tracker = Tracker(aspect=1.0)
    assert tracker.top_speed == 0
    for step in range(10):
        box = Box(0.1 + 0.02 * step, 0.3, 0.1, 0.4)
        tracker.update(step / 10, [_seen(step / 10, box), _seen(step / 10, Box(0.8, 0.3, 0.1, 0.4))])
    assert tracker.top_speed == pytest.approx(2.0, rel=0.2)
    tracker.update(1.0, [])
    assert tracker.top_speed == 0
