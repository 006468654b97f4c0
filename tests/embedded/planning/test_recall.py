"""Answers from memories: the statement that fits best, and who said it when."""

from __future__ import annotations

from datetime import datetime

import pytest

from vidence.embedded.planning.recall import answer_from_memories
from vidence.schema.agent import AnswerLanguage
from vidence.schema.planning import FinalOutput, RecalledNote

DAY = datetime(2026, 5, 3, 12).timestamp()


def _note(content: str, memory_id: object = "mem_001", **rest: object) -> RecalledNote:
    return RecalledNote.model_validate({"memory_id": memory_id, "content": content, **rest})


def _told(question: str, *notes: RecalledNote, language: AnswerLanguage = "en") -> FinalOutput:
    output = answer_from_memories(question, notes, language)
    assert output is not None
    return output


@pytest.mark.parametrize(
    ("question", "content", "language", "answer"),
    [
        ("What is my dog called?", "My dog is called Rex.", "en", "Your dog is called Rex."),
        ("Where am I moving?", "I am moving to Paris.", "en", "You are moving to Paris."),
        ("Whose car is it?", "The car is mine.", "en", "The car is yours."),
        ("我的狗叫什么？", "我的狗叫雷克斯。", "zh", "你的狗叫雷克斯。"),
    ],
)
def test_the_users_words_come_back_in_the_second_person(
    question: str, content: str, language: AnswerLanguage, answer: str
) -> None:
    output = _told(question, _note(content, speaker="user", said_at=DAY), language=language)
    assert output.answer.startswith(answer)


@pytest.mark.parametrize(
    ("note", "language", "source"),
    [
        ({"speaker": "user", "said_at": DAY}, "en", "You told me on 3 May 2026 (mem_001)"),
        ({"speaker": "user"}, "en", "You told me earlier (mem_001)"),
        ({"speaker": "Anna", "said_at": DAY}, "en", "Anna said so on 3 May 2026 (mem_001)"),
        ({"said_at": DAY}, "en", "I noted it on 3 May 2026 (mem_001)"),
        ({"speaker": "用户", "said_at": DAY}, "zh", "你在2026年5月3日告诉我的（mem_001）"),
        ({"speaker": "Anna"}, "zh", "Anna以前说的（mem_001）"),
        ({}, "zh", "我以前记下的（mem_001）"),
    ],
)
def test_the_source_says_who_and_when(note: dict[str, object], language: AnswerLanguage, source: str) -> None:
    output = _told("tea?", _note("Tea is in the kitchen.", **note), language=language)
    assert output.explanation == source
    assert source in output.answer


def test_other_peoples_words_are_not_turned_round() -> None:
    output = _told("What does Anna like?", _note("I like my tea.", speaker="Anna"))
    assert output.answer.startswith("I like my tea.")


def test_the_statement_with_most_words_of_the_question_wins() -> None:
    notes = [_note("My cat is grey. My dog is called Rex.", speaker="user"), _note("Rain is wet.", "mem_002")]
    output = _told("What is my dog called?", *notes)
    assert output.answer.startswith("Your dog is called Rex")
    assert output.claims[0].text == "My dog is called Rex."
    assert output.claims[0].citations[0].record_id == "mem_001"
    assert output.claims[0].citations[0].quote == "My dog is called Rex."


def test_a_later_memory_replaces_an_earlier_one() -> None:
    old = _note("My dog is called Rex.", "mem_001", speaker="user", said_at=DAY)
    new = _note("My dog is called Max.", "mem_002", speaker="user", said_at=DAY + 60)
    for notes in ((old, new), (new, old)):
        assert "Max" in _told("What is my dog called?", *notes).answer


def test_a_memory_of_its_own_comes_before_a_summary() -> None:
    summary = _note(
        "[2026-05-04 10:00] user: My dog is called Bo.", memory_type="conversation_summary", said_at=DAY + 99
    )
    own = _note("My dog is called Rex.", "mem_002", speaker="user", said_at=DAY)
    assert "Rex" in _told("What is my dog called?", summary, own).answer


def test_of_a_summary_only_the_users_statements_count() -> None:
    summary = _note(
        "[2026-05-03 10:00] user: I am moving to Paris.\n"
        "[2026-05-03 10:01] assistant: Paris is lovely.\n"
        "[2026-05-03 10:02] user: Is Paris expensive?",
        memory_type="conversation_summary",
    )
    output = _told("What about Paris?", summary)
    assert output.claims[0].text == "I am moving to Paris."
    assert output.answer.startswith("You are moving to Paris.")


def test_a_question_is_told_back_only_where_nothing_is_stated() -> None:
    assert "Rex" in _told("my dog?", _note("Where is my dog? My dog is Rex.", speaker="user")).answer
    assert _told("my dog?", _note("Where is my dog?", speaker="user")).claims[0].text == "Where is my dog?"


def test_sharing_more_words_makes_it_more_probable() -> None:
    close = _told("What is my dog called?", _note("My dog is called Rex.", relevance=0.1)).probability
    far = _told("What is my dog called?", _note("Rain is wet.", relevance=0.1)).probability
    assert close is not None
    assert far is not None
    assert far < close <= 0.95


@pytest.mark.parametrize("notes", [(), (_note("   "),)])
def test_without_statements_there_is_no_answer(notes: tuple[RecalledNote, ...]) -> None:
    assert answer_from_memories("What is my dog called?", notes, "en") is None
