"""The monitor's loop over a folder, with the embedded engine and with a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from vidence.agents.monitor.orchestrator import AgentOrchestrator
from vidence.agents.monitor.phases import TRANSITIONS, check_transition
from vidence.app.runs import LOOPS, TraceFolder, replay_trace
from vidence.app.story import Story
from vidence.app.workspace import Workspace, open_workspace
from vidence.llm.router import Router, Routes
from vidence.llm.scripted import ScriptedEngine
from vidence.prompts import Prompt, Wording
from vidence.prompts.topics import plan_prompt
from vidence.runs.journal import JournaledEngine
from vidence.schema.agent import Budget
from vidence.schema.events import OperationAnswered, StepEvent, Thought
from vidence.schema.message import Message
from vidence.schema.reading import ReaderReply
from vidence.schema.thought import AgentPhase, ThoughtStep
from vidence.schema.topics import TopicPlanVariables
from vidence.settings import load_settings

COMMAND = "Monitor DeepSeek's latest developments"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(
        load_settings(home=tmp_path / "home", llm={"tasks": {"reader": "embedded"}})
    ) as opened:
        yield opened


def thoughts(events: list[StepEvent]) -> list[ThoughtStep]:
    return [event.thought for event in events if isinstance(event, Thought)]


def test_every_statement_stands_word_for_word_in_the_source_it_cites(
    workspace: Workspace, news: Path
) -> None:
    briefing = workspace.monitor(COMMAND, sources=[str(news)]).briefing
    assert briefing.subject == "DeepSeek"
    assert len(briefing.statements) >= 5
    texts = {card.number: Path(card.url.removeprefix("file://")).read_text() for card in briefing.sources}
    for statement in briefing.statements:
        for quote in statement.quotes:
            assert quote.text in texts[quote.source]
    assert not any("roses" in statement.text.lower() for statement in briefing.statements)


def test_the_phases_follow_the_diagram_and_end_completed(workspace: Workspace, news: Path) -> None:
    events: list[StepEvent] = []
    workspace.monitor(COMMAND, sources=[str(news)], listener=events.append)
    phases = [AgentPhase.IDLE, *(step.phase for step in thoughts(events))]
    for old, new in pairwise(phases):
        check_transition(old, new)
    assert phases[-1] == AgentPhase.COMPLETED
    assert {AgentPhase.SEARCHING, AgentPhase.SCRAPING, AgentPhase.EXPANDING, AgentPhase.CRITIQUING} <= set(
        phases
    )


def test_no_transition_leads_out_of_the_ends() -> None:
    assert set(TRANSITIONS) == set(AgentPhase)
    with pytest.raises(ValueError, match="cannot go from completed to planning"):
        check_transition(AgentPhase.COMPLETED, AgentPhase.PLANNING)


def test_nothing_found_is_said_and_nothing_invented(workspace: Workspace, news: Path) -> None:
    briefing = workspace.monitor("Monitor volcanic eruptions in Iceland", sources=[str(news)]).briefing
    assert briefing.statements == ()
    assert any("Nothing was found" in gap for gap in briefing.gaps)


def test_a_second_run_tells_what_changed(workspace: Workspace, news: Path) -> None:
    first = workspace.monitor(COMMAND, sources=[str(news)]).briefing
    assert first.changes is None
    (news / "v4.md").write_text(
        "---\ndate: 2026-03-01\n---\nDeepSeek announced its next model, DeepSeek V4, on 1 March 2026."
    )
    second = workspace.monitor(COMMAND, sources=[str(news)]).briefing
    assert second.changes is not None
    assert any(change.kind == "new" and "V4" in change.text for change in second.changes)
    assert not any("Italy" in change.text and change.kind == "new" for change in second.changes)


def test_what_a_language_model_adds_is_dropped(workspace: Workspace, news: Path) -> None:
    plan = {"subject": "DeepSeek", "sub_tasks": [{"title": "News", "query": "DeepSeek R1 release"}]}

    def reply(prompt: Any) -> str:
        if prompt.task == "monitor.plan":
            return json.dumps(plan)
        if prompt.task == "monitor.extract_keywords":
            return '{"keywords": []}'
        if prompt.task == "monitor.critical_review":
            return '{"doubtful": []}'
        note = next(one for one in prompt.variables.notes if "MIT licence" in one.text)
        said = {
            "text": "DeepSeek released R1 on 20 January 2025 under the MIT licence.",
            "notes": [note.number],
        }
        invented = {"text": "Tim Cook praised the DeepSeek model in 2031.", "notes": [note.number]}
        unknown = {"text": "DeepSeek hired 900 people.", "notes": [999]}
        return json.dumps({"statements": [said, invented, unknown]})

    report = workspace.monitor(COMMAND, sources=[str(news)], engine=ScriptedEngine(reply))
    assert [one.text for one in report.briefing.statements] == [
        "DeepSeek released R1 on 20 January 2025 under the MIT licence."
    ]
    assert any("Tim Cook" in gap for gap in report.briefing.gaps)


def test_a_failing_engine_is_replaced_by_rule_and_named(workspace: Workspace, news: Path) -> None:
    report = workspace.monitor(
        COMMAND, sources=[str(news)], engine=ScriptedEngine(lambda _: "no json at all")
    )
    assert report.briefing.statements
    assert any("monitor.plan" in gap for gap in report.briefing.gaps)


def test_a_run_is_replayed_from_its_trace_to_the_byte(workspace: Workspace, news: Path) -> None:
    report = workspace.monitor(COMMAND, sources=[str(news)])
    assert "monitor" in LOOPS
    assert report.trace_id is not None
    trace = TraceFolder(workspace.settings.home).find(report.trace_id).load()
    replayed = replay_trace(trace)
    assert replayed.is_identical, replayed.difference


def test_the_orchestrator_streams_the_steps(workspace: Workspace, news: Path) -> None:
    heard: list[ThoughtStep] = []
    orchestrator = workspace.orchestrator(sources=[str(news)])
    assert isinstance(orchestrator, AgentOrchestrator)

    async def collect() -> list[ThoughtStep]:
        return [step async for step in orchestrator.run(COMMAND, heard.append)]

    steps = asyncio.run(collect())
    assert steps == heard
    assert [step.step_id for step in steps] == [f"step_{number:03d}" for number in range(1, len(steps) + 1)]
    assert orchestrator.briefing is not None


def test_a_stream_that_is_closed_stops_the_run(workspace: Workspace, news: Path) -> None:
    orchestrator = workspace.orchestrator(sources=[str(news)])

    async def first() -> ThoughtStep:
        stream = orchestrator.run(COMMAND)
        step = await anext(stream)
        await stream.aclose()
        return step

    assert asyncio.run(first()).phase == AgentPhase.PLANNING
    [record] = workspace.store.topics.monitors()
    assert not workspace.store.locks.is_held(record.monitor_id)


def test_a_run_out_of_time_reports_what_it_found(workspace: Workspace, news: Path) -> None:
    events: list[StepEvent] = []

    def stop() -> bool:
        return any(isinstance(one, OperationAnswered) and one.operation == "web_scrape" for one in events)

    report = workspace.monitor(COMMAND, sources=[str(news)], cancel=stop, listener=events.append)
    assert "The run was stopped." in report.briefing.gaps
    assert report.briefing.pages_read == 1
    phases = [AgentPhase.IDLE, *(step.phase for step in thoughts(events))]
    for old, new in pairwise(phases):
        check_transition(old, new)
    assert phases[-1] in (AgentPhase.COMPLETED, AgentPhase.FAILED)


def test_a_reader_sums_up_and_what_it_adds_is_left_out(workspace: Workspace, news: Path) -> None:
    said = "DeepSeek cut the price of its API by up to 75 percent."
    plan = {"subject": "DeepSeek", "sub_tasks": [{"title": "News", "query": "DeepSeek API price"}]}
    asked: list[str] = []

    def reply(prompt: Any) -> str:
        asked.append(prompt.task)
        if prompt.task == "monitor.plan":
            return json.dumps(plan)
        if prompt.task == "monitor.extract_keywords":
            return '{"keywords": []}'
        if prompt.task == "monitor.critical_review":
            return '{"doubtful": []}'
        if prompt.task == "reader.summarise":
            answer = f"{said} Analysts expect that the price will double in 2031."
            return json.dumps({"answer": answer, "notes": [note.number for note in prompt.variables.notes]})
        notes = [one for one in prompt.variables.notes if "75 percent" in one.text]
        return json.dumps({"statements": [{"text": one.text, "notes": [one.number]} for one in notes]})

    report = workspace.monitor(COMMAND, sources=[str(news)], engine=ScriptedEngine(reply))
    assert "reader.summarise" in asked
    [short] = report.briefing.overview
    assert short.text == said
    assert "75 percent" in short.quotes[0].text
    assert "## In short" in report.markdown
    assert said in report.html


def test_every_sub_task_gets_its_share_and_what_is_new_comes_first(
    workspace: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    things = (
        "a phone app for students",
        "its V3 weights",
        "a coder model",
        "tools for banks",
        "maps of Hangzhou",
    )
    for month, thing in enumerate(things, 1):
        (folder / f"new{month}.md").write_text(
            f"---\ndate: 2025-0{month}-01\n---\nDeepSeek announced and released {thing} on that morning."
        )
    (folder / "suit.md").write_text(
        "---\ndate: 2024-05-01\n---\nDeepSeek faces a lawsuit and criticism by regulators in Italy."
    )
    briefing = workspace.monitor(COMMAND, sources=[str(folder)]).briefing
    assert any("lawsuit" in one.text for one in briefing.statements)
    new = [str(one.published) for one in briefing.statements if "released" in one.text]
    assert len(new) >= 3
    assert new == sorted(new, reverse=True)


def test_a_killed_engine_run_keeps_who_answered(tmp_path: Path) -> None:
    kept: dict[str, str] = {}

    class Kept:
        def read(self, entry: str) -> str | None:
            return kept.get(entry)

        def write(self, entry: str, body: str) -> None:
            kept.setdefault(entry, body)

    prompt = Prompt("reader.summarise", (Message(role="user", text="notes"),), ReaderReply())
    first = JournaledEngine(ScriptedEngine(lambda _: "told"), Kept()).answer(prompt)

    def never(_: Any) -> str:
        raise AssertionError("the engine is not asked twice")

    again = JournaledEngine(ScriptedEngine(never), Kept()).answer(prompt)
    assert (again.text, again.engine) == (first.text, first.engine or "scripted")


def test_the_stories_of_a_workspace_are_a_source(workspace: Workspace, tmp_path: Path) -> None:
    book = tmp_path / "lab.txt"
    book.write_text(
        "Chapter 1\n\nAnne Miller built the first engine in a shed behind the mill.\n\n"
        "Chapter 2\n\nAnne Miller sold the engine to the railway company in the spring.\n"
    )
    Story("lab", workspace=workspace).add(book)
    briefing = workspace.monitor("Monitor Anne Miller").briefing
    assert {card.platform for card in briefing.sources} == {"stories"}
    assert any("railway" in statement.text for statement in briefing.statements)
    assert briefing.sources[0].url.startswith("story:lab/")


def test_light_tasks_and_heavy_ones_go_to_their_own_engine(workspace: Workspace, news: Path) -> None:
    plan = {"subject": "DeepSeek", "sub_tasks": [{"title": "News", "query": "DeepSeek R1 release"}]}
    replies = {
        "monitor.plan": json.dumps(plan),
        "monitor.extract_keywords": '{"keywords": []}',
        "monitor.critical_review": '{"doubtful": []}',
        "monitor.synthesis": '{"statements": []}',
        "reader.summarise": '{"answer": "", "notes": []}',
    }
    asked: dict[str, list[str]] = {"light": [], "heavy": []}

    def engine(tier: str) -> ScriptedEngine:
        def reply(prompt: Any) -> str:
            asked[tier].append(prompt.task)
            return replies[prompt.task]

        return ScriptedEngine(reply)

    workspace.monitor(COMMAND, sources=[str(news)], engine=Router(engine("light"), engine("heavy")))
    assert {"monitor.plan", "monitor.extract_keywords"} <= set(asked["light"])
    assert asked["heavy"] == ["monitor.critical_review", "monitor.synthesis"]
    variables = TopicPlanVariables(
        command=COMMAND, language="en", today=date(2025, 1, 1), known=("DeepSeek said so. " * 400,)
    )
    assert Routes().find(plan_prompt(variables, Wording("en"))) == "heavy"


@pytest.mark.parametrize("calls", [1, 2, 3, 4, 5])
def test_a_run_out_of_calls_ends_in_a_briefing_whatever_it_was_doing(
    workspace: Workspace, news: Path, calls: int
) -> None:
    plan = {"subject": "DeepSeek", "sub_tasks": [{"title": "News", "query": "DeepSeek R1 release"}]}
    replies = {
        "monitor.plan": json.dumps(plan),
        "monitor.extract_keywords": '{"keywords": []}',
        "monitor.critical_review": '{"doubtful": []}',
        "reader.summarise": '{"answer": "", "notes": []}',
    }
    events: list[StepEvent] = []
    report = workspace.monitor(
        COMMAND,
        sources=[str(news)],
        engine=ScriptedEngine(lambda prompt: replies.get(prompt.task, "no json")),
        budget=Budget(llm_calls=calls),
        listener=events.append,
    )
    # With one call there is a plan and no time to search.
    assert bool(report.briefing.statements) is (calls > 1)
    assert report.briefing.gaps
    phases = [AgentPhase.IDLE, *(step.phase for step in thoughts(events))]
    for old, new in pairwise(phases):
        check_transition(old, new)
    assert phases[-1] in (AgentPhase.COMPLETED, AgentPhase.FAILED)


def test_a_long_question_finds_what_does_not_repeat_it(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "war"
    folder.mkdir()
    (folder / "a.md").write_text(
        "# Sicily\n\nThe invasion of Sicily in July 1943 was meant to clear the sea lanes for Allied ships."
    )
    question = (
        "In order to accomplish what objective in the Mediterranean, did the British and Americans agree to "
        "launch an invasion of Sicily?"
    )
    [statement] = workspace.monitor(question, sources=[str(folder)]).briefing.statements
    assert "sea lanes" in statement.text
