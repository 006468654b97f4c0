"""The embedded planner: which tool comes next, with which arguments, and what the final output is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import pytest
from pydantic import BaseModel

from tests.embedded.recipes.seen import Answering, record_of, thing
from tests.embedded.recipes.told import Told, line, sound
from vidence.embedded.skills import embedded_skills
from vidence.llm.structured import parse_reply
from vidence.prompts import Prompt
from vidence.schema.agent import AnswerLanguage, OperationCall, VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.planning import (
    FINAL_OUTPUT,
    CommandVariables,
    FinalOutput,
    PlanVariables,
    QueryAnalysis,
    RecalledNote,
    ToolCard,
    ToolCommand,
)

ONE = VideoCard(video_id="vid_1", name="a.mp4", duration_s=20.0)
TWO = VideoCard(video_id="vid_2", name="b.mp4", duration_s=10.0)
DOGS = Told(objects=[thing("dog", 0.2), thing("dog", 0.7)])
_Reply = TypeVar("_Reply", bound=BaseModel)


def _embed(texts: Sequence[str]) -> object:
    return np.ones((len(texts), 4), np.float32) / 2


def _run(task: str, variables: BaseModel, reply: type[_Reply]) -> _Reply:
    prompt = Prompt(task=task, messages=(), variables=variables, response=reply)
    return parse_reply(embedded_skills(_embed)[task](prompt), reply).value


def _plan(question: str, language: AnswerLanguage = "en", **known: object) -> PlanVariables:
    return PlanVariables.model_validate(
        {"question": question, "language": language, "videos": (ONE,), "steps_left": 5, **known}
    )


def _card(name: str, **example: object) -> ToolCard:
    return ToolCard(name=name, category="test", description="a tool", example=example)


def _follow(plan: PlanVariables, world: Answering) -> tuple[PlanVariables, list[str]]:
    """Plan, command and answer until the planner asks for the final output; return the tools it used."""
    used: list[str] = []
    while True:
        tool = _run("planner.analyze", plan, QueryAnalysis).tool_name
        if tool == FINAL_OUTPUT:
            return plan, used
        used.append(tool)
        asked = CommandVariables(plan=plan, context="", sub_goal="look", tool=_card(tool))
        made = _run("executor.command", asked, ToolCommand)
        records: list[EvidenceRecord] = list(plan.records)
        failed = list(plan.failed_calls)
        for arguments in made.calls:
            call = OperationCall(operation=tool, arguments=arguments)
            record = record_of(call, world, f"rec_{len(records):08d}")
            if record is None:
                failed.append((call, "it could not be answered"))
            else:
                records.append(record)
        plan = plan.model_copy(update={"records": tuple(records), "failed_calls": tuple(failed)})


@pytest.mark.parametrize(
    ("question", "language", "tool"),
    [
        ("How many dogs are there?", "en", "detect_objects"),
        ("What is said at the start?", "en", "get_transcript"),
        ("How many cuts are there?", "en", "get_temporal_structure"),
        ("Is the camera moving?", "en", "get_scene_attributes"),
        ("What sound is heard?", "en", "detect_audio_events"),
        ("有几只狗？", "zh", "detect_objects"),
        ("说了什么？", "zh", "get_transcript"),
        ("有几次硬切？", "zh", "get_temporal_structure"),
        ("镜头在动吗？", "zh", "get_scene_attributes"),
    ],
)
def test_the_kind_of_question_decides_the_first_tool(
    question: str, language: AnswerLanguage, tool: str
) -> None:
    analysis = _run("planner.analyze", _plan(question, language), QueryAnalysis)
    assert analysis.tool_name == tool
    assert tool in analysis.relevant_tools
    assert tool in analysis.sub_goal
    assert ("查明" in analysis.sub_goal) == (language == "zh")
    assert "vid_1 (a.mp4, 20.0 s)" in analysis.context


def test_a_tool_that_is_not_offered_is_not_chosen() -> None:
    plan = _plan("How many dogs are there?", tools=(_card("get_transcript"),))
    analysis = _run("planner.analyze", plan, QueryAnalysis)
    assert analysis.tool_name == FINAL_OUTPUT
    assert analysis.relevant_tools == (FINAL_OUTPUT,)


def test_without_steps_left_the_output_is_due() -> None:
    plan = _plan("How many dogs are there?", steps_left=0)
    analysis = _run("planner.analyze", plan, QueryAnalysis)
    assert analysis.tool_name == FINAL_OUTPUT
    assert analysis.sub_goal == "Answer from what is known"


def test_arguments_come_from_the_recipe_for_every_video() -> None:
    plan = _plan("How many dogs are there?", videos=(ONE, TWO))
    asked = CommandVariables(plan=plan, context="", sub_goal="Count dogs", tool=_card("detect_objects"))
    made = _run("executor.command", asked, ToolCommand)
    assert made.explanation == "Count dogs"
    assert {call["video_id"] for call in made.calls} == {"vid_1", "vid_2"}
    assert all(call["category"] == "dog" for call in made.calls)
    assert all(0 <= call["timestamp"] <= 10 for call in made.calls if call["video_id"] == "vid_2")


def test_a_tool_the_recipe_does_not_call_gets_its_own_example() -> None:
    plan = _plan("How many dogs are there?")
    asked = CommandVariables(plan=plan, context="", sub_goal="?", tool=_card("get_ocr", top_k=3))
    assert _run("executor.command", asked, ToolCommand).calls == ({"video_id": "vid_1", "top_k": 3},)
    blind = asked.model_copy(update={"plan": _plan("How many dogs are there?", videos=())})
    assert _run("executor.command", blind, ToolCommand).calls == ({"top_k": 3},)


@pytest.mark.parametrize(
    ("question", "language", "world", "tools", "answer"),
    [
        ("How many dogs are there?", "en", DOGS, ["detect_objects"], "2 dogs"),
        ("有几只狗？", "zh", DOGS, ["detect_objects"], "2 只狗"),
        ("Is there a dog?", "en", DOGS, ["temporal_search", "detect_objects"], "Yes"),
        (
            "What is said?",
            "en",
            Told(said=[line(1, 3, "Good morning.")]),
            ["get_transcript"],
            "Good morning.",
        ),
        (
            "Which animal sound is heard?",
            "en",
            Told(heard=[sound("dog_bark", 2, 4)]),
            ["detect_audio_events", "get_transcript"],
            "A barking dog",
        ),
    ],
)
def test_a_question_is_planned_followed_and_answered(
    question: str, language: AnswerLanguage, world: Answering, tools: list[str], answer: str
) -> None:
    plan, used = _follow(_plan(question, language), world)
    assert set(tools) <= set(used)
    output = _run("planner.final_output", plan, FinalOutput)
    assert output.answer.startswith(answer)
    assert not output.cannot_tell
    records = {record.record_id for record in plan.records}
    assert output.claims
    assert {cited.record_id for claim in output.claims for cited in claim.citations} <= records


def test_of_several_videos_the_surest_finding_is_the_output() -> None:
    def only_second(call: OperationCall) -> BaseModel | None:
        return DOGS(call) if call.arguments["video_id"] == "vid_2" else None

    plan, _ = _follow(_plan("How many dogs are there?", videos=(ONE, TWO)), only_second)
    output = _run("planner.final_output", plan, FinalOutput)
    assert output.answer.startswith("2 dogs")


def test_failed_calls_end_in_an_output_that_cannot_tell() -> None:
    plan, used = _follow(_plan("How many dogs are there?"), lambda call: None)
    assert set(used) == {"detect_objects", "get_notes", "describe_visual"}
    assert _run("planner.final_output", plan, FinalOutput).cannot_tell


def test_memories_answer_where_the_video_cannot() -> None:
    note = RecalledNote(memory_id="mem_1", content="There are 3 dogs.", speaker="Anna", relevance=0.6)
    plan, _ = _follow(_plan("How many dogs are there?", memories=(note,)), lambda call: None)
    output = _run("planner.final_output", plan, FinalOutput)
    assert output.answer.startswith("There are 3 dogs. Anna said so")
    assert output.claims[0].citations[0].record_id == "mem_1"


def test_what_is_found_in_the_video_comes_before_memories() -> None:
    note = RecalledNote(memory_id="mem_1", content="There are 9 dogs.", relevance=0.9)
    plan, _ = _follow(_plan("How many dogs are there?", memories=(note,)), DOGS)
    assert _run("planner.final_output", plan, FinalOutput).answer.startswith("2 dogs")


@pytest.mark.parametrize(
    ("question", "language", "answer"),
    [
        ("What is in the picture?", "en", "The picture shows a dog on a sofa; a red car"),
        ("Is there a dog?", "en", "Yes: a dog on a sofa; a red car"),
        ("Is there a boat?", "en", "No, it is not seen: a dog on a sofa; a red car"),
        ("图片里有狗吗？", "zh", "是：a dog on a sofa; a red car"),
        ("图片里有船吗？", "zh", "没有看到：a dog on a sofa; a red car"),
    ],
)
def test_pictures_answer_by_what_they_show(question: str, language: AnswerLanguage, answer: str) -> None:
    plan = _plan(question, language, videos=(), pictures=("a dog on a sofa", "", "a red car"))
    output = _run("planner.final_output", plan, FinalOutput)
    assert output.answer == answer
    assert [claim.citations[0].record_id for claim in output.claims] == ["picture_1", "picture_3"]


@pytest.mark.parametrize(
    ("language", "videos", "words"),
    [
        ("en", (), "There is no video to look at"),
        ("zh", (), "没有视频可看"),
        ("en", (ONE,), "What was found does not answer it."),
        ("zh", (ONE,), "现有的发现不足以回答。"),
    ],
)
def test_without_anything_known_it_says_so(
    language: AnswerLanguage, videos: tuple[VideoCard, ...], words: str
) -> None:
    question = "How many dogs are there?" if language == "en" else "有几只狗？"
    output = _run("planner.final_output", _plan(question, language, videos=videos), FinalOutput)
    assert output.answer.startswith(words)
    assert output.cannot_tell


@pytest.mark.parametrize("task", ["planner.analyze", "executor.command", "planner.final_output"])
def test_variables_of_another_task_are_refused(task: str) -> None:
    with pytest.raises(TypeError, match=rf"{task} needs \w+Variables, not VideoCard"):
        _run(task, ONE, QueryAnalysis)
