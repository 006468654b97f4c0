"""Plain extraction copies the span of a note that fits the question and its type."""

from __future__ import annotations

import pytest

from tests.embedded.test_solver import embed
from vidence.embedded.extraction import extract, reader_skills
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.structured import parse_reply
from vidence.runs.reading import READER_SUMMARISE, reader_prompt
from vidence.schema.agent import AnswerLanguage
from vidence.schema.reading import Note, ReaderReply, ReaderVariables

NOTES = tuple(
    Note(number=number, text=text)
    for number, text in enumerate(
        (
            "The coral reef lost 30 percent of its corals. The ship left at dawn.",
            "Narrator: Anna Berg studies the reef.",
            "The museum opened on March 5, 2019 in Oslo.",
            "粉丝 447 获赞 1203",
            "The ticket costs 25 dollars.",
        ),
        1,
    )
)


def asked(
    question: str, answer_type: str = "", head: str = "", language: AnswerLanguage = "en"
) -> ReaderVariables:
    return ReaderVariables(
        question=question, language=language, notes=NOTES, answer_type=answer_type, head=head
    )


@pytest.mark.parametrize(
    ("question", "answer_type", "head", "answer", "note"),
    [
        ("How many corals were lost?", "number", "corals", "30", 1),
        ("When did the museum open?", "date", "museum", "March 5, 2019", 3),
        ("Who studies the reef?", "name", "", "Anna Berg", 2),
        ("How much does the ticket cost?", "money", "ticket", "25 dollars", 5),
        ("When did the ship leave?", "other", "", "The ship left at dawn.", 1),
        ("他有多少粉丝？", "number", "粉丝", "447", 4),
        ("What date is shown?", "date", "date", "March 5, 2019", 3),
    ],
)
def test_the_span_fits_the_type(question: str, answer_type: str, head: str, answer: str, note: int) -> None:
    reply = extract(asked(question, answer_type, head), embed)
    assert (reply.answer, reply.notes) == (answer, (note,))


@pytest.mark.parametrize(
    ("question", "answer_type"),
    [
        ("What does the zebra eat at noon?", "other"),
        ("How many submarines were built?", "number"),
        ("What colour is the reef?", "colour"),
        ("", ""),
    ],
)
def test_a_question_that_no_note_bears_on_cannot_be_told(question: str, answer_type: str) -> None:
    assert extract(asked(question, answer_type), embed).cannot_tell


def test_no_notes_tell_nothing() -> None:
    empty = ReaderVariables(question="Who?", language="en")
    assert extract(empty, embed).cannot_tell


def test_the_skills_answer_the_readers_prompts() -> None:
    engine = EmbeddedEngine(reader_skills(embed))
    told = engine.answer(reader_prompt(asked("Who studies the reef?", "name")))
    assert parse_reply(told.text, ReaderReply).value.answer == "Anna Berg"
    summary = engine.answer(reader_prompt(asked("Summarise it."), task=READER_SUMMARISE))
    value = parse_reply(summary.text, ReaderReply).value
    assert list(value.notes) == sorted(value.notes)
    assert all(NOTES[number - 1].text.rstrip(".") in value.answer for number in value.notes)


def clocks(*shown: tuple[str, float]) -> ReaderVariables:
    """Ask for the time on notes that last so many seconds."""
    notes = tuple(
        Note(number=number, text=text, kind="written", start_s=0.0, end_s=lasts_s)
        for number, (text, lasts_s) in enumerate(shown, 1)
    )
    return ReaderVariables(
        question="What time does the corner show?",
        language="en",
        notes=notes,
        answer_type="date",
        head="time",
    )


@pytest.mark.parametrize(
    ("shown", "answer"),
    [
        ([("Activities | 18:38 – 18:39 Wed", 37.0), ("Wed 10:30", 1.0)], "18:38 – 18:39"),
        ([("Activities | 9:05 pm", 37.0)], "9:05 pm"),
        ([("18:38", 20.0), ("10:30", 20.0)], ""),
        ([("5 March 2019", 20.0)], ""),
    ],
)
def test_the_clock_that_is_there_nearly_all_the_time_is_meant(
    shown: list[tuple[str, float]], answer: str
) -> None:
    assert extract(clocks(*shown), embed).answer == (answer or ReaderReply().answer)
