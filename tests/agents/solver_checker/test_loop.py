from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.scripts import CAPTIONS, action, answer, by_task, verdict
from vidence.agents.solver_checker.loop import SOLVER, SolverChecker, SolverInput, run_video_agent
from vidence.errors import BackendError, UserError
from vidence.llm.embedded import EmbeddedEngine
from vidence.llm.protocol import Capabilities
from vidence.llm.scripted import ScriptedEngine
from vidence.prompts import Prompt
from vidence.runs.reading import READER, READER_ANSWER
from vidence.runs.run import CHECKER, run_loop
from vidence.runs.worlds.captions import CaptionWorld
from vidence.schema.agent import Budget, MemoryUnit, SolverVariables
from vidence.schema.events import Checked, FramesFetched, StepEvent, StepFailed, Thinking
from vidence.schema.reading import ReaderReply


def texts(engine: ScriptedEngine, call: int = -1) -> list[str]:
    return [message.text for message in engine.prompts[call].messages]


def test_the_seed_s_loop_looks_answers_and_passes(captions: tuple[MemoryUnit, ...]) -> None:
    more = list(captions[5:])
    engine = by_task([action("retrieve_more_frames", count=5), answer("Three people", 3)], verdict(5))
    result = run_video_agent(
        "How many people sit at the table?",
        captions[:5],
        engine=engine,
        fetch_new_frames=lambda count: more[:count],
    )
    assert (result.answer, result.passed, result.confidence_score) == ("Three people", True, 5)
    assert [claim.verdict for claim in result.claims] == ["verified"]
    assert [record.record_id for record in result.evidence] == ["frame_3"]
    assert result.gaps == ()
    assert (result.spent.steps, result.spent.llm_calls, result.spent.frames) == (2, 3, 10)


def test_the_system_s_messages_are_the_protocol_s_to_the_letter(captions: tuple[MemoryUnit, ...]) -> None:
    plain = [unit.model_copy(update={"timestamp_s": None}) for unit in captions]
    engine = by_task(
        [
            action("retrieve_more_frames", count=2),
            "I would rather not.",
            answer("Five people", 3),
            answer("Three people", 3),
        ],
        [verdict(2, "Count again."), verdict(4)],
    )
    result = run_video_agent(
        "How many people?",
        plain[:5],
        engine=engine,
        fetch_new_frames=lambda count, focus: plain[5 : 5 + count],
    )
    said = texts(engine, -2)
    assert said[3] == (
        "System Notification: Retrieved 2 new frames: [Frame 6: a woman pours tea] "
        "[Frame 7: two cups stand on the table]"
    )
    assert said[5] == "System Error: Invalid JSON format, please output strictly valid JSON."
    assert said[7] == "System Feedback: Confidence Score: 2/5. Reason: Count again. Please try again."
    assert result.passed


def test_the_solver_keeps_its_history_and_the_checker_has_none(world: CaptionWorld) -> None:
    engine = by_task([answer("A cat", 4, claim="a dog"), answer("A dog", 4)], [verdict(1, "No."), verdict(5)])
    run_video_agent("How many people?", engine=engine, world=world)
    solver = [prompt for prompt in engine.prompts if prompt.task == "solver.step"]
    checker = [prompt for prompt in engine.prompts if prompt.task == "checker.evaluate"]
    assert [len(prompt.messages) for prompt in solver] == [2, 4]
    assert [len(prompt.messages) for prompt in checker] == [2, 2]
    assert solver[0].messages[0].text.startswith("You are a video understanding expert.")
    assert checker[0].messages[0].text.startswith("You are a strict examiner.")


def test_a_chinese_question_gets_the_seed_s_chinese_prompts(world: CaptionWorld) -> None:
    engine = by_task([answer("一只狗", 4)], verdict(5))
    result = run_video_agent("地上有什么？", engine=engine, world=world)
    assert engine.prompts[0].messages[0].text.startswith("你是一个视频理解专家。")
    assert engine.prompts[1].messages[0].text.startswith("你是一个严格的考官。")
    assert (result.language, result.passed) == ("zh", True)


def test_five_frames_spread_over_the_whole_come_first(world: CaptionWorld) -> None:
    events: list[StepEvent] = []
    run_video_agent(
        "What happens?", engine=by_task([answer("x", 3)], verdict(5)), world=world, listener=events.append
    )
    first = next(event for event in events if isinstance(event, FramesFetched))
    assert [frame.frame_id for frame in first.frames] == [2, 4, 6, 8, 10]


