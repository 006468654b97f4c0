"""Support: which numbers, times, colours, names and quotations a record carries."""

from __future__ import annotations

import pytest

from vidence.runs.verify.checkables import Checkable
from vidence.runs.verify.content import Content
from vidence.runs.verify.support import is_supported, words_stand_in


def number(value: float, noun: str = "", text: str | None = None) -> Checkable:
    return Checkable("number", text or f"{value:g}", float(value), noun)


def time(value: float) -> Checkable:
    return Checkable("time", f"{value:g} s", value)


def supports(one: Checkable, content: Content, claim: str = "so it is") -> bool:
    return is_supported(one, [content], claim)


PEOPLE = Content(groups=[("person", 3), ("cup", 1)], counts={4}, numbers=[7.0], texts=["three by the wall"])
SHOTS = Content(spans=[(0.0, 10.0), (10.0, 25.0)], counts={2})


@pytest.mark.parametrize(
    ("value", "noun", "holds"),
    [(3, "people", True), (3, "人", True), (4, "people", False), (7, "people", False), (1, "cups", True)],
)
def test_listed_things_are_counted_as_they_are_named(value: float, noun: str, holds: bool) -> None:
    assert supports(number(value, noun), PEOPLE) is holds


def test_without_such_a_thing_every_count_may_be_meant() -> None:
    assert supports(number(4, "objects of art"), PEOPLE)
    assert supports(number(7), PEOPLE)
    assert not supports(number(5), PEOPLE)


def test_several_groups_of_a_thing_add_up() -> None:
    both = Content(groups=[("dog", 2), ("dog", 3)])
    assert supports(number(5, "dogs"), both)
    assert not supports(number(4, "dogs"), both)


def test_cuts_are_one_fewer_than_shots() -> None:
    assert supports(number(1), SHOTS, "There is 1 cut.")
    assert supports(number(1), SHOTS, "有1次切换。")
    assert not supports(number(1), SHOTS, "There is 1 lamp.")


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [("3.1", 3.1, True), ("3.14", 3.14, True), ("3", 3, True), ("3.2", 3.2, False)],
)
def test_a_number_is_compared_at_the_precision_of_the_claim(text: str, value: float, holds: bool) -> None:
    assert supports(number(value, text=text), Content(numbers=[3.1415])) is holds


def test_a_whole_number_is_never_rounded() -> None:
    assert not supports(number(3.9, text="3.9"), Content(numbers=[4.0]))


@pytest.mark.parametrize(("value", "holds"), [(80, True), (90, True), (85, True), (79, False), (91, False)])
def test_a_percentage_lies_between_the_confidences(value: float, holds: bool) -> None:
    assert supports(number(value, "% sure"), Content(sureness=[0.8, 0.9])) is holds


def test_a_share_that_the_record_states_is_a_percentage_too() -> None:
    assert supports(number(42, "percent"), Content(numbers=[42.3]))
    assert not supports(number(42, "percent"), Content())


@pytest.mark.parametrize(("value", "holds"), [(12, True), (9.5, True), (25.5, True), (27, False)])
def test_a_time_lies_inside_a_span_within_half_a_second(value: float, holds: bool) -> None:
    assert supports(time(value), Content(spans=[(10.0, 25.0)])) is holds


def test_a_length_or_a_gap_is_a_time_too() -> None:
    apart = Content(spans=[(100.0, 104.0), (140.0, 141.0)])
    assert supports(time(4), apart), "the length of a span"
    assert supports(time(36), apart), "the gap between two spans"
    assert not supports(time(20), apart)


@pytest.mark.parametrize("claim", ["A cut lies here.", "这里有一个切换。", "The scene changes."])
def test_a_cut_lies_at_the_edge_of_a_shot(claim: str) -> None:
    assert supports(time(10), SHOTS, claim)
    assert supports(time(5), SHOTS, "He waves.")


@pytest.mark.parametrize("claim", ["A cut lies here.", "这里有一个切换。", "It fades to black."])
def test_a_time_inside_a_shot_proves_no_cut(claim: str) -> None:
    assert not supports(time(5), SHOTS, claim)


def test_colours_match_across_languages() -> None:
    red = Checkable("colour", "红色", noun="red")
    assert supports(red, Content(texts=["a crimson or red door"]))
    assert supports(Checkable("colour", "red", noun="red"), Content(texts=["一扇红色的门"]))
    assert not supports(red, Content(texts=["a blue door"]))


def test_a_name_must_stand_in_the_record() -> None:
    paris = Checkable("name", "Paris")
    assert supports(paris, Content(texts=["welcome to PARIS!"]))
    assert not supports(paris, Content(texts=["welcome to London"]))


def test_what_was_asked_for_in_vain_supports_only_a_denial() -> None:
    nothing = Content(asked=["a red dog"], is_empty=True)
    red = Checkable("colour", "red", noun="red")
    assert supports(red, nothing, "No red dog is seen.")
    assert supports(red, nothing, "没有红色的狗。")
    assert not supports(red, nothing, "A red dog is seen.")


def test_any_of_several_records_may_support_a_part() -> None:
    contents = [Content(texts=["a blue door"]), Content(texts=["a red door"])]
    assert is_supported(Checkable("colour", "red", noun="red"), contents, "It is red.")
    assert not is_supported(Checkable("colour", "red", noun="red"), [], "It is red.")


@pytest.mark.parametrize(
    "quote",
    ["good MORNING everyone", "Good … everyone", "good...everyone", "Ｇｏｏｄ morning", "早上好，大家"],
)
def test_a_quotation_stands_there_but_for_case_and_punctuation(quote: str) -> None:
    assert words_stand_in(quote, Content(texts=["Good morning, everyone!", "早上好大家"]))


@pytest.mark.parametrize("quote", ["good evening", "good … nobody", "…", "", "晚上好"])
def test_other_words_and_no_words_are_no_quotation(quote: str) -> None:
    assert not words_stand_in(quote, Content(texts=["Good morning, everyone!", "早上好大家"]))


def test_a_quotation_must_not_come_from_the_question_alone() -> None:
    assert not words_stand_in("red dog", Content(asked=["red dog"], texts=["a cat"]))


@pytest.mark.parametrize(
    ("claim", "text", "holds"),
    [
        ("2022-02-01 18:26:38", "2022-02-01 18:26:38 – 18:26:53", True),
        ("第120天", "成为UP主的第120天", True),
        ("CAM 12", "Shop | cam 12", True),
        ("CAM 12", "Shop | cam 123", False),
        ("20 days", "120 days", False),
    ],
)
def test_what_is_copied_whole_is_supported(claim: str, text: str, holds: bool) -> None:
    assert supports(number(12345), Content(texts=[text]), claim) is holds


@pytest.mark.parametrize(("clock", "holds"), [("18:26:38", True), ("18:26", True), ("18:27", False)])
def test_a_clock_in_the_picture_may_be_told_in_a_sentence(clock: str, holds: bool) -> None:
    content = Content(texts=["2022-02-01 18:26:38 – 18:26:56"], spans=[(0.0, 20.1)])
    assert supports(Checkable("time", clock, 66398.0), content, f"The clock shows {clock}.") is holds
