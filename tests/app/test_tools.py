"""Tools from past questions: what is found, what the admission test says, and what a model proposes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import make_sign, need_models
from tests.scripts import action, verdict
from vidence.agents.solver_checker.solver import SOLVER_TASK
from vidence.app import Workspace, open_workspace
from vidence.app.ask import ask
from vidence.app.tool_admission import Tried, cost_of, induce
from vidence.app.tool_proposals import propose
from vidence.errors import UserError
from vidence.llm.facts import count_text
from vidence.llm.scripted import Line, ScriptedEngine
from vidence.prompts import Prompt
from vidence.schema.agent import AgentAnswer, CheckerVariables, SolverVariables
from vidence.schema.trace import MessageRef, ModelStep, Trace, WorldCard
from vidence.tools.steps import parse_tool

SIGNS = ("BAKERY", "STATION", "LIBRARY", "HARBOUR")


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """Four films that are indexed."""
    need_models()
    folder = tmp_path_factory.mktemp("films")
    with open_workspace(home=folder / "home") as workspace:
        for sign in SIGNS:
            workspace.index(make_sign(folder / f"{sign.lower()}.mp4", sign))
        yield workspace


@pytest.fixture
def library(films: Workspace, tmp_path: Path) -> Workspace:
    """The films with a library and traces of their own."""
    settings = films.settings.model_copy(update={"home": tmp_path})
    other = Workspace(settings, films.store)
    other.indexer = films.indexer
    return other


def counts_cuts(*, uses_tools: bool = True) -> ScriptedEngine:
    """Return an engine that looks for cuts and for the length, and answers from the cuts alone."""

    def say(prompt: Prompt) -> Line:
        known = prompt.variables
        if isinstance(known, CheckerVariables):
            return verdict(5)
        assert isinstance(known, SolverVariables)
        found = [one for one in known.records if one.source == "get_temporal_structure"]
        if found:
            claims = [{"text": "There are 0 cuts.", "citations": [{"record_id": found[0].record_id}]}]
            return action("answer_question", final_answer="0 cuts", claims=claims, probability=0.9)
        if known.tools and uses_tools:
            chosen = known.tools[0]
            given = dict.fromkeys(chosen["inputs"], "fine")
            return action("call_operations", calls=[{"operation": chosen["tool_name"], "arguments": given}])
        calls: list[dict[str, Any]] = [
            {"operation": "get_temporal_structure", "arguments": {"granularity": "fine"}},
            {"operation": "get_video_info", "arguments": {}},
            *(
                {"operation": "get_scene_attributes", "arguments": {"timestamp": round(0.2 * n, 1)}}
                for n in range(8)
            ),
        ]
        return action("call_operations", calls=calls)

    return ScriptedEngine(say)


def past(workspace: Workspace) -> None:
    """Ask about every film."""
    for number, video in enumerate(workspace.indexed_videos()):
        question = f"How many cuts does film {number + 1} have?"
        assert ask(workspace, [video.video_id], question, engine=counts_cuts(), remember=False).passed


def test_what_answers_rest_on_is_found_tested_and_kept(library: Workspace) -> None:
    past(library)
    (tried,) = induce(library, engine=counts_cuts())
    assert tried.kept, tried.reason
    assert tried.name == "get_temporal_structure_alone"
    assert tried.admission is not None
    assert (tried.admission.questions, tried.admission.videos) == (2, 2)
    assert list(tried.admission.calls) == [20, 2]
    assert tried.admission.tokens[1] < tried.admission.tokens[0]
    assert tried.admission.right == (2, 2)
    kept = library.tools.get(tried.name)
    assert kept.admission == tried.admission
    assert set(kept.learned_from) == set(tried.questions)


def test_a_tool_that_saves_nothing_is_dropped_with_the_reason(library: Workspace) -> None:
    past(library)
    (tried,) = induce(library, engine=counts_cuts(uses_tools=False))
    assert not tried.kept
    assert tried.reason.startswith("no kind of question is best served by it: calls 20 → 20, tokens ")
    assert tried.name not in library.tools


def test_steps_in_which_an_algorithm_asks_a_reader_are_not_counted(library: Workspace) -> None:
    texts = {
        "asked": "a" * 70,
        "read": '{"action_type":"read_notes"}' + "b" * 700,
        "answer": '{"action_type":"answer_question"}',
    }

    def step(reply: str, *sent: str) -> ModelStep:
        messages = tuple(MessageRef(role="user", text=one) for one in sent)
        return ModelStep(task=SOLVER_TASK, messages=messages, prompt_sha256="", reply=reply)

    def tokens(*steps: ModelStep) -> int:
        trace = Trace(
            vidence="0",
            started_at=0,
            loop="solver_checker",
            given={"question": "Who?", "language": "en"},
            engines={},
            world=WorldCard(),
            steps=steps,
            texts=texts,
        )
        said = AgentAnswer(
            question="Who?", language="en", status="answered", answer="x", confidence_score=5, probability=1
        )
        return cost_of(library, trace, said, counts_cuts(), with_tools=False).tokens

    direct = tokens(step("answer", "asked"))
    assert direct == count_text(texts["asked"]) + count_text(texts["answer"])
    assert tokens(step("read", "asked"), step("answer", "asked", "read")) == direct


def test_an_answer_from_a_tool_cites_its_steps(library: Workspace) -> None:
    past(library)
    induce(library, engine=counts_cuts())
    video = library.indexed_videos()[0].video_id
    told = ask(
        library, [video], "How many cuts are there?", engine=counts_cuts(), with_tools=True, remember=False
    )
    assert (told.passed, told.spent.operations) == (True, 1)
    assert [record.source for record in told.evidence] == ["get_temporal_structure"]


def test_a_model_that_only_reads_can_cite_the_steps_of_a_tool(library: Workspace) -> None:
    text = {
        "tool_name": "looks",
        "description": "Look at the scene at some times.",
        "inputs": {"times": "list"},
        "outputs": {"scenes": {"type": "list", "from": "{{scene}}"}},
        "steps": [
            {
                "for_each": "times",
                "do": {
                    "api": "get_scene_attributes",
                    "params": {"timestamp": "{{item}}"},
                    "save_as": "scene_{{index}}",
                },
            }
        ],
    }
    library.tools.add(parse_tool(json.dumps(text)), "written")
    seen: list[str] = []

    def say(prompt: Prompt) -> Line:
        if isinstance(prompt.variables, CheckerVariables):
            return verdict(5)
        told = prompt.messages[-1].text
        seen.append(told)
        if ids := re.findall(r"(rec_[0-9a-f]{16}) [\d.]+", told):
            claims = [{"text": "It is a scene.", "citations": [{"record_id": one} for one in ids]}]
            return action("answer_question", final_answer="a scene", claims=claims, probability=0.9)
        call = {"operation": "looks", "arguments": {"times": [0.2, 0.4, 0.6]}}
        return action("call_operations", calls=[call])

    video = library.indexed_videos()[0].video_id
    answer = ask(
        library, [video], "What is shown?", engine=ScriptedEngine(say), with_tools=True, remember=False
    )
    assert [one.source for one in answer.evidence] == ["get_scene_attributes"] * 3
    assert answer.claims[0].verdict == "verified"
    assert "get_scene_attributes, 3 times:" in seen[-1]
    assert '"evidence"' not in seen[-1]


def tool(name: str, **changes: Any) -> dict[str, Any]:
    return {
        "tool_name": name,
        "description": "Find something and describe it.",
        "inputs": {"thing": "string"},
        "outputs": {"description": "string"},
        "steps": [
            {"api": "temporal_search", "params": {"query": "{{thing}}"}, "save_as": "found"},
            {
                "api": "describe_visual",
                "params": {"start_time": "{{found[0].start_time}}", "end_time": "{{found[0].end_time}}"},
                "save_as": "seen",
            },
        ],
        **changes,
    }


def proposal(*tools: dict[str, Any], **more: Any) -> str:
    listed = [{"tool": one, "example": {"thing": "a sign"}} for one in tools]
    return f"```json\n{json.dumps({'tools': listed, **more})}\n```"


def told(report: list[Tried]) -> list[tuple[str, bool]]:
    return [(one.name, one.kept) for one in report]


@pytest.mark.parametrize(("language", "words"), [("en", "You write tools"), ("zh", "你为视频智能体编写工具")])
def test_a_proposal_that_checks_and_runs_is_kept(library: Workspace, language: Any, words: str) -> None:
    engine = ScriptedEngine([proposal(tool("find_and_describe"))])
    assert told(propose(library, engine, language=language)) == [("find_and_describe", True)]
    assert library.tools.get("find_and_describe").origin == "proposed"
    (prompt,) = engine.prompts
    assert words in prompt.messages[0].text
    assert "temporal_search" in prompt.messages[0].text


def test_a_mistake_is_sent_back_once_and_corrected(library: Workspace) -> None:
    wrong = tool("describe_it", steps=[{"api": "temporal_search", "params": {"words": "{{thing}}"}}])
    engine = ScriptedEngine([proposal(wrong), proposal(tool("describe_it"))])
    assert told(propose(library, engine)) == [("describe_it", False), ("describe_it", True)]
    again = engine.prompts[1].messages[-1].text
    assert again.startswith("System Error: describe_it: step 1")
    assert "words" in again


def test_what_finds_nothing_or_is_there_already_is_not_kept(library: Workspace) -> None:
    never = tool("never", outputs={"missing": {"type": "string", "from": "{{found[90].description}}"}})
    taken = tool("who_said")
    report = propose(library, ScriptedEngine([proposal(never, taken)] * 3))
    assert not any(one.kept for one in report)
    assert {one.name for one in report} == {"never", "who_said"}


def test_inputs_one_level_too_deep_are_found(library: Workspace) -> None:
    listed = [{"tool": tool("deep"), "example": {"inputs": {"thing": "a sign"}}}]
    assert told(propose(library, ScriptedEngine([json.dumps({"tools": listed})]))) == [("deep", True)]


def test_a_found_tool_is_renamed_and_no_other(library: Workspace) -> None:
    past(library)
    induce(library, engine=counts_cuts())
    named = {
        "tool_name": "get_temporal_structure_alone",
        "new_name": "count_cuts",
        "description": "Count cuts.",
    }
    other = {"tool_name": "who_said", "new_name": "speaker"}
    report = propose(library, ScriptedEngine([proposal(renamed=[named, other])]))
    assert told(report) == [("count_cuts", True), ("who_said", False)]
    entry = library.tools.get("count_cuts")
    assert (entry.tool["description"], entry.origin) == ("Count cuts.", "induced")
    assert "get_temporal_structure_alone" not in library.tools


def test_prose_instead_of_tools_is_one_clear_line(library: Workspace) -> None:
    with pytest.raises(UserError, match="proposed nothing that can be read"):
        propose(library, ScriptedEngine(["I would rather not."] * 4))
