"""Reasons, happenings and people."""

from __future__ import annotations

from tests.embedded.recipes.seen import ask, thing
from tests.embedded.recipes.told import Told, line, sound, text


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


def test_something_that_vanishes_with_a_knock_was_probably_hit() -> None:
    world = Told(objects=[thing("bird", 0.5)], until_s=10.2, heard=[sound("impact", 10.5, 10.6)])
    finding = ask("What happens to the bird at about 10 seconds?", world)
    assert "hit" in finding.answer
    assert len(finding.claims) == 2


def test_something_at_the_edge_leaves_the_picture() -> None:
    world = Told(objects=[thing("dog", 0.05)], until_s=10.2)
    assert "left" in ask("What happens to the dog at about 10 seconds?", world).answer


def test_a_name_on_screen_says_who_it_is() -> None:
    world = Told(objects=[text("Jane Miller", y=0.8)])
    assert "Jane Miller" in ask("Who is the woman?", world).answer


def test_a_person_without_a_name_is_described() -> None:
    world = Told(
        objects=[thing("person", 0.2, clothing_color="red"), thing("person", 0.8, clothing_color="grey")]
    )
    finding = ask("Who stands on the left?", world)
    assert "left" in finding.answer
    assert finding.probability < 0.65
