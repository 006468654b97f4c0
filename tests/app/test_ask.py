"""Asking about several videos: which are looked at, whose answer is given, what is remembered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.app.conftest import make_sign, need_models
from tests.scripts import action, answer, by_task, verdict
from vidence.app import Workspace, open_workspace
from vidence.app.ask import ask
from vidence.app.memory import open_memory
from vidence.app.runs import TraceFolder
from vidence.errors import MissingFile, UserError
from vidence.llm.scripted import Line, ScriptedEngine
from vidence.prompts import Prompt
from vidence.schema.agent import Budget, CheckerVariables, SolverVariables
from vidence.schema.engine import Capabilities
from vidence.schema.events import RunStarted, StepEvent, Working
from vidence.schema.memory import Memory

ENGLISH, CHINESE = "Where is the sign BAKERY?", "哪里写着 BAKERY？"
ONE_VIDEO = Capabilities(max_videos=1, context_tokens=10**6, sees_pictures=True)


class Solo:
    """An engine that takes one video at a time, with its own reply for each video."""

    def __init__(self, reply: Callable[[str, SolverVariables], Line], score: int = 5) -> None:
        self.asked: list[str] = []
        self._reply, self._score = reply, score
        self.engine = ScriptedEngine(self._say, capabilities=ONE_VIDEO)

    def _say(self, prompt: Prompt) -> Line:
        known = prompt.variables
        if isinstance(known, CheckerVariables):
            return verdict(self._score)
        assert isinstance(known, SolverVariables)
        name = known.videos[0].name.removesuffix(".mp4")
        if name not in self.asked:
            self.asked.append(name)
        return self._reply(name, known)


def sign(name: str, probability: float) -> str:
    """Write the answer that reads a film's own sign."""
    return answer(name.upper(), 1, claim=f"It reads “{name.upper()}”", probability=probability)


def started(events: list[StepEvent]) -> int:
    return sum(isinstance(event, RunStarted) for event in events)


def test_the_most_relevant_video_is_asked_first_and_a_sure_answer_ends_the_search(town: Workspace) -> None:
    solo = Solo(lambda name, known: sign(name, 0.95))
    result = ask(town, None, CHINESE, engine=solo.engine, remember=False)
    assert solo.asked == ["bakery"]
    assert (result.answer, result.passed) == ("BAKERY", True)
    (gap,) = result.gaps
    assert gap.startswith("没有查看：")
    assert gap.count(".mp4") == 3


def test_of_many_videos_the_four_most_relevant_are_looked_at(town: Workspace) -> None:
    solo = Solo(lambda name, known: sign(name, 0.1))
    result = ask(town, None, ENGLISH, engine=solo.engine, remember=False)
    assert len(town.videos()) == 5
    assert len(solo.asked) == len(result.videos) == 4
    assert solo.asked[0] == result.videos[0].name.removesuffix(".mp4") == "bakery"


@pytest.mark.parametrize(
    ("question", "heading"), [(ENGLISH, "Other videos say: "), (CHINESE, "其他视频的结果：")]
)
def test_the_likeliest_answer_is_given_with_those_of_the_other_videos(
    town: Workspace, question: str, heading: str
) -> None:
    solo = Solo(lambda name, known: sign(name, 0.5 if name == "bakery" else 0.2))
    result = ask(town, None, question, engine=solo.engine, remember=False)
    others = [name for name in solo.asked if name != "bakery"]
    assert result.answer == "BAKERY"
    assert result.explanation == "bakery.mp4: BAKERY"
    assert len(others) == 3
    assert result.gaps[-1].startswith(heading)
    assert all(f"{name}.mp4: {name.upper()}" in result.gaps[-1] for name in others)


