"""Evidence comes first: sources propose, the type gate and the scorer decide, or nothing is answered."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import VIDEO, Answering, record_of, thing
from tests.embedded.recipes.told import Told, line, text
from tests.embedded.test_solver import embed
from vidence.embedded.answering import conclude
from vidence.embedded.proposals import Proposal
from vidence.embedded.score import Situation
from vidence.embedded.solver import solve
from vidence.language.categories import category_words
from vidence.language.question import read_question
from vidence.llm.structured import parse_reply
from vidence.ops.describe_visual import DescribeVisualResult, SeenAnswer
from vidence.ops.detect_objects import DetectObjectsResult
from vidence.ops.get_notes import GetNotesResult
from vidence.runs.ledger import Ledger
from vidence.runs.verify import Verifier
from vidence.schema.agent import (
    AnswerPayload,
    CallPayload,
    OperationCall,
    ReadPayload,
    SolverResponse,
    SolverVariables,
)
from vidence.schema.evidence import Citation, Claim
from vidence.schema.reading import NotedLine, ReaderReply, ReaderVariables

_MOST_STEPS = 10


class Session:
    """A run by hand: operations come from a written world, the reader's answer is given."""

    def __init__(self, world: Answering, reply: ReaderReply | None = None) -> None:
        self._world, self._reply = world, reply
        self.asked: ReaderVariables | None = None
        self.ledger = Ledger()

    def answer(self, question: str, language: str = "en") -> AnswerPayload:
        reading: ReaderReply | None = None
        for step in range(_MOST_STEPS):
            variables = SolverVariables.model_validate(
                {
                    "question": question,
                    "language": language,
                    "videos": (VIDEO,),
                    "records": self.ledger.operations,
                    "failed_calls": self.ledger.failed,
                    "may_call_operations": True,
                    "may_read": self._reply is not None,
                    "reading": reading,
                }
            )
            payload = parse_reply(solve(variables, embed), SolverResponse).value.action_payload
            match payload:
                case CallPayload():
                    self._call(payload, step)
                case ReadPayload():
                    self.asked, reading = payload.reading, self._reply
                case AnswerPayload():
                    return payload
        raise AssertionError("no answer")

    def _call(self, payload: CallPayload, step: int) -> None:
        for number, call in enumerate(payload.calls):
            record = record_of(call, self._world, f"rec_{step:03d}{number:05d}")
            if record is None:
                self.ledger.note_failure(call, "it could not be answered")
            else:
                self.ledger.add(record)


SAID = Told(said=[line(1, 3, "My name is Anna Berg."), line(4, 6, "I am a teacher in Oslo.")])


def test_the_reader_s_answer_is_given_with_the_notes_it_rests_on() -> None:
    session = Session(SAID, ReaderReply(notes=(2,), answer="Teacher"))
    payload = session.answer("What is her job?")
    assert payload.final_answer == "Teacher."
    assert not payload.cannot_tell
    assert session.asked is not None
    assert session.asked.answer_type == "job"
    cited = payload.claims[0].citations[0]
    assert (cited.start_time, cited.quote) == (4, "I am a teacher in Oslo.")
    checked = Verifier(session.ledger, [VIDEO], question="What is her job?").check_all(payload.claims)
    assert [claim.verdict for claim in checked] == ["verified"]


class Titled(Told):
    """A world whose notes tell a picture by the text that it shows, and the text."""

    def __call__(self, call: OperationCall) -> BaseModel | None:
        if call.operation != "get_notes":
            return super().__call__(call)
        written = NotedLine(
            kind="written", start_time=1, end_time=3, text="Acme Tools company", confidence=0.9
        )
        told = "A title reads “Acme Tools company”."
        return GetNotesResult(notes=[written.model_copy(update={"kind": "seen", "text": told}), written])


