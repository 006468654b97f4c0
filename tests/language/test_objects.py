"""Queries are taken apart the way a person means them, in English and Chinese."""

from __future__ import annotations

import pytest

from vidence.language.objects import parse_query, resolve_asked

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


@pytest.mark.parametrize("text", ["person not wearing red", "a person who is not in red"])
def test_a_denied_colour_is_not_asked_for(text: str) -> None:
    query = parse_query(text)
    assert query.head is not None
    assert (query.head.colours, query.unchecked) == ((), ())
    [clause] = query.denied
    assert clause.head is not None
    assert (clause.head.categories, clause.head.colours) == (PERSON, ("red",))


@pytest.mark.parametrize("text", ["没穿红衣服的人", "没有穿红衣服的人", "不穿红衣服的人"])
def test_a_denied_garment_in_chinese(text: str) -> None:
    query = parse_query(text)
    assert query.head is not None
    assert (query.head.categories, query.garments) == (PERSON, ())
    assert [clause.garments for clause in query.denied] == [(("any", ("red",)),)]


def test_a_denial_reaches_to_the_next_thing_said_and_no_further() -> None:
    query = parse_query("man not in a black jacket with blue jeans on the left")
    assert (query.garments, query.positions) == ((("lower", ("blue",)),), ("left",))
    assert [clause.garments for clause in query.denied] == [(("upper", ("black",)),)]
    assert parse_query("不在左边的人").positions == ()
    assert [clause.positions for clause in parse_query("不在左边的人").denied] == [("left",)]


@pytest.mark.parametrize(
    "text",
    [
        "person without a red umbrella",
        "a person with no red umbrella",
        "person not holding a red umbrella",
        "没打红伞的人",
    ],
)
def test_what_must_not_be_beside_it(text: str) -> None:
    query = parse_query(text)
    assert query.companions == ()
    [clause] = query.denied
    assert clause.head is not None
    assert clause.head.categories == PERSON
    assert [(part.categories, part.colours) for part in clause.companions] == [
        (frozenset({"umbrella"}), ("red",))
    ]


def test_another_kind_can_be_denied() -> None:
    [clause] = parse_query("vehicle that is not a car").denied
    assert clause.head is not None
    assert clause.head.categories == {"car"}


def test_a_denial_nothing_can_check_stays_whole() -> None:
    assert parse_query("person not smiling").unchecked == ("not smiling",)
    assert parse_query("不锈钢杯子").unchecked == ("不锈钢",)


@pytest.mark.parametrize("text", ["bottle with a blue cap", "蓝色瓶盖的瓶子"])
def test_the_colour_of_a_cap_is_not_the_bottle_s(text: str) -> None:
    query = parse_query(text)
    assert query.head is not None
    assert query.head.categories == {"bottle"}
    assert (query.head.colours, query.tops) == ((), ("blue",))


def test_a_cap_on_a_head_cannot_be_checked() -> None:
    query = parse_query("person in a blue cap")
    assert (query.tops, query.unchecked) == ((), ("cap",))


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
    assert parse_query("戴耳环的人").unchecked == ("戴耳环",)
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


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("man with a hat", (("headwear", "hat or helmet"),)),
        ("戴帽子的人", (("headwear", "hat or helmet"),)),
        ("person in a striped shirt", (("pattern", "striped"),)),
        ("穿格子衬衫的人", (("pattern", "checked"),)),
        ("person with short sleeves", (("sleeves", "short"),)),
    ],
)
def test_clothes_that_a_look_can_tell(text: str, traits: tuple[tuple[str, str], ...]) -> None:
    query = parse_query(text)
    assert query.head is not None
    assert query.head.categories == PERSON
    assert query.traits == traits
    assert query.asks_worn


def test_clothes_may_be_denied_and_a_hat_s_colour_is_not_checked() -> None:
    denied = parse_query("person without a hat")
    assert denied.asks_worn
    assert not denied.traits
    assert denied.denied[0].traits == (("headwear", "hat or helmet"),)
    assert "red hat" in parse_query("man with a red hat").unchecked
