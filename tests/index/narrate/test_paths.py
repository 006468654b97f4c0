"""Following objects by their place, and what their paths say about motion and agreement."""

from __future__ import annotations

import pytest

from vidence.index.narrate.paths import (
    ObjectPath,
    camera_shift,
    follow,
    majority,
    moved,
    place_of,
    stays,
    walks,
)
from vidence.schema.observations import SeenObject
from vidence.schema.perception import Box


def _seen(x: float, *, h: float = 0.4, confidence: float = 0.9, **told: str) -> SeenObject:
    return SeenObject(category="person", confidence=confidence, bbox=(x, 0.3, 0.1, h), attributes=told)


def _path(*xs: float) -> ObjectPath:
    return ObjectPath([(float(time), _seen(x)) for time, x in enumerate(xs)])


def test_detections_are_joined_with_the_nearest_of_the_next_frame() -> None:
    frames = [
        (0.0, [_seen(0.1), _seen(0.6)]),
        (1.0, [_seen(0.63), _seen(0.13)]),
        (2.0, [_seen(0.16)]),
    ]
    long, short = follow(frames)
    assert [round(box.x, 2) for box in long.boxes] == [0.1, 0.13, 0.16]
    assert [round(box.x, 2) for box in short.boxes] == [0.6, 0.63]


def test_a_detection_far_from_every_path_begins_a_new_one() -> None:
    assert len(follow([(0.0, [_seen(0.1)]), (1.0, [_seen(0.5)])])) == 2


def test_the_most_confident_detection_continues_a_path() -> None:
    paths = follow([(0.0, [_seen(0.1)]), (1.0, [_seen(0.12, confidence=0.4), _seen(0.14)])])
    assert [path.confidence for path in paths] == pytest.approx([0.9, 0.4])


def test_a_path_averages_its_area_and_reads_the_first_of_two_colours() -> None:
    path = ObjectPath([(0.0, _seen(0.1, h=0.2, color="red and white")), (1.0, _seen(0.1, h=0.6))])
    assert path.area == pytest.approx(0.1 * 0.4)
    assert path.said("color") == ["red"]


@pytest.mark.parametrize(("x", "place"), [(0.0, "left"), (0.3, "left"), (0.45, "centre"), (0.6, "right")])
def test_the_middle_of_a_box_tells_its_place(x: float, place: str) -> None:
    assert place_of(Box(x, 0, 0.1, 0.5)) == place


def test_crossing_the_picture_is_told_by_its_direction() -> None:
    assert moved(_path(0.1, 0.2, 0.5), 0.0) == "left_to_right"
    assert moved(_path(0.5, 0.3, 0.1), 0.0) == "right_to_left"
    assert moved(_path(0.1, 0.2, 0.3), 0.0) is None
    assert moved(_path(0.1, 0.5), 0.0) is None, "two sightings are too few"


def test_a_pan_is_added_to_the_shift_and_a_long_one_hides_it() -> None:
    assert moved(_path(0.1, 0.2, 0.3), 0.1) == "left_to_right"
    assert moved(_path(0.1, 0.2, 0.3), -0.1) is None
    assert moved(_path(0.1, 0.4, 0.8), 0.2) is None


def test_growing_comes_nearer_and_shrinking_goes_away() -> None:
    sizes = (0.2, 0.3, 0.5)
    nearer = ObjectPath([(float(time), _seen(0.4, h=h)) for time, h in enumerate(sizes)])
    away = ObjectPath([(float(time), _seen(0.4, h=h)) for time, h in enumerate(reversed(sizes))])
    assert moved(nearer, 0.0) == "nearer"
    assert moved(away, 0.0) == "away"


def test_walking_is_measured_in_widths_of_the_box_a_second() -> None:
    assert walks(_path(0.1, 0.2, 0.3).points, 0.0)
    assert not walks(_path(0.1, 0.12, 0.14).points, 0.0)
    assert not walks(_path(0.1, 0.2, 0.3).points, 0.2), "the camera moves"
    assert not walks(_path(0.1).points, 0.0)


def test_a_box_that_jumps_within_an_instant_does_not_walk() -> None:
    jump = [(0.0, Box(0.1, 0.3, 0.1, 0.4)), (0.01, Box(0.12, 0.3, 0.1, 0.4))]
    assert not walks(jump, 0.0)


def test_staying_needs_several_sightings_in_one_place() -> None:
    assert stays(_path(0.1, 0.11, 0.12).points)
    assert not stays(_path(0.1, 0.11, 0.3).points)
    assert not stays(_path(0.1).points)


def test_the_pan_adds_up_over_the_seconds() -> None:
    assert camera_shift([(0.1, 2.0), (-0.05, 1.0)]) == pytest.approx(0.15)
    assert camera_shift([]) == 0


def test_a_value_needs_six_in_ten_votes() -> None:
    assert majority([]) is None
    assert majority(["red", "red", "blue"]) == "red"
    assert majority(["red", "blue"]) is None
    assert majority(["red", "red"], 4) is None, "frames that say nothing count against it"
    assert majority([None, None, "red"]) is None
