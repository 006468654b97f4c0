"""Queries are taken apart the way a person means them, in English and Chinese."""

from __future__ import annotations

import pytest

from vidence.index.object_query import parse_query, resolve_asked

PERSON = frozenset({"person"})


@pytest.mark.parametrize("text", ["person wearing red", "a person in red", "red person"])
def test_a_loose_colour_is_the_person_s(text: str) -> None:
    query = parse_query(text)
    assert query.head is not None
    assert (query.head.categories, query.head.colours) == (PERSON, ("red",))
    assert query.unchecked == ()


@pytest.mark.parametrize("text", ["穿红衣服的人", "穿红色衣服的人", "身穿红色衣服的人"])
def test_chinese_clothes(text: str) -> None:
    query = parse_query(text)
    assert query.head is not None
    assert query.head.categories == PERSON
    assert query.garments == (("any", ("red",)),)


def test_each_garment_keeps_its_colour() -> None:
    query = parse_query("woman in a white shirt and blue jeans")
    assert query.garments == (("upper", ("white",)), ("lower", ("blue",)))
    assert query.unchecked == ("woman",)


@pytest.mark.parametrize(
    ("text", "head", "beside"),
    [
        ("man with a red umbrella", "person", "umbrella"),
        ("骑自行车的人", "person", "bicycle"),
        ("dog next to a car", "dog", "car"),
        ("cup on the table", "cup", "dining table"),
    ],
)
def test_what_is_meant_and_what_is_beside_it(text: str, head: str, beside: str) -> None:
    query = parse_query(text)
    assert query.head is not None
    assert query.head.categories == {head}
    assert [part.categories for part in query.companions] == [{beside}]


def test_place_size_and_posture() -> None:
    assert parse_query("big red car on the left").positions == ("left",)
    assert parse_query("big red car on the left").sizes == ("large",)
    assert parse_query("右边站着的人").postures == ("standing",)
    assert parse_query("右边站着的人").positions == ("right",)
    assert parse_query("leftmost person").extremes == ("leftmost",)


@pytest.mark.parametrize(
    ("text", "fruit"),
    [
        ("orange", True),
        ("an orange on the table", True),
        ("orange shirt", False),
        ("person in orange", False),
    ],
)
def test_an_orange_may_be_a_fruit(text: str, fruit: bool) -> None:
    head = parse_query(text).head
    assert head is not None
    assert (head.categories == {"orange"}) == fruit


def test_words_nothing_can_check_are_kept_apart() -> None:
    assert parse_query("people wearing glasses").unchecked == ("glasses",)
    assert parse_query("戴帽子的人").unchecked == ("戴帽子",)
    assert parse_query("zorblax").head is None


@pytest.mark.parametrize(
    ("text", "category"),
    [("dogs", "dog"), ("buses", "bus"), ("汽车", "car"), ("mug", "cup"), ("wine glass", "wine glass")],
)
def test_a_category_by_any_name(text: str, category: str) -> None:
    assert resolve_asked(text) == frozenset({category})


@pytest.mark.parametrize("text", ["red", "zorblax", "on the left", "dog cat"])
def test_what_names_no_category(text: str) -> None:
    assert resolve_asked(text) is None
