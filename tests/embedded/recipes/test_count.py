"""Counting from what is seen: at a moment, over time, different ones, how often."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, prove, seen, thing
from tests.embedded.recipes.told import Told, line, sound
from vidence.ops.register_entity import RegisterEntityResult
from vidence.ops.track_entity import TrackEntityResult, TrackSummary
from vidence.schema.agent import OperationCall

LEFT, MIDDLE, RIGHT = (thing("bottle", x) for x in (0.2, 0.5, 0.8))


def emptied(call: OperationCall) -> BaseModel | None:
    """Three bottles; from 8 s on one, from 15 s on two."""
    if call.operation != "detect_objects":
        return hits(call.arguments.get("query", ""))
    time_s = call.arguments["timestamp"]
    there = [LEFT, MIDDLE, RIGHT] if time_s < 8 else [RIGHT] if time_s < 15 else [MIDDLE, RIGHT]
    return seen(call, there)


def test_things_are_counted_at_the_start_and_at_the_end() -> None:
    assert ask("How many bottles are there at the start?", emptied).answer.startswith("3 bottles")
    assert ask("How many bottles are on the table at the end?", emptied).answer.startswith("2 bottles")


def test_things_are_counted_at_a_time_that_is_named() -> None:
    assert ask("How many bottles are visible at 10 seconds?", emptied).answer.startswith("1 bottle")


def test_the_most_and_the_fewest_over_time() -> None:
    assert ask("What is the smallest number of bottles visible at any time?", emptied).answer.startswith("1 ")
    assert ask("How many bottles are there at most?", emptied).answer.startswith("3 ")


def test_a_chinese_question_gets_a_chinese_answer_with_its_measure_word() -> None:
    assert ask("一开始有几个瓶子？", emptied).answer.startswith("3 个瓶子")


def test_a_number_seen_only_once_is_not_the_most() -> None:
    def flicker(call: OperationCall) -> BaseModel | None:
        time_s = call.arguments["timestamp"]
        return seen(call, [LEFT, RIGHT] if abs(time_s - 10) < 0.3 else [LEFT])

    assert ask("What is the maximum number of bottles at once?", flicker).answer.startswith("1 ")


def test_doubtful_finds_are_not_counted() -> None:
    def doubtful(call: OperationCall) -> BaseModel | None:
        return seen(call, [LEFT, thing("bottle", 0.6, confidence=0.35)])

    assert ask("How many bottles are there?", doubtful).answer.startswith("1 ")


def test_agreement_makes_surer_than_disagreement() -> None:
    def wavering(call: OperationCall) -> BaseModel | None:
        every = int(call.arguments["timestamp"] * 10) % 3
        return seen(call, [LEFT, MIDDLE, RIGHT][: every + 1])

    steady = ask("How many bottles are there at the start?", emptied).probability
    assert ask("How many bottles are there?", wavering).probability < steady


def test_different_people_are_counted_by_name_and_slips_left_out() -> None:
    def street(call: OperationCall) -> BaseModel | None:
        if call.operation == "detect_objects":
            at = call.arguments["timestamp"]
            return seen(
                call, [thing("person", 0.2), thing("person", 0.7)] if at < 10 else [thing("person", 0.4)]
            )
        if call.operation == "register_entity":
            name = {"200": "ent_001", "700": "ent_002", "400": "ent_003"}[call.arguments["object_id"][-3:]]
            return RegisterEntityResult(
                entity_id=name, matched_bbox=(0, 0, 0.1, 0.4), confidence=0.9, visual_signature="person"
            )
        lasting = {"ent_001": 9.0, "ent_002": 9.5, "ent_003": 0.2}[call.arguments["entity_id"]]
        return TrackEntityResult(
            entity_id=call.arguments["entity_id"],
            appearances=[],
            summary=TrackSummary(
                total_appearances=1,
                total_duration=lasting,
                first_appearance=0.0,
                last_appearance=lasting,
                disappearance_periods=[],
            ),
        )

    assert ask("How many different people walk by?", street).answer == "2 different people"


def test_how_often_is_counted_from_separate_finds() -> None:
    def throws(call: OperationCall) -> BaseModel | None:
        return hits(call.arguments["query"], (1, 2, 0.6), (2.2, 3, 0.55), (8, 9, 0.5), (15, 16, 0.1))

    found = ask("How many times does the boy jump?", throws)
    assert found.answer == "2 times"
    assert found.probability < 0.5


def test_without_any_find_the_guess_is_not_confident() -> None:
    def nothing(call: OperationCall) -> BaseModel | None:
        return hits(call.arguments["query"])

    assert ask("How many times does the boy jump?", nothing).probability <= 0.25


def test_calls_that_all_fail_end_in_cannot_tell() -> None:
    assert ask("How many bottles are there?", lambda call: None).cannot_tell


def test_people_are_counted_by_what_they_wear() -> None:
    def crowd(call: OperationCall) -> BaseModel | None:
        red = thing("person", 0.3, clothing_color="red")
        dressed = "red" in str(call.arguments.get("query", ""))
        return seen(call, [red] if dressed else [red, thing("person", 0.7, clothing_color="blue")])

    assert ask("How many people wear a red coat?", crowd).answer.startswith("1 person")
    assert ask("How many people are there?", crowd).answer.startswith("2 people")


@pytest.mark.parametrize("question", ["How many coins are there?", "有几个 coins？"])
def test_what_no_detector_knows_is_left_to_those_who_read_and_look(question: str) -> None:
    spoken = Told(said=[line(1, 3, "Here we see twenty-four old coins.")])
    assert ask(question, spoken).cannot_tell


def test_none_seen_is_no_number_where_some_are_taken_for_granted() -> None:
    assert ask("How many cats are there?", Told()).cannot_tell
    assert ask("How many cats are there at 3 seconds?", Told()).cannot_tell


@pytest.mark.parametrize(
    ("question", "answer"),
    [("How many people speak in the video?", "2 people"), ("有几个人在说话？", "2 个人")],
)
def test_those_who_speak_are_counted_by_their_voices(question: str, answer: str) -> None:
    said = [line(1, 2, "Hello."), line(3, 4, "Hello yourself."), line(5, 6, "Good.")]
    voices = ("speaker_1", "speaker_2", "speaker_1")
    spoken = [one.model_copy(update={"speaker_id": voice}) for one, voice in zip(said, voices, strict=True)]
    assert ask(question, Told(said=spoken)).answer == answer
    assert ask(question, Told()).answer.startswith("0")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many bottles are there at the start?", "3 bottles"),
        ("开头有几个瓶子？", "3 个瓶子"),
        ("What is the largest number of bottles visible?", "3 bottles"),
        ("最多同时有几个瓶子？", "3 个瓶子"),
    ],
)
def test_a_count_is_proven_by_the_frame_it_was_made_in(question: str, answer: str) -> None:
    finding = prove(question, emptied)
    assert finding.answer.startswith(answer)
    assert len(finding.claims) == 1


def test_a_number_that_is_said_of_another_thing_is_not_taken() -> None:
    spoken = Told(
        said=[line(1, 3, "Twelve tall ships with white sails lie in the harbour; a few coins are left.")]
    )
    assert ask("How many coins are there?", spoken).cannot_tell


def test_none_seen_of_what_the_detector_knows_is_none() -> None:
    finding = prove("How many different people walk by?", lambda call: seen(call, []))
    assert finding.answer == "0 people"


SAID = Told(said=[line(1, 2, "The cat sat."), line(3, 5, "The cat and the other cat ran.")])
BARKS = Told(
    heard=[sound("dog_bark", 2, 3), sound("dog_bark", 6, 7), sound("music", 0, 9)],
    found=[(2, 3, 0.8), (6, 7, 0.8)],
)


def visits(call: OperationCall) -> BaseModel | None:
    """A dog is there from 3 to 6 s and from 12 to 16 s."""
    if call.operation != "detect_objects":
        return hits(call.arguments.get("query", ""))
    at = call.arguments["timestamp"]
    return seen(call, [thing("dog", 0.5)] if 3 <= at < 6 or 12 <= at < 16 else [])


@pytest.mark.parametrize(
    ("question", "answer"),
    [('How many times is "cat" said?', "3 times"), ("“cat”说了几次？", "3 次")],
)
def test_words_are_counted_in_the_transcript(question: str, answer: str) -> None:
    finding = prove(question, SAID)
    assert finding.answer == answer
    assert finding.claims[0].citations[0].quote == "The cat sat."


@pytest.mark.parametrize(
    ("question", "answer"),
    [("How many times is a bark heard?", "2 times"), ("听到几次狗叫？", "2 次")],
)
def test_sounds_are_counted_where_they_are_apart(question: str, answer: str) -> None:
    assert prove(question, BARKS).answer == answer


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many times does the dog appear?", "2 times"),
        ("How many times does the dog disappear?", "2 times"),
        ("狗出现了几次？", "2 次"),
    ],
)
def test_coming_and_going_is_counted_from_detections(question: str, answer: str) -> None:
    assert prove(question, visits).answer == answer


def test_a_thing_that_is_there_from_the_start_has_appeared_once() -> None:
    def there(call: OperationCall) -> BaseModel | None:
        return seen(call, [thing("dog", 0.5)]) if call.operation == "detect_objects" else hits("dog")

    assert ask("视频里狗出现了几次？", there).answer == "1 次"


@pytest.mark.parametrize(
    ("question", "answer"), [("How many times does the boy jump?", "2 times"), ("男孩跳了几次？", "2 次")]
)
def test_events_are_counted_from_search_hits(question: str, answer: str) -> None:
    finding = prove(question, Told(found=[(1, 2, 0.6), (2.3, 3, 0.5), (8, 9, 0.5)]))
    assert finding.answer == answer
    assert finding.probability < 0.5


def test_only_the_part_that_is_asked_about_counts() -> None:
    world = Told(found=[(1, 2, 0.6), (8, 9, 0.5), (15, 16, 0.6)])
    assert prove("How many times does the boy jump after 7 seconds?", world).answer == "2 times"