def test_a_name_is_cited_from_the_words_that_tell_it() -> None:
    payload = Session(Titled(), ReaderReply(notes=(1,), answer="Acme Tools")).answer("Which company is it?")
    assert payload.final_answer == "Acme Tools."
    assert payload.claims[0].citations[0].quote == "Acme Tools company"
    assert (
        Session(Titled(), ReaderReply(notes=(1,), answer="Zenith")).answer("Which company is it?").cannot_tell
    )


class Glimpsed(Told):
    """A world in which a look at the frames says something that no words bear out."""

    def __call__(self, call: OperationCall) -> BaseModel | None:
        if call.operation != "describe_visual":
            return super().__call__(call)
        seen_answers = [SeenAnswer(answer="skateboarding", probability=0.47, times=[2.0])]
        return DescribeVisualResult(
            description="A person.", confidence=0.8, num_frames_analyzed=3, answers=seen_answers
        )


def test_a_reader_that_repeats_a_look_is_no_second_witness() -> None:
    world = Glimpsed(said=[line(1, 3, "Just do it.")])
    payload = Session(world, ReaderReply(notes=(1,), answer="Skateboarding", sure=0.9)).answer(
        "What is he doing?"
    )
    assert payload.probability is not None
    assert payload.probability < 0.6


def test_an_answer_of_another_type_is_not_given() -> None:
    payload = Session(SAID, ReaderReply(notes=(2,), answer="A chair")).answer("What is her job?")
    assert payload.cannot_tell
    assert "chair" not in payload.final_answer


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("What is her name?", "en", "neither shows nor says a name"),
        ("她叫什么名字？", "zh", "没有显示也没有说出名字"),
        ("How much money does she make?", "en", "no amount"),
        ("Why does she leave?", "en", "does not show why"),
    ],
)
def test_a_reader_that_cannot_tell_leaves_the_question_open(question: str, language: str, words: str) -> None:
    silent = Told(said=[line(1, 3, "Good morning.")])
    payload = Session(silent, ReaderReply()).answer(question, language)
    assert payload.cannot_tell
    assert words in payload.final_answer


@pytest.mark.parametrize(
    "question", ["Give me the highlights.", "What is this?", "Who is that?", "Where is this?"]
)
def test_no_object_stands_in_for_an_answer(question: str) -> None:
    world = Told(objects=[thing("chair", 0.4), thing("person", 0.6)])
    payload = Session(world, ReaderReply()).answer(question)
    assert payload.cannot_tell


def test_a_yes_or_no_about_what_no_detector_knows_is_read_where_words_name_it() -> None:
    world = Told(objects=[thing("person", 0.4)], said=[line(1, 3, "Follow us on TikTok.")])
    session = Session(world, ReaderReply(notes=(1,), answer="Yes"))
    session.answer("Are they on TikTok?")
    assert session.asked is not None
    session = Session(world, ReaderReply())
    session.answer("Are they on Instagram?")
    assert session.asked is None


def test_a_number_that_somebody_says_is_read_not_counted() -> None:
    world = Told(said=[line(1, 3, "We have two hundred members now."), line(4, 5, "Members get members.")])
    payload = Session(world, ReaderReply(notes=(1,), answer="200")).answer(
        "How many members do they say they have?"
    )
    assert payload.final_answer.startswith("200")


def test_what_is_named_and_not_there_is_said() -> None:
    world = Told(objects=[thing("person", 0.4)])
    reply = ReaderReply(notes=(1,), answer="It barks")
    payload = Session(world, reply).answer("What does the dog do when the boy lands?")
    assert payload.cannot_tell
    assert "no dog was seen or mentioned" in payload.final_answer


def test_what_is_named_in_words_counts_as_there() -> None:
    world = Told(objects=[thing("person", 0.4)], said=[line(1, 3, "Our dog sleeps all day.")])
    payload = Session(world, ReaderReply(notes=(1,), answer="It sleeps all day")).answer(
        "What does the dog do?"
    )
    assert "no dog" not in payload.final_answer


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [("asdf qwer zxcv", "en", "I don't understand that question"), ("饕餮魑魅", "zh", "我不明白这个问题")],
)
def test_what_cannot_be_read_is_not_answered(question: str, language: str, words: str) -> None:
    payload = Session(Told()).answer(question, language)
    assert payload.cannot_tell
    assert words in payload.final_answer
    assert payload.probability is not None
    assert payload.probability < 0.1


