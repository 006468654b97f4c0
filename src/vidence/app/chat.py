"""A conversation about videos that remembers: across turns, across sessions, and who said what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from vidence.agents.conversation import Turn, resolve
from vidence.agents.planner_executor.loop import PlannerExecutor, planner_engines, planner_input
from vidence.agents.planner_executor.planner import Planner, recalled_notes
from vidence.app.answer import Answer
from vidence.app.ask import ask
from vidence.app.engines import open_engine
from vidence.app.memory import open_conversations, open_memory
from vidence.app.runs import run_loop_in
from vidence.app.workspace import Workspace
from vidence.errors import UserError
from vidence.language.identify import question_language
from vidence.language.question import ChatUtterance, read_question
from vidence.language.tokens import query_terms
from vidence.llm.protocol import Engine
from vidence.memory import MemoryManager
from vidence.memory.relevance import LEAST_RELEVANT, NOTHING_RELEVANT
from vidence.runs.worlds.captions import GivenWorld
from vidence.schema.agent import AgentAnswer, AnswerLanguage, Budget
from vidence.schema.catalogue import VideoRecord
from vidence.schema.chat import ChatReply
from vidence.schema.events import Listener
from vidence.schema.memory import Memory
from vidence.schema.planning import RecalledNote

__all__ = ["Answerer", "Chat", "answered_span"]

Answerer = Callable[[Sequence[str], str, "Listener | None"], AgentAnswer]
"""Answers a question about videos, given by id, from what they show."""

_RETRIEVED, _RECALLED = 6, 3
"""Memories looked at for a question, and shown as recalled."""
_LEAST_RECALLED, _BESIDE_BEST = 0.1, 0.5
"""The least relevance of a memory that is recalled, by itself and as a share of the best one's."""
_USER, _SUMMARY = "user", "conversation_summary"
_SAME_MATTER = 0.4
"""The share of words two statements have in common when one corrects the other."""

_WORDS = {
    "hello": (
        "Ask me about a video, or tell me something to remember.",
        "可以问我关于视频的问题，也可以告诉我要记住的事。",
    ),
    "noted": ("Noted ({0}): you said “{1}”.", "记下了（{0}）：你说“{1}”。"),
    "about_statement": ("{0} (correcting: “{1}”)", "{0}（更正：“{1}”）"),
    "about_answer": (
        "{0} (correcting the answer to “{1}”, which was “{2}”)",
        "{0}（更正对“{1}”的回答，原来的回答是“{2}”）",
    ),
    "corrected": ("Corrected ({0}); before, it was “{1}”.", "已更正（{0}）；之前是“{1}”。"),
}


