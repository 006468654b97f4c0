"""Whether found passages bear on a question, or the story does not tell."""

from __future__ import annotations

from vidence.embedded.story_bearing import BEARING_FEATURES, bearing, bearing_features

PASSAGES = ["The mill burned down in March. Anna wept for a week, because she had loved it."]


def test_a_question_in_the_words_of_one_line_bears_on_the_story() -> None:
    assert bearing("When did the mill burn down?", PASSAGES, (), 0.9) > 0.5


def test_a_question_of_people_whom_the_story_never_names_does_not() -> None:
    question = "Why did Captain Nemo leave the Nautilus?"
    assert bearing(question, PASSAGES, ("captain", "nemo", "nautilus", "leav"), 0.2) < 0.3


def test_a_name_that_the_story_lacks_counts_more_than_another_word() -> None:
    name = bearing("Did Nemo weep?", PASSAGES, ("nemo",), 0.5)
    assert name < bearing("Did Anna sneeze?", PASSAGES, ("sneez",), 0.5)


def test_nothing_found_has_every_feature() -> None:
    values = bearing_features("Who wept?", (), (), 0.0)
    assert len(values) == len(BEARING_FEATURES)
    assert values[3:] == [0.0, 0.0]
