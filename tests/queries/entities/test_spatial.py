"""Two boxes stand to one another as people would say."""

from __future__ import annotations

import pytest

from vidence.queries.entities.spatial import (
    direction_of,
    distance_class,
    interaction_of,
    normal_distance,
    relative_size,
)
from vidence.schema.perception import Box

HERE = Box(0.4, 0.4, 0.2, 0.2)


@pytest.mark.parametrize(
    ("box", "words"),
    [
        (Box(0.0, 0.4, 0.2, 0.2), "entity_1 is to the left of entity_2"),
        (Box(0.8, 0.42, 0.2, 0.2), "entity_1 is to the right of entity_2"),
        (Box(0.4, 0.0, 0.2, 0.2), "entity_1 is above entity_2"),
        (Box(0.42, 0.8, 0.2, 0.2), "entity_1 is below entity_2"),
        (Box(0.0, 0.0, 0.2, 0.2), "entity_1 is to the left of and above entity_2"),
        (Box(0.41, 0.41, 0.2, 0.2), "entity_1 is at the same place as entity_2"),
    ],
)
def test_directions_are_as_seen_in_the_picture(box: Box, words: str) -> None:
    assert direction_of(box, HERE, aspect=1.0) == words


def test_distance_is_judged_by_size() -> None:
    small = [Box(0.4, 0.4, 0.02, 0.06), Box(0.43, 0.4, 0.02, 0.06)]
    assert distance_class(normal_distance(*small, aspect=1.0)) == "close"
    apart = [Box(0.1, 0.4, 0.02, 0.06), Box(0.8, 0.4, 0.02, 0.06)]
    assert distance_class(normal_distance(*apart, aspect=1.0)) == "far"
    medium = [Box(0.1, 0.3, 0.1, 0.4), Box(0.45, 0.3, 0.1, 0.4)]
    assert distance_class(normal_distance(*medium, aspect=1.0)) == "medium"
    assert normal_distance(HERE, HERE, aspect=1.0) == 0


def test_relative_size() -> None:
    assert relative_size(Box(0, 0, 0.4, 0.4), HERE) == "entity_1 is larger than entity_2"
    assert relative_size(Box(0, 0, 0.1, 0.1), HERE) == "entity_1 is smaller than entity_2"
    assert relative_size(HERE, HERE) == "entity_1 is about the same size as entity_2"


PERSON = Box(0.3, 0.2, 0.3, 0.7)


@pytest.mark.parametrize(
    ("kind", "box", "expected"),
    [
        ("cup", Box(0.5, 0.4, 0.08, 0.08), "holding"),
        ("cup", Box(0.8, 0.8, 0.08, 0.08), "no_interaction"),
        ("bicycle", Box(0.25, 0.55, 0.4, 0.45), "riding"),
        ("chair", Box(0.3, 0.55, 0.3, 0.4), "sitting_on"),
        ("person", Box(0.55, 0.22, 0.3, 0.7), "touching"),
        ("person", Box(0.55, 0.1, 0.1, 0.3), "no_interaction"),
    ],
)
def test_interactions_come_from_the_boxes(kind: str, box: Box, expected: str) -> None:
    found, _ = interaction_of(("person", PERSON), (kind, box), [])
    assert found == expected
    other_way, _ = interaction_of((kind, box), ("person", PERSON), [])
    assert other_way == expected


def test_what_holds_for_a_moment_only_is_less_sure() -> None:
    cup, away = Box(0.5, 0.4, 0.08, 0.08), Box(0.9, 0.8, 0.08, 0.08)
    _, steady = interaction_of(("person", PERSON), ("cup", cup), [(PERSON, cup)] * 4)
    _, brief = interaction_of(("person", PERSON), ("cup", cup), [(PERSON, away)] * 4)
    assert steady > brief