class Chat:
    """One session; all messages are kept, and a memory is never used as something seen."""

    def __init__(
        self,
        workspace: Workspace,
        videos: Sequence[str] = (),
        *,
        engine: Engine | str | None = None,
        answerer: Answerer | None = None,
        budget: Budget | None = None,
        listener: Listener | None = None,
        by_meaning: bool = True,
    ) -> None:
        self._workspace, self._by_meaning = workspace, by_meaning
        self.videos: list[VideoRecord] = []
        for one in videos:
            self.add_video(one)
        self.engine = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
        self._budget, self.listener = budget, listener
        self._answerer: Answerer = answerer or self._ask
        self.manager, self.note = self._open()
        self._turns: list[Turn] = []
        self._last: Memory | tuple[str, str] | None = None
        """What a correction refers to: the last statement, or the last question and its answer."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def session_id(self) -> str:
        return self.manager.short_memory.session_id

    def add_video(self, reference: str) -> VideoRecord:
        """Add a video to the conversation."""
        record = self._workspace.resolve(reference)
        if all(record.video_id != known.video_id for known in self.videos):
            self.videos.append(record)
        return record

    def say(self, text: str) -> ChatReply:
        """Answer one message of the user and keep both messages."""
        if not text.strip():
            raise UserError("Say something, or /help.")
        utterance = read_question(text).utterance
        match utterance.kind:
            case "question":
                reply = self._answer(utterance.text)
            case "statement" | "correction":
                reply = self._note(utterance)
            case "small_talk":
                reply = self._reply("small_talk", utterance.text, _words("hello", question_language(text)))
        if reply.kind == "small_talk":
            # A greeting is not worth remembering.
            return reply
        return reply.model_copy(update={"turn_id": self._keep(text, reply)})

    def recall(self, query: str | None = None, number: int = 10) -> list[Memory]:
        """Return the memories relevant to a query, or the newest without one."""
        book = self.manager.long_memory.book
        if query is None:
            return book.memories.all(book.scope)[-number:]
        found = book.recall(query, number)
        fitting = [memory for memory, relevance in found.memories if relevance >= LEAST_RELEVANT]
        # A single character is not a term of the index, but may be the query.
        holding = (one for one in reversed(book.memories.all(book.scope)) if query in one.content)
        return fitting or list(holding)[:number]

    def forget(self, memory_id: str) -> Memory:
        """Erase a memory, and the conversation summaries that contain it."""
        book = self.manager.long_memory.book
        memory = book.memories.get(book.scope, memory_id)
        for other in book.memories.all(book.scope):
            if other.memory_type == _SUMMARY and memory.content in other.content:
                book.forget(other.memory_id, reason=f"told of {memory_id}, which was forgotten")
        return book.forget(memory_id)

    def new_session(self) -> str:
        """End this session and begin another; what was said is kept as memory."""
        self.close()
        self.manager, self.note = self._open()
        self._turns, self._last = [], None
        return self.session_id

    def close(self) -> None:
        """Store the open window of the conversation as a memory."""
        self.manager.close_window()
        self.manager.save_state()

    def _open(self) -> tuple[MemoryManager, str | None]:
        engine = self.engine if self.engine.capabilities.reads_text else None
        return open_conversations(self._workspace, by_meaning=self._by_meaning, engine=engine)

    def _answer(self, asked: str) -> ChatReply:
        resolved = resolve(asked, self._turns)
        notes = recalled_notes(self.manager.retrieve_relevant_memories(resolved.question, _RETRIEVED))
        notes = _relevant(notes)
        # A statement says more than a summary that contains it.
        notes = tuple(sorted(notes, key=lambda note: note.memory_type == _SUMMARY))
        answer, from_memory = self._found(resolved.question, notes)
        self._turns.append(Turn(resolved.question, answer.answer, answered_span(answer)))
        self._last = (resolved.question, answer.answer)
        shown = notes if from_memory else (*notes, *self._recalled_of_videos(resolved.question))
        return self._reply(
            "answer",
            asked,
            answer.answer,
            question=resolved.question,
            is_rewritten=resolved.is_rewritten,
            recalled=shown[:_RECALLED],
            from_memory=from_memory,
            answer=Answer.of(answer, self._workspace),
        )

    def _found(self, question: str, notes: Sequence[RecalledNote]) -> tuple[AgentAnswer, bool]:
        """Ask the videos; or memory, if there is no video or the question is about the conversation."""
        if not self.videos or (notes and read_question(question).is_about_the_talk):
            told = self._ask_memory(question)
            if told.status == "answered" or not self.videos:
                return told, True
        shown = self._answerer([video.video_id for video in self.videos], question, self.listener)
        if shown.status != "answered" and notes:
            told = self._ask_memory(question)
            if told.status == "answered" and told.claims:
                return told, True
        return shown, False

    def _ask(self, videos: Sequence[str], question: str, listener: Listener | None) -> AgentAnswer:
        return ask(
            self._workspace,
            videos,
            question,
            engine=self.engine,
            budget=self._budget,
            listener=listener,
        )

    def _ask_memory(self, question: str) -> AgentAnswer:
        """Answer from memory alone, each claim citing the memory it rests on."""
        planner = Planner(self.engine, memory_manager=self.manager)
        return run_loop_in(
            self._workspace,
            PlannerExecutor,
            planner_input(planner, question, budget=self._budget or Budget(steps=3)),
            GivenWorld(()),
            planner_engines(planner),
        )

    def _recalled_of_videos(self, question: str) -> tuple[RecalledNote, ...]:
        """Return earlier answers about these videos that are relevant to the question."""
        found: list[RecalledNote] = []
        for video in self.videos:
            book, _ = open_memory(self._workspace, video.video_id, by_meaning=self._by_meaning)
            recalled = book.recall(question, _RECALLED)
            if recalled.found.answerable < NOTHING_RELEVANT:
                continue
            # The answer to this very question has just been stored there; it is not an earlier memory.
            found += [
                _note_of(memory, relevance)
                for memory, relevance in recalled.memories
                if relevance >= NOTHING_RELEVANT and not memory.content.startswith(question)
            ]
        return tuple(found)

    def _note(self, utterance: ChatUtterance) -> ChatReply:
        """Store the user's statement as their words, never as something seen in a video."""
        language = question_language(utterance.text)
        told = utterance.text
        if utterance.kind == "correction":
            wrong = self._corrected(told)
            if wrong is not None:
                book = self.manager.long_memory.book
                content = self._in_context(told, wrong.content, language)
                memory = book.correct(wrong.memory_id, content, reason="corrected by the user")
                text = _words("corrected", language, memory.memory_id, wrong.content)
                self._last = memory
                return self._reply("corrected", told, text, memory_id=memory.memory_id)
            if isinstance(self._last, tuple):
                told = _words("about_answer", language, told, *self._last)
        memory = self.manager.long_memory.add_memory(
            told,
            "observation",
            {
                "speaker": _USER,
                "source": f"said by the user in {self.session_id}",
                "session_id": self.session_id,
                **({"importance": 0.9} if utterance.is_urgent else {}),
            },
        )
        self._last = memory
        text = _words("noted", language, memory.memory_id, told)
        return self._reply("noted", utterance.text, text, memory_id=memory.memory_id)

    def _in_context(self, text: str, wrong: str, language: AnswerLanguage) -> str:
        """Return a correction that can be understood alone: with what it corrects, unless it repeats that."""
        said, meant = set(query_terms(text)), set(query_terms(wrong))
        if len(said & meant) >= _SAME_MATTER * len(meant):
            return text
        return _words("about_statement", language, text, wrong)

    def _corrected(self, text: str) -> Memory | None:
        """Return the user's earlier statement that this one corrects: on the same matter, or the last one."""
        asked = set(query_terms(text))
        recalled = self.manager.long_memory.book.recall(
            text, 3, keep=lambda memory: memory.speaker == _USER and memory.state == "active"
        )
        for memory, _ in recalled.memories:
            shared = asked & set(query_terms(memory.content))
            if len(shared) >= _SAME_MATTER * max(len(asked), 1):
                return memory
        return None if isinstance(self._last, tuple) else self._last

    def _reply(self, kind: str, said: str, text: str, **more: object) -> ChatReply:
        return ChatReply.model_validate(
            {
                "kind": kind,
                "said": said,
                "text": text,
                "language": question_language(said),
                "session_id": self.session_id,
                **more,
            }
        )

    def _keep(self, text: str, reply: ChatReply) -> str:
        turn = self.manager.add_message(_USER, text)
        self.manager.add_message("assistant", reply.text)
        return turn["turn_id"]


