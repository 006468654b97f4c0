"""Merging detections and labels over the frames of a shot: scores, counts, colours, contents, order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.index.narrate.made import make_thing
from vidence.index.narrate.evidence import SampledFrame
from vidence.index.narrate.facts import Thing
from vidence.index.narrate.things import find_things, lasting, shown_things, typical
from vidence.schema.observations import FrameSeen, NamedScore, SeenObject
from vidence.schema.perception import Box

MIDDLE = (0.4, 0.4, 0.2, 0.3)


def _seen(
    category: str, confidence: float = 0.9, box: tuple[float, float, float, float] = MIDDLE, **told: str
) -> SeenObject:
    return SeenObject(category=category, confidence=confidence, bbox=box, attributes=told)


def _samples(*frames: list[SeenObject], labels: dict[str, float] | None = None) -> list[SampledFrame]:
    named = tuple(NamedScore(label=name, score=score) for name, score in (labels or {}).items())
    return [SampledFrame(float(time), 1.0, named, tuple(found)) for time, found in enumerate(frames)]


def _only(samples: list[SampledFrame]) -> Thing:
    (thing,) = find_things(samples)
    return thing


@pytest.mark.parametrize(
    ("values", "frames", "score"),
    [
        ([], 1, 0.0),
        ([0.8], 1, 0.72),
        ([0.8, 0.0], 2, 0.68),
        ([0.8, 0.6], 2, 0.7),
        ([0.9, 0, 0, 0, 0], 5, 0.45),
        ([0.9] * 4 + [0.0] * 16, 20, 0.9),
    ],
)
def test_the_best_fifth_of_the_frames_at_least_two_make_the_score(
    values: list[float], frames: int, score: float
) -> None:
    assert lasting(values, frames) == pytest.approx(score)


def test_one_clear_frame_of_few_may_be_refused() -> None:
    assert lasting([0.8, 0.0], 2, few=False) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("counts", "usual"),
    [([], 0), ([2], 2), ([1, 3], 3), ([1, 1, 2], 1), ([1, 2, 2, 3], 2), ([1, 1, 1, 9], 1)],
)
def test_the_usual_count_lies_above_the_median_but_ignores_a_single_high_one(
    counts: list[int], usual: int
) -> None:
    assert typical(counts) == usual


def test_people_are_no_things() -> None:
    assert find_things(_samples(*[[_seen("person")]] * 3)) == []


def test_several_of_a_kind_are_counted_without_a_place_or_motion() -> None:
    left, right = (0.1, 0.4, 0.15, 0.2), (0.7, 0.4, 0.15, 0.2)
    dogs = _only(_samples(*[[_seen("dog", box=left), _seen("dog", 0.8, box=right)]] * 4))
    assert (dogs.count, dogs.place, dogs.moved) == (2, None, None)


def test_a_colour_is_named_only_where_the_frames_and_all_of_them_agree() -> None:
    left, right = (0.1, 0.4, 0.15, 0.2), (0.7, 0.4, 0.15, 0.2)

    def colour(one: str, other: str) -> str | None:
        pair = [_seen("dog", box=left, color=one), _seen("dog", 0.8, box=right, color=other)]
        return _only(_samples(*[pair] * 4)).colour

    assert colour("black", "black") == "black"
    assert colour("black", "white") is None
    flicker = [[_seen("dog", color=name)] for name in ("black", "white", "brown", "black")]
    assert _only(_samples(*flicker)).colour is None


def test_a_thing_as_large_as_the_picture_takes_the_pictures_colour_and_no_place() -> None:
    row = FrameSeen(
        start_time=0, end_time=1, thumbnail="-", brightness=0.5, contrast=0.2, saturation=0.5, sharpness=1,
        colours=(NamedScore(label="green", score=0.7),),
    )  # fmt: skip
    whole = _seen("dog", box=(0.0, 0.0, 1.0, 0.9), color="black")
    samples = [SampledFrame(float(time), 1.0, objects=(whole,), frame=row) for time in range(3)]
    thing = _only(samples)
    assert (thing.colour, thing.place) == ("green", None)
    assert thing.area == pytest.approx(0.9)


def test_the_place_is_that_of_the_middle_of_the_path() -> None:
    assert _only(_samples(*[[_seen("dog", box=(0.05, 0.4, 0.2, 0.3))]] * 3)).place == "left"
    assert _only(_samples(*[[_seen("dog", box=(0.7, 0.4, 0.2, 0.3))]] * 3)).place == "right"


def test_a_table_is_likelier_with_something_on_it() -> None:
    table = _seen("dining table", 0.45, (0.1, 0.5, 0.8, 0.4))
    assert find_things(_samples(*[[table]] * 3)) == []
    laid = find_things(_samples(*[[table, _seen("cup")]] * 3))
    assert {thing.name.en: thing.sure for thing in laid} == {"cup": True, "table": False}


def test_coffee_fills_the_cup_and_its_colour_is_not_the_cups() -> None:
    cup = _only(_samples(*[[_seen("cup", color="brown")]] * 3, labels={"espresso": 0.7}))
    assert cup.contents is not None
    assert (cup.contents.en, cup.colour) == ("coffee", None)


def test_a_tie_without_anybody_is_not_believed() -> None:
    assert find_things(_samples(*[[_seen("tie", 0.7)]] * 3)) == []
    worn = find_things(_samples(*[[_seen("tie", 0.7), _seen("person")]] * 3))
    assert [thing.name.en for thing in worn] == ["tie"]


def test_furniture_comes_after_a_smaller_animal() -> None:
    large = (0.1, 0.5, 0.6, 0.45)
    found = find_things(_samples(*[[_seen("couch", 0.95, large), _seen("dog", 0.9)]] * 3))
    assert [thing.kind for thing in found] == ["animal", "furniture"]


def test_a_small_doubtful_detection_yields_to_a_confident_label() -> None:
    small = (0.4, 0.4, 0.1, 0.1)
    kite = [[_seen("bird", 0.66, small)]] * 4
    assert [thing.name.en for thing in find_things(_samples(*kite))] == ["bird"]
    found = find_things(_samples(*kite, labels={"volcano": 0.8}))
    assert "bird" not in [thing.name.en for thing in found]


def test_labels_need_more_where_a_person_is_seen() -> None:
    labels = {"volcano": 0.7}
    assert [thing.name.en for thing in find_things(_samples(*[[]] * 4, labels=labels))] == ["volcano"]
    assert find_things(_samples(*[[_seen("person")]] * 4, labels=labels)) == []


def test_words_for_searching_hold_every_name() -> None:
    bottle = _only(_samples(*[[_seen("bottle", 0.8)]] * 4, labels={"water bottle": 0.85}))
    assert {"bottle", "water bottle"} <= bottle.words


def test_motion_follows_the_path_and_boxes_are_taken_as_they_are() -> None:
    frames = [[_seen("car", box=(0.7 - 0.1 * step, 0.4, 0.2, 0.2))] for step in range(6)]
    car = _only(_samples(*frames))
    assert car.moved == "right_to_left"
    assert car.area == pytest.approx(Box(0.0, 0.0, 0.2, 0.2).area)


def test_of_a_screen_only_very_sure_things_that_do_not_fill_it_are_named() -> None:
    clear, doubtful, filling = make_thing("dog"), make_thing("kite"), make_thing("tv")
    given = [
        replace(clear, score=0.95),
        replace(doubtful, score=0.85),
        replace(filling, score=0.95, area=0.8),
    ]
    assert [thing.name.en for thing in shown_things(given)] == [clear.name.en]