@pytest.mark.parametrize(
    ("question", "language", "words"),
    [
        ("What is in the ninth shot?", "en", "There is no such shot. The video has 3 shots."),
        ("第九个镜头里有什么？", "zh", "没有这样的镜头。视频共有 3 个镜头。"),
    ],
)
def test_a_shot_that_is_missing_is_reported(question: str, language: str, words: str) -> None:
    payload = Session(Told(cuts=(0.0, 5.0, 10.0)), ReaderReply()).answer(question, language)
    assert payload.final_answer.startswith(words)


def test_notes_outside_the_time_asked_about_are_not_read() -> None:
    session = Session(SAID, ReaderReply())
    session.answer("What is her job at 12 seconds?")
    assert session.asked is not None
    assert session.asked.notes == ()


def test_a_weak_no_says_that_it_could_be_missed() -> None:
    question = read_question("Is he wearing a helmet?")
    weak, other = Proposal("likeness", "No.", 0.55), Proposal("likeness", "Yes.", 0.45)
    nothing = Proposal("measured", "It cannot be told.", 0.3, cannot_tell=True)
    situation = Situation(question, (weak, other, nothing), is_reader_silent=False, num_missing=0)
    assert conclude(question, situation).answer.endswith("It could have been missed.")


def test_a_no_that_is_shown_was_not_missed() -> None:
    question = read_question("Is the shop empty?")
    people = "At 2.0 s 3 people are in the picture."
    proof = Claim(text=people, citations=(Citation(record_id="rec_1"),))
    shown = Proposal("likeness", "No, at 2.0 s 3 people are in the picture.", 0.55, (proof,))
    nothing = Proposal("measured", "It cannot be told.", 0.1, cannot_tell=True)
    situation = Situation(question, (shown, nothing), is_reader_silent=False, num_missing=0)
    assert conclude(question, situation).answer == shown.answer


def test_text_on_screen_is_read_from_the_notes() -> None:
    session = Session(Told(objects=[text("EXIT")]), ReaderReply(notes=(1,), answer="EXIT"))
    payload = session.answer("What does the sign say?")
    assert payload.final_answer == "EXIT."
    assert payload.probability is not None
    assert payload.probability > 0.3


TITLES = Told(objects=[text("EXIT", confidence=0.9), text("Platform 4", confidence=0.8)])


@pytest.mark.parametrize(
    ("question", "language", "answer"),
    [
        ("What text is on screen?", "en", "“EXIT” and “Platform 4”."),
        ("屏幕上写着什么？", "zh", "“EXIT”和“Platform 4”。"),
        ("What does the platform sign say?", "en", "Platform 4."),
    ],
)
def test_text_is_told_where_the_reader_is_silent(question: str, language: str, answer: str) -> None:
    session = Session(TITLES, ReaderReply())
    payload = session.answer(question, language)
    assert (payload.final_answer, payload.cannot_tell) == (answer, False)
    checked = Verifier(session.ledger, [VIDEO], question=question).check_all(payload.claims)
    assert {claim.verdict for claim in checked} == {"verified"}
    assert [record.source for record in session.ledger.operations].count("get_notes") == 1


def test_text_outside_the_time_asked_about_is_not_told() -> None:
    world = Told(objects=[text("EXIT")], until_s=4.0)
    payload = Session(world, ReaderReply()).answer("What is written at 12 seconds?")
    assert payload.cannot_tell
    assert "EXIT" not in payload.final_answer


