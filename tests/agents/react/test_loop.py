"""ReActAgent: tools by text, graded attempts, refined queries, the best answer, replay to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.knowledge.stories import MILL
from vidence.agents.react.loop import ReActAgent
from vidence.app.runs import TraceFolder
from vidence.app.story import Story
from vidence.app.workspace import Workspace, open_workspace
from vidence.errors import BackendError
from vidence.llm.scripted import ScriptedEngine
from vidence.prompts import Prompt
from vidence.runs.traced import replay
from vidence.schema.agent import AgentAnswer
from vidence.schema.events import Graded, OperationCalled, Refined, StepEvent

CALL = 'Thought: a relation\nAction: find_connection\nAction Input: {"entity1": "Robert", "entity2": "Anne"}'
SEARCH = 'Thought: events\nAction: search_memory(query="Robert returned to Anne")'
GRADE = '{"scores": {"tool_usage": 20, "evidence": 20, "completeness": 20, "citation": 20, "depth": 20}}'
LOW = (
    '{"scores": {"tool_usage": 0, "evidence": 0, "completeness": 0, "citation": 0, "depth": 0}, '
    '"suggestion": "find events"}'
)


@pytest.fixture
def story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Story:
    monkeypatch.setenv("VIDENCE_LLM__TASKS__READER", "embedded")
    text = tmp_path / "mill.txt"
    text.write_text(MILL)
    made = Story("mill", home=tmp_path / "home")
    made.add(text)
    return made


def _ask(
    story: Story, replies: list[str], *, attempts: int = 3, question: str = "How is Robert related to Anne?"
) -> tuple[AgentAnswer, list[StepEvent]]:
    events: list[StepEvent] = []
    answer = story.ask(question, engine=ScriptedEngine(replies), attempts=attempts, listener=events.append)
    return answer, events


def test_a_call_and_a_cited_answer_pass(story: Story) -> None:
    answer, events = _ask(
        story,
        [
            CALL,
            SEARCH,
            "Thought: enough\nAnswer: Robert is Anne's brother [1]. He returned to the mill [2].",
            GRADE,
        ],
    )
    assert answer.passed
    assert [claim.verdict for claim in answer.claims] == ["verified", "verified"]
    assert [event.call.operation for event in events if isinstance(event, OperationCalled)] == [
        "find_connection", "search_memory",
    ]  # fmt: skip


def test_a_search_gets_the_limit_of_its_attempt(story: Story) -> None:
    bad = "Thought: done\nAnswer: Robert is a pirate from Malta."
    replies = [
        SEARCH,
        bad,
        LOW,
        '{"queries": ["Robert sea"]}',
        SEARCH,
        bad,
        LOW,
        '{"queries": ["Robert war"]}',
        SEARCH,
        bad,
        LOW,
    ]
    answer, events = _ask(story, replies)
    limits = [event.call.arguments["limit"] for event in events if isinstance(event, OperationCalled)]
    assert limits == [3, 3, 5]
    assert [event.queries for event in events if isinstance(event, Refined)] == [
        ("Robert sea",),
        ("Robert war",),
    ]
    assert not answer.passed


def test_an_answer_without_proof_never_passes_whatever_the_model_says(story: Story) -> None:
    answer, events = _ask(
        story, [CALL, "Thought: fame\nAnswer: Robert is the son of Napoleon.", GRADE], attempts=1
    )
    grade = next(event.grade for event in events if isinstance(event, Graded))
    assert not answer.passed
    assert grade.scores.evidence == 0
    assert grade.unsupported == ("Robert is the son of Napoleon.",)
    assert not answer.claims


def test_the_best_graded_answer_comes_back(story: Story) -> None:
    good = "Thought: x\nAnswer: Robert Grey had gone to sea [1]."
    worse = "Thought: x\nAnswer: Robert is a pirate from Malta."
    replies = [CALL, good, LOW, '{"queries": ["Robert sea"]}', CALL, worse, LOW]
    answer, events = _ask(story, replies, attempts=2)
    grades = [event.grade.score for event in events if isinstance(event, Graded)]
    assert grades[0] > grades[1]
    assert answer.answer.startswith("Robert Grey had gone to sea")


def test_made_up_observations_are_dropped_and_bad_forms_are_sent_back(story: Story) -> None:
    made_up = f"{CALL}\nObservation: Robert is the king of Spain\nAnswer: He is king."
    answer, events = _ask(
        story,
        ["I will not follow the form", made_up, "Thought: x\nAnswer: Robert is Anne's brother [1].", GRADE],
    )
    assert "king" not in answer.answer
    assert any(event.kind == "failed" for event in events)


def test_an_unknown_tool_or_name_is_an_observation_not_an_end(story: Story) -> None:
    replies = [
        "Thought: x\nAction: fly_away\nAction Input: {}",
        'Thought: x\nAction: lookup_knowledge\nAction Input: {"entity": "Zorro"}',
        CALL,
        "Thought: x\nAnswer: Robert is Anne's brother [1].",
        GRADE,
    ]
    answer, _ = _ask(story, replies)
    assert answer.claims[0].verdict == "verified"


def test_without_a_language_model_the_same_loop_answers(story: Story) -> None:
    answer = story.ask("How is Robert related to Anne?")
    assert "brother" in answer.answer
    assert answer.claims
    assert all(claim.citations for claim in answer.claims)
    assert "does not tell" in story.ask("Who is Zorro?").answer


def test_text_that_reads_like_an_instruction_stays_text(story: Story) -> None:
    answer = story.ask("Who bought the mill?")
    assert "king" not in answer.answer.split("\n")[0]


def test_a_trace_is_replayed_to_the_byte(story: Story, tmp_path: Path) -> None:
    answer = story.ask("How is Robert related to Anne?")
    assert answer.trace_id is not None
    trace = TraceFolder(tmp_path / "home").find(answer.trace_id).load()
    assert replay(trace, ReActAgent).is_identical


def test_the_next_question_sees_the_conversation(story: Story) -> None:
    story.ask("Who is Anne?", keep_context=True)
    asked: list[str] = []

    def script(prompt: Prompt) -> str:
        asked.append(prompt.text)
        return "Thought: x\nAnswer: cannot tell"

    engine = ScriptedEngine(script)
    story.ask("And her brother?", engine=engine, keep_context=True, attempts=1)
    assert "Who is Anne?" in asked[0]


def test_a_workspace_lists_its_stories(tmp_path: Path) -> None:
    from vidence.app.story import list_stories

    with open_workspace(home=tmp_path) as workspace:
        assert isinstance(workspace, Workspace)
        assert list_stories(workspace) == []


def test_a_citation_after_a_blank_and_a_mark_belongs_to_its_sentence(story: Story) -> None:
    said = "Thought: x\nAnswer: Robert Grey had gone to sea . [1]\nAnne's brother returned ! [1, 2]"
    answer, _ = _ask(story, [CALL, SEARCH, said, GRADE])
    assert [len(claim.citations) for claim in answer.claims] == [1, 2]


READ = '{"answer": "in the winter", "notes": [1]}'


def test_the_reader_words_the_answer_before_the_quotations(story: Story) -> None:
    reader = ScriptedEngine([READ])
    answer = story.ask("When did Thomas Grey die?", engines={"reader": reader})
    first, *quoted = answer.answer.splitlines()
    assert first == "in the winter"
    assert "Thomas Grey died in the winter" in " ".join(quoted)
    assert answer.claims[0].citations
    assert "[1] Chapter" in reader.prompts[0].text


@pytest.mark.parametrize("said", ["in 1812", "cannot tell"])
def test_what_the_reader_did_not_read_is_left_out(story: Story, said: str) -> None:
    reader = ScriptedEngine([f'{{"answer": "{said}", "notes": [1]}}'] * 3)
    answer = story.ask("When did Thomas Grey die?", engines={"reader": reader})
    assert said not in answer.answer
    assert "Thomas Grey died in the winter" in answer.answer


def test_a_reader_that_fails_is_named_and_the_quotations_answer(story: Story) -> None:
    broken = ScriptedEngine([BackendError("out of memory")] * 3)
    answer = story.ask("When did Thomas Grey die?", engines={"reader": broken})
    assert "Thomas Grey died in the winter" in answer.answer
    assert any("out of memory" in gap for gap in answer.gaps)


def test_a_follow_up_means_who_was_spoken_of(story: Story) -> None:
    story.ask("Who is Lucy Hale?", keep_context=True)
    answer = story.ask("Who married her?", keep_context=True)
    assert answer.question == "Who married Lucy Hale?"
    assert "Robert married Lucy Hale" in answer.answer
    assert story.ask("Who married her?").question == "Who married her?"


def test_what_was_not_found_is_looked_for_three_times(story: Story) -> None:
    events: list[StepEvent] = []
    answer = story.ask("Which dragon guarded the treasure of the pirates?", listener=events.append)
    limits = [
        event.call.arguments["limit"]
        for event in events
        if isinstance(event, OperationCalled) and event.call.operation == "search_memory"
    ]
    assert limits[0] == 3
    assert limits[-1] == 5
    assert [event.attempt for event in events if isinstance(event, Graded)] == [1, 2, 3]
    assert "does not tell" in answer.answer


def test_every_sentence_of_a_quoted_line_cites_it(story: Story, tmp_path: Path) -> None:
    script = tmp_path / "scene.txt"
    said = [
        "Ann: Hello.",
        "Ben: I sold the red boat. It was old. I am glad of it.",
        "Ann: The boat of father?",
    ]
    script.write_text("\n".join(said * 3))
    scene = Story("scene", home=tmp_path / "home")
    scene.add(script)
    answer = scene.ask("What did Ben do with the red boat?")
    assert answer.answer.startswith("Ben: I sold the red boat. It was old.")
    assert all(claim.citations for claim in answer.claims)
    assert not any("left out" in gap for gap in answer.gaps)


def test_a_name_that_nobody_has_gets_near_ones(story: Story) -> None:
    answer = story.ask("Who is Roberta Grey?")
    assert any("Nobody called 'Roberta Grey'" in gap and "Robert Grey" in gap for gap in answer.gaps)
    assert not any("Nobody called" in gap for gap in story.ask("Who is Robert Grey?").gaps)
