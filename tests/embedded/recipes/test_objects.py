"""Objects over time: where they stand, when their number changes, and which one is meant."""

from __future__ import annotations

import pytest

from tests.embedded.recipes.seen import thing
from vidence.embedded.recipes.objects import (
    TimedDetections,
    changes_of,
    pointed_at,
    position_in,
    region_of,
    shown,
    slots_of,
    spread,
    stretches,
    sure_of,
)
from vidence.language.question import Target, read_question
from vidence.schema.evidence import EvidenceRecord


def _frames(*rows: tuple[float, ...]) -> list[TimedDetections]:
    """Return one frame a second with bottles at these places."""
    return [
        TimedDetections(
            time_s=float(second),
            record=EvidenceRecord(record_id=f"rec_{second:03d}", kind="operation", source="detect_objects"),
            objects=tuple(thing("bottle", x) for x in places),
        )
        for second, places in enumerate(rows)
    ]


STANDING = _frames((0.2, 0.8), (0.2, 0.8), (0.2,), (0.2,), (0.2, 0.8), (0.2, 0.8))


@pytest.mark.parametrize(
    ("span", "count", "times"),
    [
        ((0.0, 10.0), 3, [0.0, 4.94, 9.88]),
        ((2.0, 4.0), 3, [2.0, 3.0, 4.0]),
        ((2.0, 4.0), 1, [2.0]),
        ((3.0, 3.0), 5, [3.0]),
        ((0.0, 99.0), 2, [0.0, 9.88]),
    ],
)
def test_times_are_spread_and_stay_inside_the_video(
    span: tuple[float, float], count: int, times: list[float]
) -> None:
    assert spread(*span, count, 10.0) == times


def test_standing_things_have_places_from_left_to_right() -> None:
    slots = slots_of(STANDING)
    assert slots is not None
    assert slots.centres == pytest.approx((0.2, 0.8))
    assert slots.present[2] == (True, False)


def test_wandering_things_have_no_places() -> None:
    assert slots_of(_frames((0.1,), (0.4,), (0.8,))) is None
    assert slots_of(_frames((), ())) is None


def test_changes_name_the_place_that_changed() -> None:
    gone, back = changes_of(STANDING, slots_of(STANDING))
    assert (gone.delta, gone.slots, gone.time_s) == (-1, (1,), 1.5)
    assert (back.delta, back.slots, back.time_s) == (1, (1,), 3.5)


def test_a_single_missed_detection_is_no_change() -> None:
    flicker = _frames((0.2, 0.8), (0.2, 0.8), (0.2,), (0.2, 0.8), (0.2, 0.8))
    assert changes_of(flicker, slots_of(flicker)) == []


def test_without_places_the_number_alone_changes() -> None:
    (came,) = changes_of(_frames((0.1,), (0.4,), (0.2, 0.7), (0.5, 0.9)), None)
    assert (came.delta, came.slots) == (1, ())


def test_runs_with_and_without_the_thing() -> None:
    frames = _frames((), (0.5,), (0.5,), (), (0.5,))
    assert [[one.time_s for one in run] for run in stretches(frames, there=True)] == [[1.0, 2.0], [4.0]]
    assert [[one.time_s for one in run] for run in stretches(frames, there=False)] == [[0.0], [3.0]]


def test_what_is_shown_is_claimed_with_its_record() -> None:
    bottle = Target("bottle", "bottle", category="bottle")
    first, second = shown(_frames((0.2, 0.8), ()), bottle, "en")
    assert first.text == "At 0.0 s 2 bottles are in the picture."
    assert second.citations[0].record_id == "rec_001"


def test_confidence_is_the_mean_of_what_was_detected() -> None:
    assert sure_of(_frames((0.2, 0.8))) == pytest.approx(0.9)
    assert sure_of(_frames(())) == 0.7


@pytest.mark.parametrize(
    ("question", "position"),
    [
        ("What colour is the car on the left?", "left"),
        ("Who is in the upper right corner?", "top right"),
        ("Who is in the background?", "background"),
        ("What is in the middle?", "middle"),
        ("左边的人是谁？", "left"),
        ("右上方有什么？", "top right"),
        ("Does the dog run to the right?", None),
        ("What is shown right at the start?", None),
        ("What is shown after the dog has left?", None),
    ],
)
def test_a_position_is_read_from_the_question(question: str, position: str | None) -> None:
    assert position_in(read_question(question).form) == position


@pytest.mark.parametrize(
    ("position", "x"), [("left", 0.1), ("right", 0.9), ("middle", 0.45), ("top left", 0.1)]
)
def test_the_object_nearest_to_a_position_is_meant(position: str, x: float) -> None:
    objects = [thing("cup", place) for place in (0.1, 0.45, 0.9)]
    found = pointed_at(objects, position)
    assert found is objects[[0.1, 0.45, 0.9].index(x)]
    assert pointed_at([], position) is None


@pytest.mark.parametrize(
    ("words", "worn", "region"),
    [
        ("the man's jeans", True, "lower"),
        ("her boots", True, "feet"),
        ("his hair", True, "hair"),
        ("the red jacket", True, "upper"),
        ("the umbrella", True, "other"),
        ("the bottle cap", False, "top"),
        ("the bottle", False, "other"),
        ("裤子", True, "lower"),
        ("外套", True, "upper"),
        ("瓶盖", False, "top"),
    ],
)
def test_words_name_a_region(words: str, worn: bool, region: str) -> None:
    assert region_of(words, worn=worn) == region
