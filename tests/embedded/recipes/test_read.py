"""Reading: the right line among several, and misread words put right."""

from __future__ import annotations

import pytest

from tests.embedded.recipes.seen import ask, prove
from tests.embedded.recipes.told import Told, text


def test_a_title_is_the_largest_text() -> None:
    world = Told(objects=[text("The Long Voyage", height=0.2), text("a film by nobody", height=0.04, y=0.9)])
    assert "The Long Voyage" in ask("Which title is displayed?", world).answer


def test_the_owner_and_the_year_are_taken_from_a_copyright_line() -> None:
    world = Told(objects=[text("Copyright © 2019 Maria Lopez", height=0.03), text("www.example.org", y=0.9)])
    assert ask("Whose name is in the copyright line?", world).answer == "“Maria Lopez”."
    assert ask("What year is given in the copyright notice?", world).answer == "“2019”."
    assert ask("Which website is shown?", world).answer == "“www.example.org”."


def test_a_persons_name_is_told_from_other_lines() -> None:
    world = Told(objects=[text("Annual report"), text("Jane Miller", y=0.6), text("chief editor", y=0.7)])
    assert "Jane Miller" in ask("Who is speaking according to the on-screen text?", world).answer


def test_the_line_shown_with_quoted_words_is_the_one_asked_for() -> None:
    world = Told(objects=[text("BLUE LAMP STUDIOS"), text("PRESENTS", y=0.55)])
    assert "BLUE LAMP STUDIOS" in ask('Which studio "presents" according to the caption?', world).answer


def test_a_misread_word_is_given_as_it_may_read_and_with_less_trust() -> None:
    world = Told(objects=[text("BAKEKY", confidence=0.75, may_read="BAKERY")])
    finding = ask("Which shop name is readable above the door?", world)
    assert "BAKERY" in finding.answer
    assert finding.probability < 0.65


def test_text_seen_for_an_instant_is_looked_at_again() -> None:
    world = Told(objects=[text("EXIT")], from_s=6.0, until_s=6.9)
    assert "EXIT" in ask("What word is on the sign?", world).answer


def test_no_text_is_told_as_such() -> None:
    finding = ask("What word is on the sign?", Told())
    assert finding.cannot_tell
    assert finding.probability < 0.3


CARD = Told(
    objects=[
        text("OPENING NIGHT", height=0.2, y=0.2),
        text("www.example.org", height=0.05, y=0.8),
        text("© 2019 Blue Film", height=0.04, y=0.9),
    ]
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the title?", "“OPENING NIGHT”."),
        ("片名是什么？", "“OPENING NIGHT”。"),
        ("What website is shown?", "“www.example.org”."),
        ("Who owns the copyright?", "“Blue Film”."),
        ('What is written next to "OPENING"?', "“OPENING NIGHT”."),
    ],
)
def test_the_line_that_fits_the_question_is_quoted(question: str, answer: str) -> None:
    finding = prove(question, CARD)
    assert finding.answer == answer
    assert all(claim.citations[0].quote for claim in finding.claims)


def test_all_text_at_a_time_is_read_together() -> None:
    finding = prove("What text is shown at 5 seconds?", CARD)
    assert finding.answer == "OPENING NIGHT www.example.org © 2019 Blue Film."
    assert len(finding.claims) == 3


def test_a_number_is_the_line_with_digits() -> None:
    world = Told(objects=[text("Welcome"), text("Gate 42", y=0.7)])
    assert prove("What number is shown?", world).answer == "“Gate 42”."
