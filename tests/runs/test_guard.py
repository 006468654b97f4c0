"""The guard: figures, dates and names of an answer stand in the notes it cites, or it is thrown out."""

from __future__ import annotations

import pytest

from vidence.runs.guard import guarded, unfounded
from vidence.schema.reading import Note, ReaderReply, ReaderVariables

TEXTS = (
    "Anna Berg, marine biologist",
    "The reef lost 30 percent of its coral between 2016 and 2020; 12 boats went out.",
    "粉丝 447  获赞 1,203",
    "我叫陈晓明，今天是2022年2月1日。",
    "a man in a red jacket",
    "RT 10 000 views for three songs",
    "开播第52天 | CAM 7",
)
NOTES = tuple(Note(number=number, text=text) for number, text in enumerate(TEXTS, 1))


def parts(question: str, answer: str, *cited: int, answer_type: str = "", head: str = "") -> list[str]:
    asked = ReaderVariables(
        question=question,
        language="zh" if any("\u4e00" <= one <= "\u9fff" for one in question) else "en",
        notes=NOTES,
        answer_type=answer_type,
        head=head,
    )
    return unfounded(ReaderReply(answer=answer, notes=cited), asked)


@pytest.mark.parametrize(
    ("question", "answer", "cited", "answer_type", "head"),
    [
        ("Who is the woman?", "Anna Berg", 1, "name", ""),
        ("What is her job?", "She is a marine biologist.", 1, "job", "job"),
        ("How much coral was lost?", "30 percent", 2, "number", "coral"),
        ("How many boats went out?", "Twelve boats", 2, "number", "boats"),
        ("他现在有多少粉丝？", "447", 3, "number", "粉丝"),
        ("获赞多少？", "1203", 3, "number", "获赞"),
        ("他叫什么名字？", "他叫陈晓明。", 4, "name", "名字"),
        ("What is the date?", "February 1, 2022", 4, "date", "date"),
        ("How many followers does he have?", "447 followers", 3, "number", "followers"),
        ("What colour is the jacket?", "It is red.", 5, "colour", "jacket"),
        ("How many songs are there?", "3", 6, "number", "songs"),
        ("今天是开播第几天？", "52天", 7, "number", "天"),
        ("Is the jacket red?", "Yes", 5, "", ""),
        ("有红色的外套吗？", "没有", 4, "", ""),
        ("What does Anna do at 12 o'clock?", "Anna studies coral at 12 o'clock.", 2, "", ""),
    ],
)
def test_what_stands_in_the_cited_note_passes(
    question: str, answer: str, cited: int, answer_type: str, head: str
) -> None:
    assert parts(question, answer, cited, answer_type=answer_type, head=head) == []


@pytest.mark.parametrize(
    ("question", "answer", "cited", "answer_type", "head", "missing"),
    [
        ("Who is the woman?", "Anna Miller", 1, "name", "", "Miller"),
        ("Who is the woman?", "The woman is Doctor Grace Hopper.", 1, "", "", "Grace"),
        ("How much coral was lost?", "44 percent", 2, "number", "coral", "44"),
        ("他现在有多少粉丝？", "448", 3, "number", "粉丝", "448"),
        ("他叫什么名字？", "他叫王小明。", 4, "", "名字", "王小明"),
        ("他是谁？", "李华先生", 4, "", "", "李华"),
        ("What is the date?", "February 3, 2022", 4, "date", "date", "3"),
        ("What colour is the jacket?", "It is blue.", 5, "colour", "jacket", "blue"),
        ("How many songs are there?", "four", 6, "number", "songs", "four"),
        ("What is written?", "“Stay at home”", 1, "text", "", "Stay at home"),
        ("Who is she?", "Anna Berg", 5, "name", "", "Berg"),
        ("What does he carry?", "a backpack", 5, "", "", "a backpack"),
        ("他背着什么？", "一个双肩背包", 4, "", "", "一个双肩背包"),
    ],
)
def test_what_does_not_stand_there_is_named(
    question: str, answer: str, cited: int, answer_type: str, head: str, missing: str
) -> None:
    assert missing in parts(question, answer, cited, answer_type=answer_type, head=head)


