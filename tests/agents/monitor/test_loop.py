"""The monitor's loop over a folder, with the embedded engine and with a scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from vidence.agents.monitor.orchestrator import AgentOrchestrator
from vidence.agents.monitor.phases import TRANSITIONS, check_transition
from vidence.app.runs import LOOPS, TraceFolder, replay_trace
from vidence.app.workspace import Workspace, open_workspace
from vidence.llm.scripted import ScriptedEngine
from vidence.schema.events import OperationAnswered, StepEvent, Thought
from vidence.schema.thought import AgentPhase, ThoughtStep

COMMAND = "Monitor DeepSeek's latest developments"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path / "home") as opened:
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
    orchestrator = AgentOrchestrator(
        lambda command, listener, stop: workspace.monitor(
            command, sources=[str(news)], listener=listener, cancel=stop
        )
    )

    async def collect() -> list[ThoughtStep]:
        return [step async for step in orchestrator.run(COMMAND, heard.append)]

    steps = asyncio.run(collect())
    assert steps == heard
    assert [step.step_id for step in steps] == [f"step_{number:03d}" for number in range(1, len(steps) + 1)]
    assert orchestrator.briefing is not None


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
