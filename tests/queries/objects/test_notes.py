"""What is said beside the objects, in the language of the query."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vidence.language.objects import parse_query
from vidence.models.vision.colours import ColourShare
from vidence.queries.objects.match import Measured
from vidence.queries.objects.notes import looked_for, query_note
from vidence.schema.perception import Box, Detection

SOMEBODY = Measured(Detection("person", 0.9, Box(0.1, 0.1, 0.2, 0.6)), {})
SEATED = Measured(SOMEBODY.found, {"posture": "sitting"})


def test_words_nobody_checked_are_named_in_the_language_of_the_query() -> None:
    note = query_note(parse_query("woman talking"), [SOMEBODY], [SOMEBODY])
    assert note is not None
    assert "'woman', 'talking'" in note
    assert "person" in note
    assert query_note(parse_query("说话的女人"), [SOMEBODY], [SOMEBODY]) == (
        "“说话”、“女人”无法核实：列出的是符合其余条件的人。"
    )


def test_nothing_is_said_of_objects_that_are_not_there() -> None:
    assert query_note(parse_query("mug"), [], []) is None


def test_whoever_s_posture_was_not_seen_is_counted() -> None:
    assert query_note(parse_query("sitting person"), [SEATED, SOMEBODY], [SEATED]) == (
        "The posture of 1 could not be told; left out."
    )
    assert query_note(parse_query("坐着的人"), [SOMEBODY], []) == "有 1 个看不出姿势，未列出。"
    assert query_note(parse_query("person not sitting"), [SOMEBODY], []) is not None
    assert query_note(parse_query("sitting person"), [SEATED], [SEATED]) is None


def test_a_number_is_compared_with_what_fits() -> None:
    assert query_note(parse_query("two people"), [SOMEBODY], [SOMEBODY]) == "1 fit, not 2."
    assert query_note(parse_query("两个人"), [SOMEBODY, SEATED], [SOMEBODY, SEATED]) is None
    assert query_note(parse_query("三个人"), [SOMEBODY], [SOMEBODY]) == "符合的有 1 个，而不是 3 个。"


def test_names_without_a_category_are_told_in_both_languages() -> None:
    english, chinese = looked_for(parse_query("a kettle or cup")), looked_for(parse_query("水壶"))
    assert english is not None
    assert "'kettle'" in english
    assert "cup" not in english
    assert chinese is not None
    assert chinese.startswith("检测器没有“水壶”")


CAR = Measured(Detection("car", 0.8, Box(0.5, 0.5, 0.3, 0.2)), {"size": "medium"})
RED_CAR = replace(CAR, body=(ColourShare("red", 0.8),))


def test_whatever_has_no_measured_colour_is_counted() -> None:
    assert query_note(parse_query("red car"), [RED_CAR, CAR, CAR], [RED_CAR]) == (
        "The colour of 2 could not be told; left out."
    )
    assert query_note(parse_query("红色的汽车"), [CAR], []) == "有 1 个看不出颜色，未列出。"
    assert query_note(parse_query("red car"), [RED_CAR], [RED_CAR]) is None


def test_things_of_another_kind_are_not_counted_as_hidden() -> None:
    assert query_note(parse_query("red car"), [RED_CAR, SOMEBODY], [RED_CAR]) is None


def test_several_notes_stand_side_by_side_in_the_language_of_the_query() -> None:
    english = query_note(parse_query("two fast red cars"), [RED_CAR, CAR], [RED_CAR])
    assert english == (
        "Could not check 'fast': the objects are of category car and fit the rest of the query. "
        "The colour of 1 could not be told; left out. 1 fit, not 2."
    )
    chinese = query_note(parse_query("三辆红色的汽车"), [RED_CAR, CAR], [RED_CAR])
    assert chinese == "有 1 个看不出颜色，未列出。符合的有 1 个，而不是 3 个。"


def test_all_categories_of_the_found_objects_are_named() -> None:
    dog = Measured(Detection("dog", 0.9, Box(0.1, 0.1, 0.2, 0.2)), {})
    cat = Measured(Detection("cat", 0.9, Box(0.1, 0.1, 0.2, 0.2)), {})
    note = query_note(parse_query("sleepy animal"), [dog, cat], [dog, cat, cat])
    assert note is not None
    assert "of category cat, dog and fit" in note


def test_a_denied_word_that_cannot_be_checked_is_named() -> None:
    note = query_note(parse_query("person not smiling"), [SOMEBODY], [SOMEBODY])
    assert note is not None
    assert "'not smiling'" in note


def test_a_number_without_any_match_is_not_compared() -> None:
    assert query_note(parse_query("two people"), [], []) is None


def test_of_many_unknown_names_three_are_told() -> None:
    assert looked_for(parse_query("a kettle, jug, teapot or samovar")) == (
        "The detector has no category for 'kettle', 'jug', 'teapot', …: "
        "looked for by naming parts of the picture, so places are rough."
    )
    chinese = looked_for(parse_query("水壶、茶壶、烧瓶、坩埚"))
    assert chinese is not None
    assert "“水壶”、“茶壶”、“烧瓶”等这样的类别" in chinese


@pytest.mark.parametrize("query", ["cup", "a cup or the dog", "杯子", "杯子、狗", "people"])
def test_names_with_a_category_need_no_note(query: str) -> None:
    assert looked_for(parse_query(query)) is None
