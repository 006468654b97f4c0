"""Reasons: spoken ones, startling sounds, and what such things are usually done for."""

from __future__ import annotations

import pytest

from tests.embedded.recipes.seen import ask, prove
from tests.embedded.recipes.told import Told, line, sound


def test_a_spoken_reason_is_quoted() -> None:
    world = Told(said=[line(2, 5, "We stop here because the bridge is closed.")])
    assert "bridge is closed" in ask("Why do they stop at the bridge?", world).answer


def test_a_startling_sound_just_before_is_taken_as_the_cause() -> None:
    world = Told(heard=[sound("siren", 8.5, 10)], found=[(9.0, 11.0, 0.7)])
    finding = ask("Why does the man turn his head?", world)
    assert "siren" in finding.answer
    assert finding.probability < 0.65


def test_what_goes_without_saying_is_given_as_probable() -> None:
    world = Told(found=[(9.0, 11.0, 0.7)], activity="training_dog")
    finding = ask("Why does the dog run out of the picture?", world)
    assert "fetch or chase" in finding.answer
    assert finding.probability < 0.65


def test_without_any_clue_the_reason_is_not_invented() -> None:
    finding = ask("Why is the wall yellow?", Told())
    assert finding.cannot_tell


@pytest.mark.parametrize(
    ("question", "world", "answer"),
    [
        (
            "他们为什么停下？",
            Told(said=[line(2, 5, "我们停下是因为路封了。")]),
            "“我们停下是因为路封了。”",
        ),
        (
            "为什么那个人回头？",
            Told(heard=[sound("siren", 8.5, 10)], found=[(9.0, 11.0, 0.7)]),
            "可能是因为 8.5 秒时听到的警笛声。",
        ),
        (
            "Why does the man look up?",
            Told(heard=[sound("dog_bark", 8.5, 9)], found=[(9.0, 11.0, 0.7)]),
            "Probably because of a barking dog, heard at 8.5 s.",
        ),
    ],
)
def test_reasons_are_given_in_the_language_of_the_question(question: str, world: Told, answer: str) -> None:
    finding = prove(question, world)
    assert finding.answer == answer
    assert finding.probability < 0.65


def test_a_sound_long_before_is_no_reason() -> None:
    world = Told(heard=[sound("siren", 0.5, 1)], found=[(12.0, 13.0, 0.7)])
    assert "siren" not in ask("Why does the man turn his head?", world).answer


def test_a_sound_that_startles_nobody_is_no_reason() -> None:
    world = Told(heard=[sound("rain", 8.5, 10)], found=[(9.0, 11.0, 0.7)])
    assert "rain" not in ask("Why does the man turn his head?", world).answer


def test_a_reason_for_something_else_counts_less_than_one_that_fits() -> None:
    said = [line(1, 2, "I am late because of rain."), line(3, 5, "We stop because the bridge is closed.")]
    assert "bridge" in prove("Why do they stop at the bridge?", Told(said=said)).answer
