"""Some kinds of question are measured; the others are left to the reader and the visual answerer."""

from __future__ import annotations

from typing import get_args

import pytest

from vidence.embedded.gather import find_recipe, measures, polar_words
from vidence.embedded.proposals import Polarity
from vidence.embedded.recipes.recipe import Inquiry
from vidence.language.question import Kind, read_question
from vidence.schema.agent import SolverVariables


@pytest.mark.parametrize("kind", [kind for kind in get_args(Kind) if measures(kind)])
def test_every_measured_kind_has_a_recipe(kind: Kind) -> None:
    assert callable(find_recipe(kind))


@pytest.mark.parametrize("kind", ["who", "why", "describe", "doing"])
def test_nothing_measures_what_only_words_or_pictures_tell(kind: Kind) -> None:
    assert not measures(kind)


@pytest.mark.parametrize(
    ("question", "polarity", "words"),
    [
        ("他身上有没有系安全绳？", "no", "没有"),
        ("画面里有狗吗？", "yes", "有"),
        ("他戴帽子了吗？", "no", "没有"),
        ("能看到她的脸吗？", "no", "不能"),
        ("他们在打架吗？", "yes", "在"),
        ("这是室内吗？", "no", None),
        ("Is he wearing a hat?", "no", None),
        ("他们在打架吗？", None, None),
    ],
)
def test_chinese_answers_with_the_verb_of_the_question(
    question: str, polarity: Polarity | None, words: str | None
) -> None:
    form = read_question(question).form
    variables = SolverVariables(question=question, language=form.language)
    inquiry = Inquiry(form, variables, lambda texts: [])
    assert polar_words(inquiry, polarity) == words
