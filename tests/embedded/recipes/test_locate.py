"""Events in words: their subject, and their time by search or by name."""

from __future__ import annotations

import pytest

from tests.embedded.recipes.seen import ask, prove
from tests.embedded.recipes.told import Told, text
from vidence.embedded.recipes.locate import event_query, subject_of
from vidence.embedded.recipes.recipe import has_cue


@pytest.mark.parametrize(
    ("event", "category"),
    [
        ("the dog appears", "dog"),
        ("the two-bottle removal", "bottle"),
        ("a person leaves", "person"),
        ("狗出现", "dog"),
        ("the fireworks begin", None),
        ("the storm", None),
    ],
)
def test_the_subject_of_an_event_is_what_can_be_counted(event: str, category: str | None) -> None:
    subject = subject_of(event)
    assert (subject.category if subject else None) == category


@pytest.mark.parametrize(
    ("event", "change"),
    [
        ("the dog appears", "appear"),
        ("the dog disappears", "vanish"),
        ("the bottle is taken away", "vanish"),
        ("狗消失了", "vanish"),
        ("the dog is brown", None),
    ],
)
def test_an_event_is_read_as_a_search_reads_it(event: str, change: str | None) -> None:
    assert event_query(event).change == change


@pytest.mark.parametrize(
    ("words", "scene"),
    [("the beach scene", True), ("the second shot", True), ("海滩的场景", True), ("the dog", False)],
)
def test_a_scene_as_a_whole_is_recognised(words: str, scene: bool) -> None:
    assert has_cue("scene", words) is scene


@pytest.mark.parametrize(
    ("question", "answer"),
    [("When is the coffee shown?", "5.0 s"), ("咖啡什么时候出现？", "4.0 秒")],
)
def test_an_event_is_timed_by_the_best_hit_and_what_appears_by_its_start(question: str, answer: str) -> None:
    finding = prove(question, Told(found=[(4, 6, 0.8)]))
    assert finding.answer == answer
    assert finding.claims[0].citations[0].start_time == 4.0


def test_the_first_time_is_the_earliest_likely_hit() -> None:
    world = Told(found=[(12, 14, 0.8), (4, 6, 0.7), (1, 2, 0.2)])
    assert prove("When does the woman first laugh?", world).answer == "4.0 s"


def test_a_sign_is_found_by_reading_it() -> None:
    sign = Told(objects=[text("OPEN")], from_s=5, until_s=9)
    finding = prove("When is the sign OPEN shown?", sign)
    assert 5 <= float(finding.answer.split()[0]) <= 9
    assert "“OPEN”" in finding.explanation


def test_a_length_is_the_length_of_what_was_found() -> None:
    finding = prove("How long does the fight last?", Told(found=[(4, 9, 0.8)]))
    assert finding.answer == "5.0 s"


@pytest.mark.parametrize("question", ["When is the coffee shown?", "咖啡什么时候出现？"])
def test_nothing_found_cannot_be_timed(question: str) -> None:
    assert ask(question, Told()).cannot_tell
