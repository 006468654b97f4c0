from __future__ import annotations

import pytest

from tests.scripts import action, answer, by_task, verdict
from vidence.agents.solver_checker.loop import run_video_agent
from vidence.errors import UserError
from vidence.runs.inputs import check_options, check_question, checked_input, chosen_option
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


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How many people?", "en"),
        ("有几个人？", "zh"),
        ("他说了 “hello world” 吗？", "zh"),
        ("Who says “你好”?", "en"),
    ],
)
def test_the_language_of_the_answer_is_the_question_s(question: str, language: str) -> None:
    assert checked_input(question)["language"] == language


def test_a_chosen_language_wins_over_the_question_s() -> None:
    assert checked_input("How many people?", language="zh")["language"] == "zh"


def test_a_question_and_its_options_lose_their_outer_blanks() -> None:
    given = checked_input("  有几个人？\n", [" 两个 ", "三个"])
    assert (given["question"], given["options"]) == ("有几个人？", ("两个", "三个"))


@pytest.mark.parametrize("question", ["", "   ", "?!", "？。", "…"])
def test_a_question_without_a_word_is_refused(question: str) -> None:
    with pytest.raises(UserError, match="question is empty"):
        check_question(question)


def test_the_longest_question_is_taken_and_a_longer_one_refused() -> None:
    assert check_question("x" * 10_000)
    with pytest.raises(UserError, match="10001 characters"):
        check_question("x" * 10_001)


def test_bytes_that_are_no_text_do_not_reach_a_file() -> None:
    asked = check_question("What is \udcff?")
    assert asked == "What is ??"
    assert asked.encode()


def test_no_options_are_no_options_and_twenty_six_are_the_most() -> None:
    assert check_options([]) == ()
    assert len(check_options([f"option {number}" for number in range(26)])) == 26
    with pytest.raises(UserError, match="at most 26"):
        check_options([f"option {number}" for number in range(27)])


@pytest.mark.parametrize("options", [("红色", " 红色 "), ("Ａ dog", "a DOG"), ("red.", "red")])
def test_options_that_differ_only_in_form_are_the_same(options: tuple[str, ...]) -> None:
    with pytest.raises(UserError, match="twice"):
        check_options(options)


def test_options_of_signs_alone_are_told_apart() -> None:
    assert check_options(["+", "-"]) == ("+", "-")
    assert chosen_option(AnswerPayload(final_answer="-"), ("+", "-")) == 1


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("红色", 0),
        ("B、蓝色", 1),
        ("选项C", 2),
        ("答案为 2", 2),
        ("我认为是蓝色的", 1),
        ("红色或蓝色", None),
        ("紫色", None),
    ],
)
def test_the_option_meant_is_found_in_chinese(text: str, option: int | None) -> None:
    assert chosen_option(AnswerPayload(final_answer=text), ("红色", "蓝色", "绿色")) == option


def test_the_words_of_an_option_win_over_its_letter() -> None:
    assert chosen_option(AnswerPayload(final_answer="A) a dog"), OPTIONS) == 1


def test_a_number_that_is_an_option_is_that_option_and_no_index() -> None:
    assert chosen_option(AnswerPayload(final_answer="2"), ("1", "2", "3")) == 1