def test_a_much_surer_answer_of_a_less_relevant_video_wins(town: Workspace) -> None:
    solo = Solo(lambda name, known: sign(name, 0.99 if name == "library" else 0.05))
    result = ask(town, None, ENGLISH, engine=solo.engine, remember=False)
    assert (result.answer, result.explanation) == ("LIBRARY", "library.mp4: LIBRARY")
    library = next(video for video in town.videos() if video.name == "library.mp4")
    assert {record.video_id for record in result.evidence} == {library.video_id}


def test_an_answer_wins_over_surer_words_that_it_cannot_be_told(town: Workspace) -> None:
    def reply(name: str, known: SolverVariables) -> str:
        if name == "bakery":
            return action("answer_question", final_answer="", cannot_tell=True, probability=0.99)
        return sign(name, 0.1)

    solo = Solo(reply, score=4)
    result = ask(town, ["bakery.mp4", "station.mp4"], ENGLISH, engine=solo.engine, remember=False)
    assert (result.status, result.answer) == ("answered", "STATION")


def test_that_nothing_was_found_in_one_video_says_little_about_the_others(town: Workspace) -> None:
    def reply(name: str, known: SolverVariables) -> str:
        if name != "bakery":
            return sign(name, 0.5)
        found = [record.record_id for record in known.records if record.kind == "operation"]
        if not found:
            call = {"operation": "detect_objects", "arguments": {"timestamp": 1.0, "category": "elephant"}}
            return action("call_operations", calls=[call])
        cited = [{"record_id": found[-1]}]
        claims = [{"text": "No elephant is there", "citations": cited}]
        return action("answer_question", final_answer="No elephant", claims=claims, probability=0.8)

    solo = Solo(reply)
    result = ask(town, ["bakery.mp4", "station.mp4"], ENGLISH, engine=solo.engine, remember=False)
    assert sorted(solo.asked) == ["bakery", "station"]
    assert result.answer == "STATION"
    assert any("bakery.mp4: No elephant" in gap for gap in result.gaps)


def test_an_answer_that_did_not_pass_does_not_end_the_search(town: Workspace) -> None:
    solo = Solo(lambda name, known: sign(name, 0.99), score=3)
    ask(town, None, CHINESE, engine=solo.engine, budget=Budget(steps=1), remember=False)
    assert len(solo.asked) == 4


def test_when_the_time_is_up_no_further_video_is_asked(town: Workspace) -> None:
    events: list[StepEvent] = []
    solo = Solo(lambda name, known: sign(name, 0.1))
    result = ask(
        town,
        None,
        ENGLISH,
        engine=solo.engine,
        budget=Budget(seconds=1e-6),
        listener=events.append,
        remember=False,
    )
    assert started(events) == 1
    assert any(gap.startswith("Not looked at: ") and gap.count(".mp4") == 3 for gap in result.gaps)


def test_an_engine_that_takes_several_videos_is_asked_once(town: Workspace) -> None:
    events: list[StepEvent] = []
    engine = by_task([answer("BAKERY", 1)], verdict(5))
    result = ask(town, None, ENGLISH, engine=engine, listener=events.append, remember=False)
    assert started(events) == 1
    assert len(result.videos) == 4
    assert result.videos[0].name == "bakery.mp4"


def test_a_video_named_twice_is_one_video(town: Workspace) -> None:
    video = town.videos()[0]
    engine = by_task([answer("BAKERY", 1)], verdict(5))
    result = ask(town, [video.name, video.video_id, str(video.path)], ENGLISH, engine=engine, remember=False)
    assert [one.video_id for one in result.videos] == [video.video_id]


@pytest.mark.parametrize(
    ("question", "gap"),
    [
        (ENGLISH, "1 videos of the library are not indexed and were not looked at."),
        (CHINESE, "库中有 1 个视频没有建立索引，没有查看。"),
    ],
)
def test_the_library_is_asked_without_what_is_not_indexed(street: Workspace, question: str, gap: str) -> None:
    engine = by_task([answer("BAKERY", 1, claim="It reads “BAKERY”")], verdict(5))
    result = ask(street, None, question, engine=engine, remember=False)
    assert [video.name for video in result.videos] == ["bakery.mp4"]
    assert gap in result.gaps


