"""The one reader of questions."""

from __future__ import annotations

from datetime import date

import pytest

from vidence.language.question import read_question


def test_every_part_of_a_question_is_read() -> None:
    question = read_question('When does the man in red say "hello" after 1:05?')
    assert question.language == "en"
    assert question.form.kind == "when"
    assert question.form.quoted == question.search.exact == ("hello",)
    assert question.form.moments == (65.0,)
    assert question.search.hint is not None
    assert question.search.hint.seconds(100) == (64.0, 66.0)
    assert question.state.colours == ("red",)
    assert question.utterance.kind == "question"
    assert not question.is_about_the_talk


def test_parts_are_read_once() -> None:
    question = read_question("What colour is the car?")
    assert read_question("What colour is the car?") is question
    assert question.form is question.form


def test_cues_name_people_dates_and_quotations() -> None:
    cues = read_question("What did Anna call “the plan” last May?").cues(
        speakers={"anna": "Anna"}, today=date(2024, 6, 1)
    )
    assert cues.speakers == ("Anna",)
    assert cues.exact == ("the plan",)
    assert cues.dates[0].start == date(2024, 5, 1)
    assert not cues.fresh


@pytest.mark.parametrize("question", ["What is the latest news?", "最近怎么样？"])
def test_fresh_questions_are_noticed(question: str) -> None:
    assert read_question(question).cues(speakers={}, today=date(2024, 6, 1)).fresh


@pytest.mark.parametrize(
    ("question", "relation", "start_s"),
    [
        ("What happens after 1:05?", "after", 65.0),
        ("What happens before 2 minutes and 5 seconds?", "before", 125.0),
        ("第十秒之后发生了什么？", "after", 10.0),
    ],
)
def test_a_side_of_any_written_time_is_read(question: str, relation: str, start_s: float) -> None:
    anchor = read_question(question).form.anchors[0]
    assert (anchor.relation, anchor.start_s) == (relation, start_s)


@pytest.mark.parametrize("text", ["", "？", "🙂", "x" * 30_000])
def test_reading_never_fails(text: str) -> None:
    question = read_question(text)
    assert question.form.kind
    assert question.search.phrase == question.search.text
    assert question.utterance.kind
