from __future__ import annotations

import pytest

from tests.scripts import action, answer, by_task, verdict
from vidence.agents.solver_checker.loop import run_video_agent
from vidence.errors import UserError
from vidence.runs.inputs import check_options, chosen_option
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import AnswerPayload, Budget

OPTIONS = ("a cat", "a dog", "a bird")


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("a dog", 1), ("A DOG.", 1), ("B", 1), ("(b)", 1), ("b) a dog", 1), ("1", 1), ("Option C", 2),
        ("答案是 A", 0), ("选B", 1), ("It is a bird, I think", 2),
        ("a cat or a dog", None), ("a fish", None), ("Z", None),
    ],
)  # fmt: skip
def test_the_option_meant_is_found(text: str, option: int | None) -> None:
    assert chosen_option(AnswerPayload(final_answer=text), OPTIONS) == option


def test_the_number_given_wins_unless_there_is_no_such_option() -> None:
    assert chosen_option(AnswerPayload(final_answer="a cat", option=2), OPTIONS) == 2
    assert chosen_option(AnswerPayload(final_answer="a cat", option=7), OPTIONS) == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["only"], "only one"),
        (["a", " "], "Option 2 is empty"),
        (["A dog", "a dog."], "twice"),
        ([str(n) for n in range(40)], "too many"),
    ],
)
def test_bad_options_are_refused(options: list[str], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        check_options(options)


def test_the_answer_is_the_option_s_words(world: CaptionWorld) -> None:
    result = run_video_agent(
        "Which animal?",
        engine=by_task([answer("B", 4, claim="a dog sleeps")], verdict(5)),
        world=world,
        options=OPTIONS,
    )
    assert (result.option, result.answer, result.passed) == (1, "a dog", True)


def test_an_answer_beside_the_options_is_sent_back(world: CaptionWorld) -> None:
    engine = by_task([answer("a fish", 4), answer("a dog", 4)], verdict(5))
    result = run_video_agent("Which animal?", engine=engine, world=world, options=OPTIONS)
    assert result.option == 1
    assert "must be the number of an option, 0 to 2" in engine.prompts[1].messages[3].text


def test_an_answer_beside_the_options_to_the_end_is_none(world: CaptionWorld) -> None:
    engine = by_task([action("answer_question", final_answer="a fish")], verdict(5))
    result = run_video_agent("Which?", engine=engine, world=world, options=OPTIONS, budget=Budget(steps=3))
    assert (result.status, result.option) == ("failed", None)
