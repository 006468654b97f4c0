"""Colour names, families and look-alikes."""

from __future__ import annotations

import pytest

from vidence.language.colours import colour_terms, colour_word, colours_in, find_colours, kin_of, same_colour


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("person wearing red", ["red"]),
        ("穿红衣服的人", ["red"]),
        ("a navy jacket and white shoes", ["blue", "white"]),
        ("咖啡色的桌子", ["brown"]),
        ("bored reader", []),
        ("粉红色的气球", ["pink"]),
    ],
)
def test_colours_are_found_in_queries(text: str, expected: list[str]) -> None:
    assert find_colours(text) == expected


def test_colours_have_chinese_words() -> None:
    assert colour_word("red", "zh") == "红色"
    assert colour_word("red") == "red"


@pytest.mark.parametrize(
    ("text", "families"),
    [
        ("a crimson scarf", {"red"}),
        ("穿红色衣服的人", {"red"}),
        ("a gray and navy coat", {"grey", "blue"}),
        ("深蓝色的车", {"blue"}),
        ("粉红色", {"pink"}),
        ("红绿灯前的青年", set()),
        ("she rose from the chair and ate ice cream", set()),
        ("a greenish light", {"green"}),
    ],
)
def test_colours_are_families_in_both_languages(text: str, families: set[str]) -> None:
    assert set(colours_in(text)) == families


def test_neighbouring_colours_count_as_the_same() -> None:
    assert same_colour("teal", {"blue"})
    assert not same_colour("red", {"blue", "green"})


def test_finer_colours_are_measured_as_their_neighbours() -> None:
    meant = dict(colour_terms())
    assert (meant["silver"], meant["teal"], meant["gold"], meant["beige"]) == (
        "grey",
        "blue",
        "yellow",
        "brown",
    )
    assert set(meant.values()) == set(kin_of())


def test_light_turns_neighbouring_colours_into_one_another() -> None:
    assert "grey" in kin_of()["black"]
    assert kin_of()["green"] == frozenset()