def answered_span(answer: AgentAnswer) -> tuple[float, float] | None:
    """Return the span of the answer's evidence, unless it is nearly the whole video."""
    lengths = {video.video_id: video.duration_s for video in answer.videos}
    records = {record.record_id: record for record in answer.evidence}
    for claim in answer.claims:
        for citation in claim.citations:
            record = records.get(citation.record_id)
            if citation.start_time is not None:
                return citation.start_time, citation.end_time or citation.start_time
            if record is None or record.span is None:
                continue
            start, end = record.span.start_time, record.span.end_time
            if end - start < 0.9 * lengths.get(record.video_id or "", float("inf")):
                return start, end
    return None


def _relevant(notes: Sequence[RecalledNote]) -> tuple[RecalledNote, ...]:
    """Return the memories that are relevant themselves, and no summary that repeats one of them."""
    best = max((note.relevance for note in notes), default=0.0)
    near = [note for note in notes if note.relevance >= max(_LEAST_RECALLED, _BESIDE_BEST * best)]
    told = [note.content for note in near if note.memory_type != _SUMMARY]
    return tuple(
        note
        for note in near
        if note.memory_type != _SUMMARY or not any(content in note.content for content in told)
    )


def _note_of(memory: Memory, relevance: float) -> RecalledNote:
    return RecalledNote(
        memory_id=memory.memory_id,
        content=memory.content,
        memory_type=memory.memory_type,
        speaker=memory.speaker,
        said_at=memory.said_at,
        relevance=round(relevance, 3),
    )


def _words(name: str, language: AnswerLanguage, *values: str) -> str:
    """Return a phrase with its values."""
    text = _WORDS[name][language == "zh"]
    for place, value in enumerate(values):
        text = text.replace(f"{{{place}}}", value)
    return text