def test_focus_brings_the_frames_that_speak_of_it(world: CaptionWorld) -> None:
    engine = by_task(
        [action("retrieve_more_frames", count=1, focus="people at a table"), answer("Three", 3)], verdict(5)
    )
    events: list[StepEvent] = []
    run_video_agent("How many people?", engine=engine, world=world, listener=events.append)
    fetched = [event for event in events if isinstance(event, FramesFetched)]
    assert [frame.frame_id for frame in fetched[1].frames] == [3]


def test_an_engine_that_only_asks_for_frames_stops_at_the_step_limit(world: CaptionWorld) -> None:
    engine = by_task([action("retrieve_more_frames", count=1)], verdict(5))
    result = run_video_agent("What happens?", engine=engine, world=world)
    assert result.status == "failed"
    assert result.spent.steps == 10
    assert "limit of 10 steps" in result.gaps[0]
    assert texts(engine)[-1].endswith("This is your last step. Choose answer_question now.")


def test_an_engine_that_never_writes_json_ends_with_a_named_gap(world: CaptionWorld) -> None:
    result = run_video_agent("What happens?", engine=by_task(["no", "{oops"], verdict(5)), world=world)
    assert result.status == "failed"
    assert any("10 replies without valid JSON" in gap for gap in result.gaps)
    assert result.confidence_score == 1


def test_the_best_grounded_answer_comes_back_at_the_limit(world: CaptionWorld) -> None:
    opening = action("retrieve_more_frames", count=5)
    engine = by_task(
        [opening, answer("Seven people", 4), answer("Two cups", 7), answer("Nine dogs")], verdict(3, "Hm")
    )
    result = run_video_agent("How many?", engine=engine, world=world, budget=Budget(steps=4))
    assert (result.answer, result.passed, result.status) == ("Two cups", False, "answered")
    assert any("Seven people" in gap and "Nine dogs" in gap for gap in result.gaps)


def test_an_answer_that_nothing_proves_cannot_pass(world: CaptionWorld) -> None:
    result = run_video_agent(
        "How many?", engine=by_task([answer("Nine dogs")], verdict(5)), world=world, budget=Budget(steps=2)
    )
    assert not result.passed
    assert result.confidence_score == 3
    assert result.probability <= 0.5
    assert any("proves" in gap for gap in result.gaps)


def test_invented_frames_prove_nothing(world: CaptionWorld) -> None:
    engine = by_task([answer("Three people", 99)], verdict(5))
    result = run_video_agent("How many?", engine=engine, world=world, budget=Budget(steps=2))
    assert result.claims == ()
    assert result.evidence == ()
    assert not result.passed
    assert "frame_99" in texts(engine, 1)[1]


def test_frames_not_fetched_yet_cannot_be_cited(world: CaptionWorld) -> None:
    result = run_video_agent(
        "How many?",
        engine=by_task([answer("Three people", 3)], verdict(5)),
        world=world,
        budget=Budget(steps=1),
    )
    assert result.evidence == ()


def test_a_right_claim_does_not_carry_a_wrong_answer(world: CaptionWorld) -> None:
    engine = by_task([answer("Nine dogs", 4, claim="a dog sleeps on the floor")], verdict(5))
    result = run_video_agent("How many dogs?", engine=engine, world=world, budget=Budget(steps=1))
    assert result.confidence_score == 3
    assert any("Nine" in gap for gap in result.gaps)


def test_frames_named_in_the_explanation_become_claims(world: CaptionWorld) -> None:
    said = action(
        "answer_question", final_answer="A dog", explanation="Frame 4 shows a dog asleep. It is nice."
    )
    result = run_video_agent("Which animal?", engine=by_task([said], verdict(5)), world=world)
    assert result.passed
    assert [claim.text for claim in result.claims] == ["Frame 4 shows a dog asleep."]


def test_a_million_frames_are_what_is_left(world: CaptionWorld) -> None:
    engine = by_task([action("retrieve_more_frames", count=10**6), answer("Three people", 3)], verdict(5))
    result = run_video_agent("How many?", engine=engine, world=world)
    assert result.spent.frames == 10
    assert "you asked for 1000000" in texts(engine, 1)[3]


@pytest.mark.parametrize("count", [0, -5])
def test_an_impossible_number_of_frames_is_one(world: CaptionWorld, count: int) -> None:
    engine = by_task([action("retrieve_more_frames", count=count), answer("Three people", 3)], verdict(5))
    assert run_video_agent("How many?", engine=engine, world=world, budget=Budget(steps=3)).spent.frames == 6


