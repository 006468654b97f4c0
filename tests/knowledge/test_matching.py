"""An answer is compared with a reference as a person would: wording may differ, facts may not."""

from __future__ import annotations

import pytest

from vidence.knowledge.matching import contains, match_probability, same_answer

QUESTION = "who got the first nobel prize in physics"


@pytest.mark.parametrize(
    "answer",
    ["Wilhelm Röntgen", "The first Nobel Prize in Physics was awarded to Wilhelm Conrad Röntgen in 1901."],
)
def test_other_wordings_pass(answer: str) -> None:
    assert same_answer(QUESTION, "Wilhelm Conrad Röntgen", answer)


@pytest.mark.parametrize(
    "answer", ["Marie Curie", "I am not sure; it could be anyone.", "", "the first physicist"]
)
def test_other_facts_fail(answer: str) -> None:
    assert not same_answer(QUESTION, "Wilhelm Conrad Röntgen", answer)


def test_a_wrong_figure_fails() -> None:
    asked = "when was the bridge opened"
    assert match_probability(asked, "May 1937", "It was opened in May 1937.") > 0.7
    assert match_probability(asked, "May 1937", "It was opened in May 1952.") < 0.5


def test_alternatives_count() -> None:
    assert contains("the moon / luna", "They went to the Moon.")
    assert not contains("", "anything")
