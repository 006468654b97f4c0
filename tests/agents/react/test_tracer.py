"""AgentTracer writes a run in the seed's form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.knowledge.stories import MILL
from vidence.app.story import Story
from vidence.llm.scripted import ScriptedEngine

CALL = 'Thought: a search\nAction: search_memory\nAction Input: {"query": "Robert"}'
LOW = '{"scores": {"tool_usage": 0, "evidence": 0, "completeness": 0, "citation": 0, "depth": 0}}'


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    monkeypatch.setenv("VIDENCE_LLM__TASKS__READER", "embedded")
    (tmp_path / "mill.txt").write_text(MILL)
    made = Story("mill", home=tmp_path / "home")
    made.add(tmp_path / "mill.txt")
    return made


def test_attempts_hold_calls_thoughts_grading_and_refiner(story: Story) -> None:
    bad = "Thought: guess\nAnswer: A pirate from Malta."
    replies = [CALL, bad, LOW, '{"queries": ["Robert sea"]}', CALL, bad, LOW]
    answer = story.ask("What is Robert?", engine=ScriptedEngine(replies), attempts=2)
    assert answer.trace_id is not None
    path = story.trace(answer.trace_id)
    body = json.loads(path.read_text(encoding="utf-8"))
    assert path.parent.name == "traces"
    assert path.stem == body["trace_id"]
    assert (body["query"], body["passed"], len(body["attempts"])) == ("What is Robert?", False, 2)
    first = body["attempts"][0]
    assert first["limit"] == 3
    assert first["tool_calls"][0]["tool"] == "search_memory"
    assert first["reasoning"]["thoughts"] == ["a search", "guess"]
    assert "Observation:" in first["reasoning"]["raw_stream"]
    assert first["grading"]["output"]["passed"] is False
    assert first["refiner"]["queries"] == ["Robert sea"]
    assert first["grading"]["input"]["answer"] == "A pirate from Malta."
    assert set(first["durations_ms"]) == {"agent", "grader", "refiner"}
    assert body["config"]["max_retries"] == 2
    assert set(body["config"]) == {"agent_model", "grader_model", "refiner_model", "max_retries"}


def test_a_reply_in_no_form_stays_in_its_attempt(story: Story) -> None:
    bad = "Thought: guess\nAnswer: A pirate from Malta."
    replies = ["I do not know.", CALL, bad, LOW, '{"queries": ["Robert sea"]}', CALL, bad, LOW]
    answer = story.ask("What is Robert?", engine=ScriptedEngine(replies), attempts=2)
    body = json.loads(story.trace(answer.trace_id or "").read_text(encoding="utf-8"))
    assert [one["reasoning"]["thoughts"] for one in body["attempts"]] == [["a search", "guess"]] * 2


def test_the_graph_is_exported_in_three_forms(story: Story) -> None:
    assert "<graphml" in story.export("graphml")
    assert json.loads(story.export("jsonld"))["@context"] == "https://schema.org"
    picture = story.export("svg", around="Anne")
    assert picture.startswith("<svg")
    assert "Anne" in picture
    assert picture == story.export("svg", around="Anne"), "the same graph gives the same picture"