def test_the_frame_budget_counts_the_first_frames_too(world: CaptionWorld) -> None:
    engine = by_task(
        [action("retrieve_more_frames", count=5), action("retrieve_more_frames"), answer("Night", 9)],
        verdict(5),
    )
    result = run_video_agent("When?", engine=engine, world=world, budget=Budget(frames=6, steps=3))
    assert result.spent.frames == 6
    assert "no more frames may be fetched" in texts(engine, 2)[5]


def test_the_call_budget_is_hard_and_says_what_was_not_checked(world: CaptionWorld) -> None:
    engine = by_task([answer("A dog sleeps", 4)], verdict(5))
    result = run_video_agent("What?", engine=engine, world=world, budget=Budget(llm_calls=1))
    assert len(engine.prompts) == 1
    assert (result.answer, result.passed, result.confidence_score) == ("A dog sleeps", False, 2)
    assert "not checked" in result.gaps[0]


def test_the_token_budget_is_hard(world: CaptionWorld) -> None:
    engine = by_task([action("retrieve_more_frames", count=1)], verdict(5))
    result = run_video_agent("What?", engine=engine, world=world, budget=Budget(tokens=10))
    assert engine.prompts == [], "a prompt that alone exceeds the budget is not sent"
    assert "10 tokens" in result.gaps[0]


def test_one_endless_line_costs_no_more_than_a_caption(captions: tuple[MemoryUnit, ...]) -> None:
    endless = captions[0].model_copy(update={"caption": "blah " * 60_000})
    engine = by_task([answer("A dog", 4, claim="a dog sleeps")], verdict(5))
    result = run_video_agent(
        "What sleeps?", [endless, *captions[1:]], engine=engine, budget=Budget(tokens=9000)
    )
    assert result.passed
    assert result.spent.usage.total_tokens < 9000
    assert all(len(prompt.text) < 12_000 for prompt in engine.prompts)


def test_the_time_budget_is_hard_and_handed_to_every_call(world: CaptionWorld) -> None:
    now = [0.0]
    given: list[float | None] = []

    class Slow(ScriptedEngine):
        def answer(self, prompt, *, on_text=None, timeout_s=None):  # type: ignore[no-untyped-def]
            given.append(timeout_s)
            now[0] += 4.0
            return super().answer(prompt, on_text=on_text, timeout_s=timeout_s)

    engine = Slow(lambda prompt: action("retrieve_more_frames", count=1))
    result = run_video_agent(
        "What?", engine=engine, world=world, budget=Budget(seconds=10), clock=lambda: now[0]
    )
    assert given == [10.0, 6.0, 2.0]
    assert "10 seconds" in result.gaps[0]


def test_a_run_can_be_stopped(world: CaptionWorld) -> None:
    stop = threading.Event()

    def listen(event: StepEvent) -> None:
        if event.step == 2:
            stop.set()

    engine = by_task([action("retrieve_more_frames", count=1)], verdict(5))
    result = run_video_agent("What?", engine=engine, world=world, listener=listen, cancel=stop.is_set)
    assert result.spent.steps == 2
    assert "stopped" in result.gaps[0]


def test_an_engine_that_cannot_be_reached_leaves_the_best_answer_and_a_gap(world: CaptionWorld) -> None:
    engine = by_task([answer("A dog", 4), BackendError("openai:x refused the key")], verdict(3, "More"))
    result = run_video_agent("What?", engine=engine, world=world)
    assert (result.answer, result.status, result.passed) == ("A dog", "answered", False)
    assert "openai:x refused the key" in result.gaps[0]


def test_an_engine_that_is_down_from_the_start_is_a_failure_without_an_exception(world: CaptionWorld) -> None:
    result = run_video_agent(
        "什么？", engine=ScriptedEngine([BackendError("connection refused")]), world=world
    )
    assert result.status == "failed"
    assert "connection refused" in result.gaps[0]
    assert "5 帧" in result.explanation


@pytest.mark.parametrize(
    ("broken", "steps"), [("five out of five", 10), (verdict(9), 10), (BackendError("gone"), 1)]
)
def test_a_judge_that_fails_is_no_low_score(
    world: CaptionWorld, broken: str | BackendError, steps: int
) -> None:
    result = run_video_agent("What?", engine=by_task([answer("A dog", 4)], broken), world=world)
    assert not result.passed
    assert "not checked" in result.gaps[0]
    assert (result.answer, result.spent.steps) == ("A dog", steps)