def test_a_named_video_is_indexed_first_and_that_is_told(street: Workspace, tmp_path: Path) -> None:
    events: list[StepEvent] = []
    engine = by_task([answer("STATION", 1, claim="It reads “STATION”")], verdict(5))
    result = ask(
        street, [str(tmp_path / "station.mp4")], "What does it say?", engine=engine, listener=events.append
    )
    assert result.answer == "STATION"
    assert len(street.indexed_videos()) == 2
    kinds = [type(event) for event in events]
    assert any(isinstance(event, Working) and "station.mp4" in event.what for event in events)
    assert kinds.index(Working) < kinds.index(RunStarted)


def test_a_library_without_an_index_says_what_to_do(tmp_path: Path) -> None:
    with open_workspace(home=tmp_path / "home") as workspace:
        workspace.add(make_sign(tmp_path / "a.mp4", "A"))
        with pytest.raises(UserError, match=r"no indexed videos.*vidence index"):
            ask(workspace, None, ENGLISH, engine=by_task([], ""))


@pytest.mark.parametrize(
    ("videos", "question", "options", "error", "message"),
    [
        ([], ENGLISH, (), UserError, "Name a video"),
        (["bakry.mp4"], ENGLISH, (), MissingFile, "bakry"),
        (["bakery.mp4"], " ？ ", (), UserError, "question is empty"),
        (["bakery.mp4"], ENGLISH, ("only",), UserError, "only one option"),
        (["bakery.mp4"], "x" * 10_001, (), UserError, "10001 characters"),
    ],
)
def test_a_question_that_cannot_be_asked_reaches_no_engine(
    town: Workspace,
    videos: list[str],
    question: str,
    options: tuple[str, ...],
    error: type[UserError],
    message: str,
) -> None:
    engine = by_task([answer("x", 1)], verdict(5))
    with pytest.raises(error, match=message):
        ask(town, videos, question, options=options, engine=engine)
    assert engine.prompts == []


def remembered(workspace: Workspace, video: str) -> list[Memory]:
    book, _ = open_memory(workspace, video, by_meaning=False)
    book.sync()
    return book.rows


def test_an_accepted_answer_is_remembered_with_its_video_and_its_proof(street: Workspace) -> None:
    engine = by_task([answer("BAKERY", 1, claim="它写着“BAKERY”")], verdict(5))
    result = ask(street, ["bakery.mp4"], CHINESE, engine=engine)
    (memory,) = remembered(street, "bakery.mp4")
    assert memory.content == f"{CHINESE} — BAKERY"
    assert (memory.memory_type, memory.source) == ("answer", f"ask {result.trace_id}")
    assert memory.derived_from == ("frame_1",)
    assert memory.metadata["confidence_score"] == 5
    assert remembered(street, "station.mp4") == []


@pytest.mark.parametrize(
    ("line", "score", "remember"),
    [
        (answer("BAKERY", 1), 5, False),
        (answer("BAKERY", 1), 2, True),
        (answer("MUSEUM", 1), 5, True),
        (action("answer_question", final_answer="", cannot_tell=True), 5, True),
    ],
    ids=["not wanted", "not accepted", "not proven", "not told"],
)
def test_other_answers_are_not_remembered(street: Workspace, line: str, score: int, remember: bool) -> None:
    engine = by_task([line], verdict(score))
    ask(street, ["bakery.mp4"], ENGLISH, engine=engine, budget=Budget(steps=2), remember=remember)
    assert remembered(street, "bakery.mp4") == []