@pytest.mark.parametrize(
    ("question", "language", "answer"),
    [
        ("What animal is there?", "en", "Cat and horse."),
        ("有什么动物？", "zh", "猫和马。"),
        ("What fruit is there?", "en", "Banana."),
        ("What vehicles are there?", "en", "Bus."),
    ],
)
def test_the_members_of_a_group_are_those_detected(question: str, language: str, answer: str) -> None:
    session = Session(crowded, ReaderReply())
    payload = session.answer(question, language)
    assert (payload.final_answer, payload.cannot_tell) == (answer, False)
    checked = Verifier(session.ledger, [VIDEO], question=question).check_all(payload.claims)
    assert {claim.verdict for claim in checked} == {"verified"}


def crowded(call: OperationCall) -> BaseModel | None:
    """Show a cat, then a horse, a banana beside a pizza, and a bus, each under its group.

    A look sees one of each group, too.
    """
    if call.operation == "describe_visual":
        seen = {"animal": "cat", "动物": "猫", "fruit": "banana", "vehicles": "bus"}
        told = next(answer for word, answer in seen.items() if word in call.arguments["focus"])
        seen_answer = SeenAnswer(answer=told, probability=0.5, times=[1.0])
        return DescribeVisualResult(
            description=told, confidence=0.5, num_frames_analyzed=1, answers=[seen_answer]
        )
    if call.operation != "detect_objects":
        return Told()(call)
    first = call.arguments["timestamp"] < 10
    shown = [thing("cat", 0.3) if first else thing("horse", 0.3, confidence=0.8)]
    shown += [thing(name, 0.6) for name in ("banana", "pizza", "bus")]
    wanted = category_words()[call.arguments.get("category", "animal")]
    kept = [one for one in shown if one.category in wanted]
    return DetectObjectsResult(timestamp=call.arguments["timestamp"], objects=kept)


def test_no_member_is_named_where_none_is_detected() -> None:
    payload = Session(Told(objects=[thing("person", 0.4)]), ReaderReply()).answer("What animal is there?")
    assert payload.cannot_tell


@pytest.mark.parametrize(
    ("question", "language", "answer"),
    [
        ("What time is shown on the clock?", "en", "18:26:38."),
        ("这段录像是哪天拍的？", "zh", "2022-02-01 18:26:38。"),
    ],
)
def test_a_date_that_the_reader_missed_is_copied(question: str, language: str, answer: str) -> None:
    session = Session(Told(objects=[text("2022-02-01 18:26:38")]), ReaderReply())
    payload = session.answer(question, language)
    assert (payload.final_answer, payload.cannot_tell) == (answer, False)
    assert payload.claims[0].citations[0].quote == "2022-02-01 18:26:38"


def test_several_texts_are_no_answer_where_one_is_meant() -> None:
    session = Session(TITLES, ReaderReply())
    payload = session.answer("Which three words are written around the circle?")
    assert payload.cannot_tell


@pytest.mark.parametrize(
    ("question", "language"), [("What text is on screen?", "en"), ("画面里有什么文字？", "zh")]
)
def test_all_text_is_told_without_a_reader(question: str, language: str) -> None:
    session = Session(TITLES, ReaderReply(notes=(1,), answer="EXIT"))
    assert session.answer(question, language).final_answer.startswith("“EXIT”")
    assert session.asked is None


def test_a_guess_at_the_picture_is_not_told_to_the_reader() -> None:
    def world(call: OperationCall) -> BaseModel | None:
        if call.operation != "describe_visual":
            return Told(said=[line(1, 3, "Here you go.")])(call)
        answers = [
            SeenAnswer(answer="scooter", probability=0.4, times=[1.0]),
            SeenAnswer(answer="bicycle", probability=0.2, times=[]),
        ]
        return DescribeVisualResult(
            description="A man.", confidence=0.5, num_frames_analyzed=1, answers=answers
        )

    session = Session(world, ReaderReply())
    session.answer("What is the man riding?")
    assert session.asked is not None
    noted = " ".join(note.text for note in session.asked.notes)
    assert "scooter" in noted
    assert "bicycle" not in noted