def test_a_judge_that_recovers_judges_the_same_answer_in_the_next_step(world: CaptionWorld) -> None:
    engine = by_task([answer("A dog", 4)], ["Fine!", "Good!", RuntimeError("hiccup"), verdict(5)])
    result = run_video_agent("What?", engine=engine, world=world)
    assert (result.passed, result.answer, result.spent.steps) == (True, "A dog", 3)
    assert sum(prompt.task == "solver.step" for prompt in engine.prompts) == 1
    assert any("hiccup" in gap for gap in result.gaps)


def test_a_judge_gets_a_second_chance_to_write_json(world: CaptionWorld) -> None:
    result = run_video_agent(
        "What?", engine=by_task([answer("A dog", 4)], ["Fine!", verdict(4)]), world=world
    )
    assert result.passed


def test_that_it_cannot_be_told_is_an_answer_that_says_what_was_looked_at(world: CaptionWorld) -> None:
    said = action("answer_question", final_answer="It cannot be told", cannot_tell=True)
    result = run_video_agent("What is her name?", engine=by_task([said], verdict(4)), world=world)
    assert (result.status, result.passed) == ("cannot_tell", True)
    assert "5 frames" in result.explanation
    assert len(result.claims[0].citations) == 5


def test_operations_are_refused_where_there_is_no_video(world: CaptionWorld) -> None:
    call = action("call_operations", calls=[{"operation": "get_transcript", "arguments": {}}])
    engine = by_task([call, answer("A dog", 4)], verdict(5))
    result = run_video_agent("What?", engine=engine, world=world, may_call_operations=True)
    assert result.passed
    assert texts(engine, 1)[3].startswith("System Error: call_operations is not available")
    assert "call_operations" not in texts(engine)[0]


def test_only_language_models_count_as_llm_calls(world: CaptionWorld) -> None:
    engine = EmbeddedEngine(
        {"solver.step": lambda prompt: answer("A dog", 4), "checker.evaluate": lambda prompt: verdict(5)}
    )
    result = run_video_agent("What?", engine=engine, world=world, budget=Budget(llm_calls=1))
    assert (result.passed, result.spent.llm_calls) == (True, 0)


def test_an_algorithm_has_looked_everywhere_and_is_not_asked_again(world: CaptionWorld) -> None:
    engine = EmbeddedEngine(
        {
            "solver.step": lambda prompt: answer("A dog", 4),
            "checker.evaluate": lambda prompt: verdict(2, "Thin"),
        }
    )
    assert run_video_agent("What?", engine=engine, world=world).spent.steps == 1


def test_thinking_is_streamed_without_the_block(world: CaptionWorld) -> None:
    engine = ScriptedEngine([answer("A dog", 4), verdict(5)], pieces=40)
    events: list[StepEvent] = []
    run_video_agent("What?", engine=engine, world=world, listener=events.append)
    thought = "".join(event.text for event in events if isinstance(event, Thinking))
    assert thought == "Let me think.\n"


def test_the_checker_may_be_another_engine(world: CaptionWorld) -> None:
    judge = ScriptedEngine([verdict(5)], capabilities=Capabilities())
    solver = ScriptedEngine([answer("A dog", 4)])
    assert run_video_agent("What?", engine=solver, checker=judge, world=world).passed
    assert [prompt.task for prompt in judge.prompts] == ["checker.evaluate"]


@pytest.mark.parametrize("question", ["", "   ", "???", "\n\t"])
def test_an_empty_question_is_refused(world: CaptionWorld, question: str) -> None:
    with pytest.raises(UserError, match="empty"):
        run_video_agent(question, engine=by_task([], verdict(5)), world=world)


def test_a_huge_question_is_refused(world: CaptionWorld) -> None:
    with pytest.raises(UserError, match="20000 characters"):
        run_video_agent("x" * 20000, engine=by_task([], verdict(5)), world=world)


@pytest.mark.parametrize("question", ["Combien de personnes ?", "何人いますか", "Сколько людей?"])
def test_a_question_in_another_language_runs(world: CaptionWorld, question: str) -> None:
    assert run_video_agent(
        question, engine=by_task([answer("Trois", 3), answer("A dog", 4)], verdict(5)), world=world
    ).passed


