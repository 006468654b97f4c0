"""How well measured objects fit queries, with the measurements given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from vidence.language.objects import parse_query
from vidence.models.vision.colours import ColourShare
from vidence.queries.objects.match import Measured, can_tell, match_score, pick_extremes
from vidence.schema.perception import Box, Detection

PLACE = Box(0.2, 0.2, 0.2, 0.6)


def person(
    upper: str | None = None, *, box: Box = PLACE, attributes: Mapping[str, str] | None = None
) -> Measured:
    worn = [ColourShare(upper, 1.0)] if upper else []
    return Measured(Detection("person", 0.9, box), attributes or {}, upper=worn)


def score(query: str, thing: Measured, others: Sequence[Measured] = ()) -> float:
    return match_score(parse_query(query), thing, [thing, *others])


@pytest.mark.parametrize("query", ["person not wearing red", "没穿红衣服的人"])
def test_whoever_wears_it_is_left_out_by_a_denial(query: str) -> None:
    assert score(query, person("red")) == 0
    assert score(query, person("black")) == 1


def test_of_clothes_that_were_not_seen_nothing_is_denied() -> None:
    hidden = person()
    assert score("person not wearing red", hidden) == 0
    assert not can_tell(parse_query("person in red"), hidden)
    assert can_tell(parse_query("person"), hidden)


def test_a_posture_that_was_not_seen_neither_fits_nor_is_denied() -> None:
    seated, unknown = person(attributes={"posture": "sitting"}), person()
    assert (score("sitting person", seated), score("person not sitting", seated)) == (1, 0)
    assert (score("sitting person", unknown), score("person not sitting", unknown)) == (0, 0)
    assert can_tell(parse_query("坐着的人"), seated)
    assert not can_tell(parse_query("坐着的人"), unknown)


def test_what_must_not_be_near_is_looked_for() -> None:
    umbrella = Measured(Detection("umbrella", 0.8, Box(0.2, 0.1, 0.2, 0.2)), {})
    assert score("person without an umbrella", person(), [umbrella]) == 0
    assert score("person without an umbrella", person()) == 1


def test_a_cap_is_looked_for_at_the_top() -> None:
    bottle = Detection("bottle", 0.9, PLACE)
    assert score("bottle with a blue cap", Measured(bottle, {"top_color": "blue and grey"})) == 1
    assert score("bottle with a red cap", Measured(bottle, {"top_color": "blue and grey"})) == 0


def car(colour: str | None = None, *, share: float = 1.0, box: Box = PLACE, size: str = "medium") -> Measured:
    body = [ColourShare(colour, share)] if colour else []
    return Measured(Detection("car", 0.9, box), {"size": size}, body=body)


def test_another_category_never_fits() -> None:
    assert score("car", person()) == 0
    assert score("happiness", person()) == 0


@pytest.mark.parametrize("query", ["red car", "红色的汽车"])
def test_a_colour_fits_by_the_share_it_covers(query: str) -> None:
    assert score(query, car("red")) == 1
    assert score(query, car("red", share=0.35)) == 1
    assert 0 < score(query, car("red", share=0.2)) < 1
    assert score(query, car("green")) == 0
    assert score(query, car()) == 0


def test_a_kindred_colour_counts_half() -> None:
    assert score("pink car", car("purple", share=0.35)) == pytest.approx(0.5)


def at(x: float, y: float) -> Box:
    return Box(x - 0.05, y - 0.05, 0.1, 0.1)


@pytest.mark.parametrize(
    ("query", "fits", "fails"),
    [
        ("car on the left", at(0.2, 0.5), at(0.8, 0.5)),
        ("左边的汽车", at(0.2, 0.5), at(0.8, 0.5)),
        ("car on the right", at(0.8, 0.5), at(0.2, 0.5)),
        ("右边的汽车", at(0.8, 0.5), at(0.2, 0.5)),
        ("car at the top", at(0.5, 0.2), at(0.5, 0.8)),
        ("car at the bottom", at(0.5, 0.8), at(0.5, 0.2)),
        ("car in the center", at(0.5, 0.5), at(0.1, 0.5)),
        ("中间的汽车", at(0.5, 0.5), at(0.9, 0.5)),
    ],
)
def test_a_place_in_the_picture_is_checked(query: str, fits: Box, fails: Box) -> None:
    assert score(query, car(box=fits)) == 1
    assert score(query, car(box=fails)) == 0


def test_near_the_middle_a_side_fits_in_part() -> None:
    assert 0 < score("car on the left", car(box=at(0.48, 0.5))) < 1


@pytest.mark.parametrize("query", ["large car", "大汽车"])
def test_a_size_fits_by_how_far_it_is_off(query: str) -> None:
    assert [score(query, car(size=size)) for size in ("large", "medium", "small")] == [1, 0.5, 0]


@pytest.mark.parametrize(
    ("box", "expected"),
    [(Box(0.35, 0.2, 0.2, 0.2), 1.0), (Box(0.45, 0.2, 0.2, 0.2), 0.7), (Box(0.8, 0.2, 0.2, 0.2), 0.0)],
    ids=["touching", "close", "far"],
)
def test_a_companion_must_be_close(box: Box, expected: float) -> None:
    dog = Measured(Detection("dog", 0.9, box), {}, body=[ColourShare("black", 1.0)])
    assert score("person with a dog", person(), [dog]) == expected
    assert score("带着狗的人", person(), [dog]) == expected
    assert score("person with a white dog", person(), [dog]) == 0


def test_nothing_is_its_own_companion() -> None:
    assert score("person with a person", person()) == 0


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("the leftmost car", 0),
        ("最左边的汽车", 0),
        ("the rightmost car", 2),
        ("the largest car", 1),
        ("最大的汽车", 1),
        ("the smallest car", 2),
    ],
)
def test_an_extreme_picks_one(query: str, index: int) -> None:
    cars = [
        car(box=Box(0.0, 0.4, 0.2, 0.2)),
        car(box=Box(0.3, 0.3, 0.4, 0.4)),
        car(box=Box(0.9, 0.5, 0.1, 0.1)),
    ]
    assert pick_extremes(parse_query(query), cars) == [cars[index]]
    assert pick_extremes(parse_query(query), []) == []


def test_without_an_extreme_all_are_kept_in_order() -> None:
    cars = [car("red"), car("blue")]
    assert pick_extremes(parse_query("car"), cars) == cars


def test_the_weakest_part_of_a_query_decides() -> None:
    left_green = car("green", box=at(0.2, 0.5))
    assert score("green car on the left", left_green) == 1
    assert score("green car on the right", left_green) == 0
    assert score("large green car on the left", left_green) == 0.5


@pytest.mark.parametrize("query", ["person with a hat", "戴帽子的人"])
def test_clothes_fit_where_they_are_told_and_half_where_they_are_not(query: str) -> None:
    def wearing(**worn: str) -> Measured:
        return Measured(Detection("person", 0.9, PLACE), worn)

    assert score(query, wearing(headwear="hat or helmet")) == 1
    assert score(query, wearing(headwear="none")) == 0
    assert score(query, wearing()) == 0.5
    assert score("person without a hat", wearing(headwear="none")) == 1
    assert score("person without a hat", wearing()) == 0