def test_a_figure_must_stand_near_what_was_asked_for() -> None:
    far = f"There are 12 boats in the harbour. {'It rains and the wind blows. ' * 4}The library is old."
    notes = (Note(number=1, text=far),)
    asked = ReaderVariables(
        question="How many books are in the library?",
        language="en",
        notes=notes,
        answer_type="number",
        head="books",
    )
    assert unfounded(ReaderReply(answer="12", notes=(1,)), asked) == ["12"]
    boats = asked.model_copy(update={"question": "How many boats are there?", "head": "boats"})
    assert unfounded(ReaderReply(answer="12", notes=(1,)), boats) == []


def test_an_unfounded_answer_becomes_cannot_tell() -> None:
    asked = ReaderVariables(question="Who is she?", language="en", notes=NOTES)
    assert guarded(ReaderReply(answer="Grace Hopper", notes=(1,)), asked) == ReaderReply()
    kept = ReaderReply(answer="Anna Berg", notes=(1,))
    assert guarded(kept, asked) is kept


def test_a_wrong_number_of_a_note_is_put_right() -> None:
    notes = (Note(number=1, text="收入总览"), Note(number=2, text="成为UP主的第120天 | 创作激励计划"))
    asked = ReaderVariables(question="他成为UP主第几天了？", language="zh", notes=notes)
    assert guarded(ReaderReply(answer="第120天", notes=(1,)), asked).notes == (2,)
    assert guarded(ReaderReply(answer="第121天", notes=(1,)), asked).cannot_tell
    other = asked.model_copy(update={"question": "谁唱了这首歌？"})
    assert guarded(ReaderReply(answer="第120天", notes=(1,)), other).cannot_tell


def test_of_several_notes_that_hold_the_answer_the_one_about_the_question_is_cited() -> None:
    notes = (
        Note(number=1, text="Tom: Hello, I am looking for Anna."),
        Note(number=2, text="Tom: Count faster, the train leaves."),
        Note(number=3, text="Anna: I cannot count at all."),
    )
    asked = ReaderVariables(
        question="Who said to count faster?", language="en", notes=notes, answer_type="name"
    )
    assert guarded(ReaderReply(answer="Tom", notes=(3,)), asked).notes == (2,)
    other = asked.model_copy(update={"question": "Who paints the fence?"})
    assert guarded(ReaderReply(answer="Tom", notes=(3,)), other).cannot_tell


def test_a_refusal_keeps_how_sure_it_was() -> None:
    asked = ReaderVariables(question="Who paints?", language="en", notes=NOTES)
    assert guarded(ReaderReply(answer="cannot tell", sure=0.7), asked) == ReaderReply(
        cannot_tell=True, sure=0.7
    )


def test_an_answer_that_cites_no_known_note_is_thrown_out() -> None:
    asked = ReaderVariables(question="Who is she?", language="en", notes=NOTES)
    assert guarded(ReaderReply(answer="Anna Berg", notes=(99,)), asked).cannot_tell


@pytest.mark.parametrize(
    ("answer", "cited", "right"),
    [
        ("three songs", (1,), (6,)),
        ("marine biologist", (4,), (1,)),
        ("marine biologist", (99,), ()),
        ("CAM 7", (1,), ()),
        ("marine chemist", (4,), ()),
    ],
)
def test_a_long_answer_is_cited_where_it_stands(
    answer: str, cited: tuple[int, ...], right: tuple[int, ...]
) -> None:
    asked = ReaderVariables(question="What is it?", language="en", notes=NOTES, answer_type="text")
    assert guarded(ReaderReply(answer=answer, notes=cited), asked).notes == right