def test_problems_are_told_as_they_happen(world: CaptionWorld) -> None:
    events: list[StepEvent] = []
    engine = by_task(["nope", answer("A dog", 4)], verdict(5))
    run_video_agent("What?", engine=engine, world=world, listener=events.append)
    kinds = [event.kind for event in events if isinstance(event, StepFailed | Checked)]
    assert kinds == ["failed", "checked"]


def test_half_a_character_is_no_valid_json(world: CaptionWorld) -> None:
    broken = '{"action_type": "answer_question", "action_payload": {"final_answer": "\\ud83d"}}'
    result = run_video_agent(
        "What?\udcff", engine=by_task([broken, answer("A dog", 4)], verdict(5)), world=world
    )
    assert result.passed
    assert result.model_dump_json()


SEED = [{"frame_id": number, "caption": caption} for number, caption in enumerate(CAPTIONS, start=1)]
"""Frames as the seed writes them."""


def test_a_question_and_a_memory_are_enough() -> None:
    result = run_video_agent("How many people sit at the table?", SEED[:5])
    assert (result.passed, result.engine, result.status) == (True, "embedded", "answered")
    assert "three" in result.answer.lower()
    assert [record.record_id for record in result.evidence] == ["frame_3"]


REST = ("night falls", "he opens a red door", "two cups stand on the table", "the kitchen is empty")


@pytest.mark.parametrize(
    ("question", "word"),
    [("How many cups stand on the table?", "two"), ("What colour is the door?", "red")],
)
def test_the_embedded_engine_fetches_until_the_captions_tell(question: str, word: str) -> None:
    asked: list[int] = []

    def fetch(count: int) -> list[dict[str, object]]:
        asked.append(count)
        first = 2 * (len(asked) - 1)
        return [{"frame_id": 20 + place, "caption": REST[place]} for place in range(first, first + 2)]

    result = run_video_agent(question, [SEED[0], SEED[3], SEED[4]], fetch_new_frames=fetch)
    assert asked
    assert result.passed
    assert word in result.answer.lower()


def test_the_embedded_engine_stops_fetching_when_nothing_new_comes() -> None:
    asked: list[int] = []

    def fetch(count: int) -> list[dict[str, object]]:
        asked.append(count)
        return SEED[:2]

    result = run_video_agent("What is the name of the ship?", SEED[:5], fetch_new_frames=fetch)
    assert len(asked) == 1
    assert (result.status, result.passed) == ("cannot_tell", False)


def test_a_seed_shaped_answer_is_cited_to_the_frames_that_bear_it_out() -> None:
    said = action("answer_question", final_answer="Three people", explanation="They sit at a table.")
    result = run_video_agent("How many people?", SEED[:5], engine=by_task([said], verdict(4)))
    assert (result.passed, result.confidence_score, result.spent.steps) == (True, 4, 1)
    assert {record.record_id for record in result.evidence} == {"frame_3"}


def test_a_chinese_answer_is_cited_to_english_captions() -> None:
    said = action("answer_question", final_answer="一只狗", explanation="狗睡在地板上。")
    result = run_video_agent("地上有什么？", SEED[:5], engine=by_task([said], verdict(5)))
    assert result.passed
    assert "frame_4" in {record.record_id for record in result.evidence}


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("What colour is the door?", "The door is green."),
        ("How many people sit at the table?", "Five people."),
        ("Which animal sleeps?", "A zebra."),
        ("Is a dog there?", "No, there is no dog."),
    ],
)
def test_a_seed_shaped_answer_that_no_frame_bears_out_is_capped(question: str, wrong: str) -> None:
    said = action("answer_question", final_answer=wrong, explanation="")
    result = run_video_agent(question, SEED[:5], engine=by_task([said], verdict(5)), budget=Budget(steps=2))
    assert (result.passed, result.confidence_score) == (False, 3)


@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyError("frames"), TimeoutError("too slow")])
def test_errors_of_a_user_s_engine_become_steps_with_a_named_gap(error: Exception) -> None:
    result = run_video_agent("What?", SEED, engine=by_task([error, answer("A dog", 4)], verdict(5)))
    assert (result.passed, result.spent.steps) == (True, 2)
    assert any(type(error).__name__ in gap for gap in result.gaps)


