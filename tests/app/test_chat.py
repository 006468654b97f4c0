"""A conversation that remembers, follows up, and keeps what was told apart from what is seen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from vidence.app import Workspace, open_workspace
from vidence.app.chat import Answerer, Chat
from vidence.app.memory import open_memory
from vidence.errors import UnknownName, UserError
from vidence.llm.scripted import ScriptedEngine
from vidence.prompts import Prompt
from vidence.schema.agent import AgentAnswer, AnswerStatus, VideoCard
from vidence.schema.events import Listener
from vidence.schema.evidence import CheckedClaim, Citation, EvidenceRecord, hash_of
from vidence.schema.time import TimeRange

# Words alone find what is told here, and no model has to be loaded.
Talk = partial(Chat, by_meaning=False)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(home=tmp_path) as opened:
        yield opened


def saying(answers: dict[str, str], asked: list[str], status: AnswerStatus = "answered") -> Answerer:
    """Return an answerer that knows some answers, each proven by seconds 3 to 7."""

    def answer(videos: Sequence[str], question: str, listener: Listener | None) -> AgentAnswer:
        asked.append(question)
        text = next((answers[key] for key in answers if key in question), "")
        record = EvidenceRecord(
            record_id="rec_1",
            kind="operation",
            source="detect_objects",
            video_id=videos[0],
            span=TimeRange(start_time=3.0, end_time=7.0),
            result=text,
            result_hash=hash_of(text),
        )
        claim = CheckedClaim(text=text, verdict="verified", citations=(Citation(record_id="rec_1"),))
        return AgentAnswer(
            question=question,
            language="en",
            status=status if text else "cannot_tell",
            answer=text or "It cannot be told.",
            confidence_score=4,
            probability=0.8,
            claims=(claim,) if text else (),
            evidence=(record,) if text else (),
            videos=(VideoCard(video_id=videos[0], name="sample", duration_s=54.6),),
        )

    return answer


def test_what_is_told_is_confirmed_and_recalled_in_another_session(workspace: Workspace) -> None:
    first = Talk(workspace)
    noted = first.say("my dog is called Rex")
    assert (noted.kind, noted.memory_id) == ("noted", "mem_001")
    assert "my dog is called Rex" in noted.text
    first.close()
    second = Talk(workspace)
    assert second.session_id != first.session_id
    reply = second.say("What is my dog called?")
    assert reply.text.startswith("Your dog is called Rex. You told me on ")
    assert reply.from_memory
    assert reply.recalled[0].memory_id == "mem_001"
    assert reply.answer is not None
    assert [record.record_id for record in reply.answer.evidence] == ["mem_001"]


def test_what_is_told_in_chinese_is_told_back_in_chinese(workspace: Workspace) -> None:
    talk = Talk(workspace)
    assert talk.say("我对花生过敏").text.startswith("记下了")
    assert talk.say("我对什么过敏？").text.startswith("你对花生过敏。你在")


def test_nothing_is_made_up_where_nothing_was_told(workspace: Workspace) -> None:
    talk = Talk(workspace)
    talk.say("my dog is called Rex")
    reply = talk.say("What is the capital of my country?")
    assert reply.answer is not None
    assert reply.answer.status == "cannot_tell"


def test_a_correction_replaces_what_was_told(workspace: Workspace) -> None:
    talk = Talk(workspace)
    talk.say("my dog is called Rex")
    corrected = talk.say("No, my dog is called Max")
    assert (corrected.kind, corrected.memory_id) == ("corrected", "mem_002")
    talk.close()
    assert "Max" in Talk(workspace).say("What is my dog called?").text
    book, _ = open_memory(workspace, by_meaning=False)
    assert [memory.content for memory in book.history("mem_002")] == [
        "my dog is called Max",
        "my dog is called Rex",
    ]


def test_follow_ups_are_completed_from_the_turn_before(workspace: Workspace, sample: Path) -> None:
    asked: list[str] = []
    talk = Talk(workspace, [str(sample)], answerer=saying({"cat": "a grey cat", "after": "It runs."}, asked))
    talk.say("Is there a cat?")
    reply = talk.say("and after that?")
    assert asked[-1] == "What happens after 7 seconds?"
    assert (reply.is_rewritten, reply.question) == (True, asked[-1])
    talk.say("那只猫是什么颜色的？")
    talk.say("它在哪里？")
    assert asked[-1] == "猫在哪里？"


def test_what_the_user_says_is_never_an_observation_of_the_video(workspace: Workspace, sample: Path) -> None:
    talk = Talk(workspace, [str(sample)], answerer=saying({}, []))
    talk.say("The cat in this video belongs to Anna")
    book, _ = open_memory(workspace, talk.videos[0].video_id, by_meaning=False)
    assert book.memories.all(book.scope) == []
    general, _ = open_memory(workspace, by_meaning=False)
    (kept,) = general.memories.all(general.scope)
    assert (kept.speaker, kept.time_range) == ("user", None)
    assert kept.source.startswith("said by the user")


def test_recalled_words_are_not_written_again(workspace: Workspace) -> None:
    talk = Talk(workspace)
    talk.say("my dog is called Rex")
    for _ in range(4):
        talk.say("What is my dog called?")
    talk.close()
    book, _ = open_memory(workspace, by_meaning=False)
    kept = book.memories.all(book.scope)
    assert [memory.memory_id for memory in kept if memory.memory_type == "observation"] == ["mem_001"]
    assert {memory.memory_type for memory in kept[1:]} == {"conversation_summary"}


def test_a_question_about_the_user_goes_to_memory_before_the_video(
    workspace: Workspace, sample: Path
) -> None:
    asked: list[str] = []
    talk = Talk(workspace, [str(sample)], answerer=saying({"": "something in the video"}, asked))
    talk.say("my favourite colour is blue")
    assert "blue" in talk.say("What is my favourite colour?").text
    assert asked == []


def test_memory_helps_out_where_the_video_cannot_tell(workspace: Workspace, sample: Path) -> None:
    talk = Talk(workspace, [str(sample)], answerer=saying({}, []))
    talk.say("The cat belongs to Anna")
    reply = talk.say("Whom does the cat belong to?")
    assert reply.from_memory
    assert "Anna" in reply.text


def test_small_talk_leaves_nothing_behind(workspace: Workspace) -> None:
    talk = Talk(workspace)
    assert talk.say("你好").kind == "small_talk"
    talk.say("thanks!")
    talk.close()
    assert talk.recall() == []


def test_forgetting_reaches_the_summaries_too(workspace: Workspace) -> None:
    talk = Talk(workspace)
    talk.say("my dog is called Rex")
    talk.close()
    talk.forget("mem_001")
    assert talk.recall() == []
    with pytest.raises(UnknownName, match="mem_999"):
        talk.forget("mem_999")


def test_a_new_session_leaves_follow_ups_behind_and_keeps_memories(
    workspace: Workspace, sample: Path
) -> None:
    asked: list[str] = []
    talk = Talk(workspace, [str(sample)], answerer=saying({"cat": "a grey cat"}, asked))
    talk.say("Is there a cat?")
    before = talk.session_id
    assert talk.new_session() != before
    talk.say("and after that?")
    assert asked[-1] == "and after that?"
    assert any(memory.session_id == before for memory in talk.recall())


def test_without_the_embedder_the_talk_says_so(workspace: Workspace) -> None:
    assert "words alone" in (Talk(workspace).note or "")


def test_a_language_model_analyses_and_answers_from_memory_with_citations(workspace: Workspace) -> None:
    def model(prompt: Prompt) -> str:
        match prompt.task:
            case "content.analyze":
                return json.dumps({"importance": 0.95, "keywords": ["dog", "Rex"]})
            case "planner.analyze":
                return json.dumps({"sub_goal": "answer", "tool_name": "final_output"})
            case "planner.final_output":
                claim = {"text": "The dog is called Rex.", "citations": [{"record_id": "mem_001"}]}
                return json.dumps({"answer": "Rex, as you told me.", "claims": [claim]})
            case _:
                return json.dumps({"confidence_score": 5, "feedback": ""})

    engine = ScriptedEngine(model)
    talk = Talk(workspace, engine=engine)
    talk.say("my dog is called Rex")
    reply = talk.say("What is my dog called?")
    assert reply.text == "Rex, as you told me."
    assert reply.answer is not None
    assert reply.answer.passed
    assert [record.record_id for record in reply.answer.evidence] == ["mem_001"]
    kept = talk.recall()[0]
    assert (kept.importance, kept.metadata["analysis"]["method"]) == (0.95, "llm")


def test_a_model_that_cites_what_was_never_told_is_not_believed(workspace: Workspace) -> None:
    def model(prompt: Prompt) -> str:
        if prompt.task == "planner.final_output":
            claim = {"text": "The dog is called Fido.", "citations": [{"record_id": "mem_001"}]}
            return json.dumps({"answer": "Fido", "claims": [claim]})
        if prompt.task == "checker.evaluate":
            return json.dumps({"confidence_score": 5, "feedback": ""})
        return json.dumps({"sub_goal": "answer", "tool_name": "final_output"})

    talk = Talk(workspace, engine=ScriptedEngine(model))
    talk.say("my dog is called Rex")
    answer = talk.say("What is my dog called?").answer
    assert answer is not None
    assert not answer.passed
    assert answer.gaps


def test_empty_words_are_refused(workspace: Workspace) -> None:
    with pytest.raises(UserError, match="help"):
        Talk(workspace).say("   ")


@pytest.mark.slow
def test_with_the_embedder_what_was_told_is_found_across_languages(tmp_path: Path) -> None:
    with open_workspace(home=tmp_path) as workspace:
        talk = Chat(workspace)
        if talk.note:
            pytest.skip(talk.note)
        talk.say("my dog is called Rex")
        assert "Rex" in talk.say("我的狗叫什么？").text


def test_a_short_correction_is_kept_with_what_it_corrects(workspace: Workspace) -> None:
    talk = Talk(workspace)
    talk.say("Remember: the meeting with Anna is on Monday")
    corrected = talk.say("No, on Tuesday")
    assert corrected.kind == "corrected"
    (kept,) = talk.recall("meeting with Anna")
    assert "Tuesday" in kept.content
    assert "meeting with Anna" in kept.content


def test_a_correction_of_an_answer_is_kept_with_the_question(workspace: Workspace, sample: Path) -> None:
    talk = Talk(workspace, [str(sample)], answerer=saying({"cup": "The cup is red."}, []))
    talk.say("What colour is the cup?")
    talk.say("No, it is orange")
    kept = talk.recall("colour of the cup")
    assert any("orange" in one.content and "What colour is the cup?" in one.content for one in kept)


def test_only_relevant_memories_are_recalled(workspace: Workspace) -> None:
    talk = Talk(workspace)
    for told in ("My dog is called Rex", "My car is a blue Volvo", "I was born in Lyon in 1990"):
        talk.say(f"Remember: {told}")
    reply = talk.say("What is my dog called?")
    assert [note.content for note in reply.recalled] == ["My dog is called Rex"]
