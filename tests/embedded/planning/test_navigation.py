"""Next actions from an instruction, what was done and what is in sight."""

from __future__ import annotations

import pytest

from vidence.embedded.planning.navigation import is_seen, navigate, read_clauses, vln_skill
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


@pytest.mark.parametrize(
    ("clause", "action", "landmark", "relation"),
    [
        ("Bear left", "turn_left", None, "none"),
        ("Take the second right", "turn_right", None, "none"),
        ("Make a sharp right", "turn_right", None, "none"),
        ("Turn left at the fridge", "turn_left", "fridge", "at"),
        ("Walk until you reach the big window", "move_forward", "big window", "until"),
        ("Walk through the hallway", "move_forward", "hallway", "past"),
        ("Head towards the sofa", "move_forward", "sofa", "at"),
        ("Enter the bathroom", "enter", "bathroom", "into"),
        ("Leave the kitchen", "enter", None, "none"),
        ("Wait by the bed", "stop", "bed", "past"),
        ("Go down the stairs", "go_downstairs", None, "none"),
        ("Climb the wooden steps", "go_upstairs", None, "none"),
        ("向左拐", "turn_left", None, "none"),
        ("在电视前右转", "turn_right", "电视", "at"),
        ("走到窗户旁边", "move_forward", "窗户", "until"),
        ("穿过客厅", "move_forward", "客厅", "past"),
        ("走进卧室", "enter", "卧室", "into"),
        ("离开厨房", "enter", None, "none"),
        ("下楼", "go_downstairs", None, "none"),
        ("转身", "turn_around", None, "none"),
    ],
)
def test_a_clause_has_an_action_and_a_landmark(
    clause: str, action: str, landmark: str | None, relation: str
) -> None:
    (read,) = read_clauses(clause)
    assert (read.action, read.landmark, read.relation) == (action, landmark, relation)


@pytest.mark.parametrize("words", ["", "Be careful.", "请小心", "The weather is nice."])
def test_words_without_an_action_are_no_clause(words: str) -> None:
    assert read_clauses(words) == ()


def test_a_sight_alone_says_how_far_to_walk() -> None:
    walk, turn = read_clauses("When you see a plant, turn right.")
    assert (walk.action, walk.landmark, walk.relation) == ("move_forward", "plant", "until")
    assert turn.action == "turn_right"


def test_a_turn_that_ends_a_walk_is_two_clauses() -> None:
    walk, turn = read_clauses("Turn left once you walk until the red door")
    assert (walk.action, walk.landmark) == ("move_forward", "red door")
    assert (turn.action, turn.landmark) == ("turn_left", None)


@pytest.mark.parametrize(
    ("landmark", "caption", "seen"),
    [
        ("red door", "a red door, a lamp", True),
        ("red door", "a blue door", False),
        ("second chair", "a chair by the wall", True),
        ("big window", "window", True),
        ("沙发", "couch, lamp", True),
        ("sofa", "沙发和椅子", True),
        ("沙发", "一张沙发", True),
        ("床", "a table with chairs", False),
        ("table", "", False),
    ],
)
def test_a_landmark_is_recognised_across_languages(landmark: str, caption: str, seen: bool) -> None:
    assert is_seen(landmark, caption) is seen


def test_a_turn_at_a_landmark_waits_for_it() -> None:
    instruction = "Turn left at the fridge and stop."
    far = _step(instruction, ["corridor"])
    assert (far.action, far.target, far.target_seen) == ("move_forward", "fridge", False)
    assert "not in sight yet" in far.reason
    near = _step(instruction, ["corridor", "a white fridge"], ["move_forward"])
    assert (near.action, near.target_seen) == ("turn_left", True)
    assert "is in sight" in near.reason


def test_without_frames_the_words_decide() -> None:
    assert _step("Turn left at the fridge and stop.", []).action == "turn_left"


def test_a_stop_at_a_landmark_is_not_made_before_it() -> None:
    instruction = "Walk forward and stop at the table."
    assert _step(instruction, ["hall", "hall"], ["move_forward"]).action == "move_forward"
    assert _step(instruction, ["hall", "a table"], ["move_forward"]).action == "stop"


def test_a_way_is_followed_to_its_end_in_chinese() -> None:
    done: list[NavigationAction] = []
    seen = ["corridor"]
    for action, sight in [
        ("move_forward", "couch"),
        ("turn_left", "kitchen door"),
        ("move_forward", "厨房"),
        ("enter", "厨房"),
        ("stop", "厨房"),
    ]:
        step = _step(CHINESE, seen, done, "zh")
        assert step.action == action, (step, done)
        done.append(step.action)
        seen.append(sight)
    assert _step(CHINESE, seen, done, "zh").reason == "指令的每一步都已完成：停下。"


@pytest.mark.parametrize(
    ("instruction", "language", "reason"),
    [
        ("", "en", "The instruction asks for no action: stop."),
        ("", "zh", "指令中没有要做的动作：停下。"),
    ],
)
def test_an_empty_instruction_is_a_stop_with_its_reason(
    instruction: str, language: AnswerLanguage, reason: str
) -> None:
    step = _step(instruction, [], language=language)
    assert (step.action, step.reason, step.clauses) == ("stop", reason, ())


def test_every_step_says_which_clauses_there_are() -> None:
    step = _step("Turn left, then turn right.", [], ["turn_left"])
    assert step.clauses == ("Turn left", "turn right")
    assert (step.clauses_done, step.action, step.target_seen) == (1, "turn_right", None)
