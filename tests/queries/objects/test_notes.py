"""What is said beside the objects, in the language of the query."""

from __future__ import annotations

from vidence.language.objects import parse_query
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
