"""How well measured objects fit queries, with the measurements given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from vidence.language.objects import parse_query
from vidence.models.vision.colours import ColourShare
from vidence.queries.objects.match import Measured, can_tell, match_score
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