def offered(workspace: Workspace, capabilities: Capabilities) -> tuple[dict[str, Any], ...]:
    """Return the operations that an engine is told of, as the trace keeps them."""
    engine = ScriptedEngine([answer("BAKERY", 1), verdict(5)], capabilities=capabilities)
    asked = ask(workspace, ["bakery.mp4"], ENGLISH, engine=engine, budget=Budget(steps=1), remember=False)
    assert asked.trace_id is not None
    given = TraceFolder(workspace.settings.home).find(asked.trace_id).load().given
    return tuple(given["operations"])


def test_a_roomy_engine_is_told_what_the_question_needs_in_full(town: Workspace) -> None:
    cards = {one["name"]: one for one in offered(town, Capabilities(context_tokens=100_000))}
    assert cards["detect_objects"]["line"].startswith("detect_objects(timestamp: number, category?: string")
    assert "video_id" not in cards["detect_objects"]["line"]
    assert 0 < sum(one["is_relevant"] for one in cards.values()) < len(cards) / 2
    assert "write_memory" not in cards


def test_an_engine_with_a_small_context_is_told_all_in_short(town: Workspace) -> None:
    cards = offered(town, Capabilities(context_tokens=19_999))
    assert cards
    assert not any(one["is_relevant"] for one in cards)


def test_a_wrong_call_is_answered_with_the_details_of_the_operation_once(town: Workspace) -> None:
    wrong = action("call_operations", calls=[{"operation": "spatial_relation", "arguments": {"time": 1}}])
    engine = by_task([wrong, wrong, answer("BAKERY", 1)], verdict(5))
    ask(town, ["bakery.mp4"], ENGLISH, engine=engine, budget=Budget(steps=3), remember=False)
    steps = [one.messages for one in engine.prompts if one.task == "solver.step"]
    explained = "entity_id_2: The other entity's id."
    assert explained not in steps[0][0].text
    assert explained in steps[1][-1].text
    assert explained not in steps[2][-1].text


def test_an_engine_that_reads_no_text_is_told_no_schemas(town: Workspace) -> None:
    assert offered(town, Capabilities(reads_text=False)) == ()


def test_a_run_that_may_not_call_operations_says_so_to_its_engine(town: Workspace) -> None:
    engine = by_task([answer("BAKERY", 1)], verdict(5))
    ask(town, ["bakery.mp4"], ENGLISH, engine=engine, may_call_operations=False, remember=False)
    known = engine.prompts[0].variables
    assert isinstance(known, SolverVariables)
    assert known.may_call_operations is False


@pytest.mark.parametrize(
    "question", ["What text is on screen?", "What does the sign say?", "屏幕上写着什么？"]
)
def test_what_is_written_is_told_and_cited(town: Workspace, question: str) -> None:
    result = ask(town, ["bakery.mp4"], question, engine="embedded", remember=False)
    assert (result.status, result.answer.rstrip(".。")) == ("answered", "BAKERY")
    assert [record.source for record in result.evidence] == ["get_notes"]


def test_a_question_that_is_not_understood_cites_nothing(town: Workspace) -> None:
    result = ask(town, ["bakery.mp4"], "asdf qwer zxcv", engine="embedded", remember=False)
    assert (result.status, result.claims, result.evidence) == ("cannot_tell", (), ())
    assert result.explanation == ""
    assert result.probability < 0.1


@pytest.mark.slow
def test_among_signs_the_video_with_the_animal_answers(tmp_path: Path, sample: Path) -> None:
    need_models()
    with open_workspace(home=tmp_path / "home") as workspace:
        for name in ("bakery", "station"):
            workspace.index(make_sign(tmp_path / f"{name}.mp4", name.upper()))
        shown = workspace.add(sample).video.video_id
        workspace.index(sample)
        for question, word in (("What animal is there?", "cat"), ("有什么动物？", "猫")):
            result = ask(workspace, None, question, engine="embedded", remember=False)
            assert word in result.answer.lower()
            assert result.explanation.startswith(f"{sample.name}: ")
            assert {record.video_id for record in result.evidence} == {shown}
