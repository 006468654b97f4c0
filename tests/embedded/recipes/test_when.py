"""When things come, go and are away, by looking; when anything else is, by searching."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import ask, hits, prove, seen, shots, thing
from tests.embedded.recipes.told import Told, text
from vidence.schema.agent import OperationCall

LEFT, MIDDLE, RIGHT = (thing("bottle", x) for x in (0.2, 0.5, 0.8))


def seconds(answer: str) -> float:
    """Return the number an answer begins with."""
    return float(answer.split()[0])


def table(call: OperationCall) -> BaseModel | None:
    """The left bottle goes at 5.3 s, the other two at 12.6 s; the middle one comes back at 16.2 s."""
    if call.operation == "get_temporal_structure":
        return shots(0.0)
    if call.operation != "detect_objects":
        return hits(call.arguments["query"])
    time_s = call.arguments["timestamp"]
    there = [one for one, gone in ((LEFT, 5.3), (MIDDLE, 12.6), (RIGHT, 12.6)) if time_s < gone]
    return seen(call, [*there, *([MIDDLE] if time_s >= 16.2 else [])])


@pytest.mark.parametrize(
    ("question", "time_s"),
    [
        ("At what time (seconds) is the left bottle taken away?", 5.3),
        ("When are two bottles removed at the same time?", 12.6),
        ("左边的瓶子什么时候被拿走？", 5.3),
        ("两个瓶子同时被拿走是在第几秒？", 12.6),
        ("When is a bottle put back?", 16.2),
    ],
)
def test_coming_and_going_are_timed_between_two_looks(question: str, time_s: float) -> None:
    found = ask(question, table)
    assert seconds(found.answer) == pytest.approx(time_s, abs=0.2)
    assert len(found.claims) == 2


def test_the_first_appearance_is_found() -> None:
    def bird(call: OperationCall) -> BaseModel | None:
        return seen(call, [thing("bird", 0.5)] if 7.4 <= call.arguments["timestamp"] < 15 else [])

    assert seconds(ask("When does the bird first appear?", bird).answer) == pytest.approx(7.4, abs=0.2)


def test_a_time_at_which_something_is_away_lies_inside_its_absence() -> None:
    def dog(call: OperationCall) -> BaseModel | None:
        return seen(call, [] if 6 < call.arguments["timestamp"] < 9 else [thing("dog", 0.4)])

    found = ask("Give a time at which the dog is out of the picture.", dog)
    assert 6 < seconds(found.answer) < 9


def test_a_flicker_of_the_detector_is_no_going() -> None:
    def flicker(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return table(call)
        time_s = call.arguments["timestamp"]
        missed = 3.9 < time_s < 4.4
        gone = time_s > 11.1
        return seen(call, [LEFT] if missed or gone else [LEFT, RIGHT])

    assert seconds(ask("When is the right bottle taken away?", flicker).answer) == pytest.approx(
        11.1, abs=0.3
    )


def test_people_who_stand_are_told_by_their_height() -> None:
    def meeting(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return table(call)
        tall = 0.7 if 8 <= call.arguments["timestamp"] <= 11 else 0.4
        return seen(call, [thing("person", 0.3, height=tall), thing("person", 0.7, height=tall)])

    found = ask("Give a time at which both men are standing.", meeting)
    assert 8 <= seconds(found.answer) <= 11


def test_what_cannot_be_counted_is_searched_for() -> None:
    def searched(call: OperationCall) -> BaseModel | None:
        if call.operation == "get_temporal_structure":
            return shots(0.0, 6.0)
        return hits(call.arguments["query"], (8.0, 10.0, 0.6), (1.0, 2.0, 0.2))

    found = ask("When is the bread sliced?", searched)
    assert seconds(found.answer) == pytest.approx(9.0)
    assert 0.7 < found.probability < 0.85


def test_a_search_is_the_less_sure_the_likelier_another_time_is() -> None:
    def chance(*found: tuple[float, float, float]) -> float:
        return ask("When is the bread sliced?", Told(found=found)).probability

    alone, weaker, alike = (
        chance((8, 10, 0.6)),
        chance((8, 10, 0.6), (1, 2, 0.3)),
        chance((8, 10, 0.6), (1, 2, 0.6)),
    )
    assert alone > weaker > 0.5 > alike
    # What touches it is more of the same.
    assert chance((8, 10, 0.6), (10, 12, 0.6)) == alone
    assert chance((8, 10, 0.12)) < 0.5


def test_a_search_that_begins_with_the_video_hardly_tells_when_something_appears() -> None:
    question = "When does the lighthouse come into view?"
    assert (
        ask(question, Told(found=[(0, 4, 0.8)])).probability
        < ask(question, Told(found=[(5, 9, 0.8)])).probability
    )


@pytest.mark.parametrize("question", ["When does it change to the harbour?", "什么时候换到港口的画面？"])
def test_a_change_of_view_is_the_start_of_a_later_shot(question: str) -> None:
    found = ask(question, Told(found=[(1, 3, 0.8), (6.5, 9, 0.7)], cuts=(0.0, 6.0)))
    assert seconds(found.answer) == pytest.approx(6.0)


@pytest.mark.parametrize("question", ["什么时候切换到港口的画面？", "When does it cut to the harbour?"])
def test_a_cut_to_something_is_where_a_search_leads(question: str) -> None:
    found = ask(question, Told(found=[(1, 3, 0.3), (12.5, 14, 0.8)], cuts=(0.0, 6.0, 12.0)))
    assert seconds(found.answer) == pytest.approx(12.0)
    assert found.probability > 0.5


def test_a_scene_begins_with_its_shot() -> None:
    def scenes(call: OperationCall) -> BaseModel | None:
        if call.operation == "get_temporal_structure":
            return shots(0.0, 6.0, 14.0)
        return hits(call.arguments["query"], (7.5, 12.0, 0.9))

    assert seconds(ask("When does the scene with the woman and the dog begin?", scenes).answer) == 6.0


def test_nothing_found_is_said_with_what_was_looked_for() -> None:
    found = ask("When does the volcano erupt?", lambda call: None)
    assert found.cannot_tell
    assert found.probability < 0.2


def test_standing_up_is_timed_by_its_beginning_and_by_side() -> None:
    def meeting(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return table(call)
        tall = 0.7 if call.arguments["timestamp"] >= 9 else 0.4
        return seen(call, [thing("person", 0.3, height=0.72), thing("person", 0.7, height=tall)])

    assert seconds(ask("When does the right man stand up?", meeting).answer) == pytest.approx(9.0, abs=1.1)


@pytest.mark.parametrize(
    ("question", "time_s"),
    [
        ("When does the cat appear for the second time?", 12.0),
        ("猫第二次出现是什么时候？", 12.0),
        ("When does the cat appear for the last time?", 12.0),
    ],
)
def test_the_second_time_is_not_the_first(question: str, time_s: float) -> None:
    def twice(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return (
                hits(call.arguments.get("query", "")) if call.operation == "temporal_search" else shots(0.0)
            )
        at = call.arguments["timestamp"]
        there = 3.0 <= at <= 6.0 or 12.0 <= at <= 16.0
        return seen(call, [thing("cat", 0.5)] if there else [])

    assert float(ask(question, twice).answer.split()[0]) == pytest.approx(time_s, abs=0.6)


def test_a_time_that_does_not_come_is_not_made_up() -> None:
    def once(call: OperationCall) -> BaseModel | None:
        if call.operation != "detect_objects":
            return (
                hits(call.arguments.get("query", "")) if call.operation == "temporal_search" else shots(0.0)
            )
        at = call.arguments["timestamp"]
        return seen(call, [thing("cat", 0.5)] if 3.0 <= at <= 6.0 else [])

    assert ask("When does the cat appear for the second time?", once).cannot_tell


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When does the banner come up?", "6.0 s"),
        ("横幅什么时候出现？", "6.0 秒"),
        ("When does the banner fall down?", None),
    ],
)
def test_a_caption_comes_when_it_is_first_read(question: str, answer: str | None) -> None:
    world = Told(objects=[text("STATEMENT ON IRAN")], from_s=6.0, until_s=12.0)
    finding = ask(question, world)
    assert (None if finding.cannot_tell else finding.answer) == answer


@pytest.mark.parametrize("question", ["When does the camera angle change?", "拍摄角度什么时候变了？"])
def test_another_angle_is_a_cut(question: str) -> None:
    assert prove(question, Told(cuts=(0.0, 3.1))).answer.startswith("3.1")
