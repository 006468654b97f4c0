"""Next actions from an instruction, what was done and what is in sight."""

from __future__ import annotations

import pytest

from vidence.embedded.planning.clauses import read_clauses
from vidence.embedded.planning.navigation import navigate, vln_skill
from vidence.llm.structured import parse_reply
from vidence.prompts.build import build_vln_prompt
from vidence.schema.agent import AnswerLanguage, MemoryUnit
from vidence.schema.navigation import NavigationAction, NavigationStep, NavigationVariables

ENGLISH = (
    "Walk down the corridor until you see the red door, turn left, go past the sofa and stop at the table."
)
CHINESE = "一直走到沙发旁边，然后左转，走进厨房，最后停下。"


def _step(
    instruction: str,
    seen: list[str],
    done: list[NavigationAction] | None = None,
    language: AnswerLanguage = "en",
) -> NavigationStep:
    frames = tuple(MemoryUnit(frame_id=number, caption=text) for number, text in enumerate(seen))
    return navigate(
        NavigationVariables(
            instruction=instruction, language=language, frames=frames, history=tuple(done or ())
        )
    )


def test_an_instruction_is_read_clause_by_clause() -> None:
    clauses = read_clauses(ENGLISH)
    assert [(clause.action, clause.landmark) for clause in clauses] == [
        ("move_forward", "red door"),
        ("turn_left", None),
        ("move_forward", "sofa"),
        ("stop", "table"),
    ]


def test_a_chinese_instruction_is_read_clause_by_clause() -> None:
    clauses = read_clauses(CHINESE)
    assert [(clause.action, clause.landmark) for clause in clauses] == [
        ("move_forward", "沙发"),
        ("turn_left", None),
        ("enter", "厨房"),
        ("stop", None),
    ]


def test_longer_ways_are_read_in_both_languages() -> None:
    english = read_clauses(
        "Exit the bedroom, go up the stairs, turn right at the painting and enter the bathroom."
    )
    assert [(clause.action, clause.landmark) for clause in english] == [
        ("enter", None),
        ("go_upstairs", None),
        ("turn_right", "painting"),
        ("enter", "bathroom"),
    ]
    chinese = read_clauses("上楼后右转，沿着走廊一直走，看到红色的门后左转，停在床前面。")
    assert [(clause.action, clause.landmark) for clause in chinese] == [
        ("go_upstairs", None),
        ("turn_right", None),
        ("move_forward", "走廊"),
        ("turn_left", "红色的门"),
        ("stop", "床"),
    ]


def test_walking_goes_on_until_the_landmark_is_in_sight() -> None:
    step = _step(ENGLISH, ["a long corridor", "a corridor with pictures"], ["move_forward"])
    assert (step.action, step.target, step.target_seen, step.clauses_done) == (
        "move_forward",
        "red door",
        False,
        0,
    )


def test_the_turn_comes_where_the_landmark_is_in_sight() -> None:
    step = _step(ENGLISH, ["a corridor", "a red door, a lamp"], ["move_forward"])
    assert (step.action, step.clauses_done) == ("turn_left", 1)


def test_a_thing_is_passed_when_it_was_seen_and_is_gone() -> None:
    frames = ["corridor", "red door", "sofa", "sofa", "window"]
    done: list[NavigationAction] = ["move_forward", "turn_left", "move_forward", "move_forward"]
    step = _step(ENGLISH, frames, done)
    assert (step.action, step.target, step.target_seen) == ("move_forward", "table", False)
    assert step.clauses_done == 3


def test_the_way_ends_at_its_last_landmark() -> None:
    frames = ["corridor", "red door", "sofa", "window", "a wooden table with chairs"]
    done: list[NavigationAction] = ["move_forward", "turn_left", "move_forward", "move_forward"]
    assert _step(ENGLISH, frames, done).action == "stop"


def test_a_chinese_way_is_followed_with_english_labels() -> None:
    first = _step(CHINESE, ["corridor, lamp"], language="zh")
    assert first.action == "move_forward"
    assert "还没有看到" in first.reason
    there = _step(CHINESE, ["corridor", "couch, lamp"], ["move_forward"], "zh")
    assert there.action == "turn_left"


@pytest.mark.parametrize(
    ("instruction", "action"),
    [
        ("Turn right.", "turn_right"),
        ("Go upstairs.", "go_upstairs"),
        ("Walk down the stairs", "go_downstairs"),
        ("Turn around and go back", "turn_around"),
        ("Enter the kitchen", "enter"),
        ("请右转", "turn_right"),
        ("直走", "move_forward"),
        ("上楼", "go_upstairs"),
        ("掉头", "turn_around"),
        ("停", "stop"),
    ],
)
def test_plain_commands_are_obeyed_without_frames(instruction: str, action: str) -> None:
    assert _step(instruction, []).action == action


def test_the_end_of_the_instruction_is_a_stop() -> None:
    step = _step("Turn left, then turn right.", [], ["turn_left", "turn_right"])
    assert (step.action, step.clauses_done) == ("stop", 2)
    assert _step("", []).action == "stop"


def test_the_skill_answers_in_the_wire_format() -> None:
    variables = NavigationVariables(instruction="左转", language="zh")
    prompt = build_vln_prompt(variables)
    assert "左转" in prompt.text
    assert prompt.templates[0].language == "zh"
    assert parse_reply(vln_skill(prompt), NavigationStep).value.action == "turn_left"