@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyError("frames"), TimeoutError("too slow")])
def test_errors_of_a_user_s_fetch_become_a_named_gap(error: Exception) -> None:
    def fetch(count: int) -> list[dict[str, object]]:
        raise error

    engine = by_task([action("retrieve_more_frames", count=2), answer("A dog", 4)], verdict(5))
    result = run_video_agent("What?", SEED[:5], engine=engine, fetch_new_frames=fetch)
    assert (result.passed, result.spent.steps) == (True, 2)
    assert any("fetch_new_frames" in gap and type(error).__name__ in gap for gap in result.gaps)


def test_frames_of_a_wrong_shape_from_fetch_become_a_named_gap() -> None:
    wrong: list[Any] = ["a dog"]
    engine = by_task([action("retrieve_more_frames", count=2), answer("A dog", 4)], verdict(5))
    result = run_video_agent("What?", SEED[:5], engine=engine, fetch_new_frames=lambda count: wrong)
    assert result.passed
    assert any("fetch_new_frames" in gap for gap in result.gaps)


@pytest.mark.parametrize(
    ("question", "memory", "engine", "word"),
    [
        ("What?", ["a dog"], "embedded", "initial_memory"),
        ("What?", [{"caption": "a dog"}], "embedded", "frame_id"),
        ("What?", "a dog", "embedded", "initial_memory"),
        (3, SEED, "embedded", "question"),
        ("What?", SEED, 3, "engine"),
        ("What?", SEED, "opnai:x", "opnai"),
    ],
)
def test_wrong_shapes_are_refused_in_words(question: Any, memory: Any, engine: Any, word: str) -> None:
    with pytest.raises(UserError, match=word):
        run_video_agent(question, memory, engine=engine)


def test_prose_is_nudged_once_and_then_taken_as_the_answer() -> None:
    engine = by_task(["I can see a dog.", "A dog sleeps on the floor."], verdict(5))
    result = run_video_agent("What?", SEED[:5], engine=engine)
    assert (result.passed, result.answer, result.spent.steps) == (True, "A dog sleeps on the floor.", 2)


def test_prose_that_is_not_borne_out_does_not_loop_to_the_limit() -> None:
    engine = by_task(["It is a spaceship."], verdict(5))
    result = run_video_agent("What?", SEED[:5], engine=engine)
    assert not result.passed
    assert result.spent.steps == 3


def test_notes_are_read_by_the_run_s_reader_and_its_answer_comes_back(world: CaptionWorld) -> None:
    note = {"number": 1, "text": "My name is Anna Berg.", "kind": "said"}
    asked = {"question": "Who speaks?", "language": "en", "notes": [note]}
    seen: list[SolverVariables] = []

    def step(prompt: Prompt) -> str:
        assert isinstance(prompt.variables, SolverVariables)
        seen.append(prompt.variables)
        known = prompt.variables.reading
        return action("read_notes", reading=asked) if known is None else answer(known.answer or "Nobody", 3)

    algorithm = EmbeddedEngine({"solver.step": step, "checker.evaluate": lambda prompt: verdict(5)})
    reader = ScriptedEngine(['{"answer": "Anna Berg", "notes": [1]}'])
    given = SolverInput(question="Who speaks?", language="en")
    engines = {SOLVER: algorithm, CHECKER: algorithm, READER: reader}
    run_loop(SolverChecker, given, world, engines)
    assert seen[-1].reading == ReaderReply(answer="Anna Berg", notes=(1,))
    assert [one.may_read for one in seen] == [True, True]
    assert reader.prompts[0].task == READER_ANSWER


def test_a_choice_is_asked_of_the_reader_and_comes_back_as_probabilities(world: CaptionWorld) -> None:
    asked = {"question": "Which animal?", "language": "en", "options": ["a cat", "a dog"]}
    seen: list[SolverVariables] = []

    def step(prompt: Prompt) -> str:
        assert isinstance(prompt.variables, SolverVariables)
        seen.append(prompt.variables)
        return action("read_notes", reading=asked) if not seen[-1].choice else answer("a dog", 3, option=1)

    algorithm = EmbeddedEngine({"solver.step": step, "checker.evaluate": lambda prompt: verdict(5)})
    reader = ScriptedEngine(['{"A": 0.2, "B": 0.8}', '{"A": 0.8, "B": 0.2}'])
    result = run_video_agent(
        "Which animal?", world=world, engine=algorithm, reader=reader, options=("a cat", "a dog")
    )
    assert seen[-1].choice == (0.2, 0.8)
    assert seen[-1].reading is None
    assert (result.option, result.spent.llm_calls) == (1, 2)
