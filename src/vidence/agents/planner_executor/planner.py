"""The planner: takes a query apart, chooses the next tool, and words the output from what was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from vidence.errors import FileProblem, UserError
from vidence.language.identify import question_language
from vidence.llm.ask import Answered, ask_for
from vidence.llm.protocol import Engine
from vidence.llm.structured import InvalidReply, parse_reply
from vidence.memory import MemoryManager
from vidence.prompts import Wording
from vidence.prompts.build import build_final_output_prompt, build_query_analysis_prompt
from vidence.schema.agent import VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.memory import RetrievalResult
from vidence.schema.message import EncodedPicture
from vidence.schema.planning import FinalOutput, PlanVariables, QueryAnalysis, RecalledNote, ToolCard

__all__ = ["Image", "Planner", "Sight", "read_pictures", "recalled_notes", "shown_to"]

Image = str | Path | bytes | EncodedPicture | Sequence["str | Path | bytes | EncodedPicture"] | None
"""A picture as a path, as bytes or encoded, several of them, or none."""
Sight = Callable[[EncodedPicture], str]
"""Puts a picture into words, for engines that cannot see."""

_MEMORIES = 5
_ATTEMPTS = 2
_LINES = re.compile(
    r"(?:context|上下文|背景)\W*[:：](?P<context>.*?)(?:sub[- ]?goal|子目标)\W*[:：](?P<goal>.*?)"
    r"(?:tool(?:[ _-]?name)?|工具(?:名称?)?)\W*[:：]\s*(?P<tool>[^\n]+)",
    re.IGNORECASE | re.DOTALL,
)


class Planner:
    """Query, pictures and relevant memories → context, sub-goal, tool; then what was found → output."""

    def __init__(
        self,
        llm_engine: Engine,
        llm_engine_fixed: Engine | None = None,
        memory_manager: MemoryManager | None = None,
        *,
        tools: Sequence[ToolCard] = (),
        videos: Sequence[VideoCard] = (),
        see: Sight | None = None,
        templates: Path | None = None,
    ) -> None:
        self.llm_engine = llm_engine
        self.llm_engine_fixed = llm_engine_fixed or llm_engine
        self.memory_manager = memory_manager
        self.tools, self.videos = tuple(tools), tuple(videos)
        self._see, self._templates = see, templates

    def analyze_query(
        self,
        question: str,
        image: Image = None,
        relevant_memories: Sequence[RetrievalResult] | None = None,
    ) -> str:
        """Return the analysis of a query as text: the thinking, then context, sub-goal and tool as JSON.

        The query becomes a message of the conversation.
        """
        pictures = read_pictures(image)
        plan = self.variables(question, pictures, relevant_memories)
        self.record_query(question)
        return self.analyze(plan, pictures).text

    def generate_direct_output(
        self,
        question: str,
        image: Image = None,
        memory: Sequence[EvidenceRecord] = (),
        relevant_memories: Sequence[RetrievalResult] | None = None,
    ) -> str:
        """Return the answer to a query from what was found (`memory`) and recalled."""
        pictures = read_pictures(image)
        plan = self.variables(question, pictures, relevant_memories)
        plan = plan.model_copy(update={"records": tuple(memory)})
        self.record_query(question)
        answer = self.final_output(plan, pictures).answer
        self.record_answer(answer)
        return answer

    def record_query(self, question: str) -> None:
        """Add a query to the conversation, once for all that is done to answer it."""
        if self.memory_manager is None:
            return
        last = self.memory_manager.short_memory.get_recent(1)
        if not last or (last[0]["role"], last[0]["content"]) != ("user", question.strip()):
            self.memory_manager.add_message("user", question.strip())

    def record_answer(self, answer: str) -> None:
        """Add what was answered to the conversation."""
        if self.memory_manager is not None and answer.strip():
            self.memory_manager.add_message("assistant", answer)

    def extract_context_subgoal_and_tool(self, response: str | QueryAnalysis) -> tuple[str, str, str]:
        """Return the context, the sub-goal and the tool an analysis names, as JSON or as plain lines."""
        if isinstance(response, QueryAnalysis):
            return response.context, response.sub_goal, response.tool_name
        try:
            found = parse_reply(response, QueryAnalysis).value
            return found.context, found.sub_goal, found.tool_name
        except InvalidReply:
            matches = list(_LINES.finditer(response))
            if not matches:
                raise
        match = matches[-1]
        tool = re.sub(r"[*`'\"。.]+", "", match["tool"]).strip()
        return match["context"].strip(" *\n"), match["goal"].strip(" *\n"), tool

    def variables(
        self,
        question: str,
        image: Image = None,
        relevant_memories: Sequence[RetrievalResult] | None = None,
    ) -> PlanVariables:
        """Return what is known at the start: the tools, the videos, the pictures and what is recalled."""
        if not question.strip():
            raise UserError("The question is empty. Ask something.")
        pictures = read_pictures(image)
        return PlanVariables(
            question=question.strip(),
            language=question_language(question),
            tools=self.tools,
            videos=self.videos,
            pictures=tuple(self._see(one) if self._see is not None else "" for one in pictures),
            memories=self._recalled(question, relevant_memories),
        )

    def wording(self, language: str) -> Wording:
        """Return the templates of a run, the user's own before ours."""
        return Wording(language, overrides=self._templates)

    def analyze(
        self, plan: PlanVariables, pictures: Sequence[EncodedPicture] = ()
    ) -> Answered[QueryAnalysis]:
        """Return the next step and the reply it was given in."""
        engine = self.llm_engine
        prompt = build_query_analysis_prompt(
            plan, shown_to(engine, pictures), wording=self.wording(plan.language)
        )
        return ask_for(engine, prompt, QueryAnalysis, attempts=_ATTEMPTS)

    def final_output(self, plan: PlanVariables, pictures: Sequence[EncodedPicture] = ()) -> FinalOutput:
        """Return the answer with its claims; the fixed engine words it."""
        engine = self.llm_engine_fixed
        prompt = build_final_output_prompt(
            plan, shown_to(engine, pictures), wording=self.wording(plan.language)
        )
        return ask_for(engine, prompt, FinalOutput, attempts=_ATTEMPTS).value

    def _recalled(self, question: str, given: Sequence[RetrievalResult] | None) -> tuple[RecalledNote, ...]:
        if given is None and self.memory_manager is not None:
            given = self.memory_manager.retrieve_relevant_memories(question, _MEMORIES)
        return recalled_notes(given or ())


def read_pictures(image: Image) -> tuple[EncodedPicture, ...]:
    """Return the pictures meant; a file that cannot be read is named."""
    if image is None:
        return ()
    if isinstance(image, str | Path | bytes | EncodedPicture):
        return (_picture(image),)
    return tuple(_picture(one) for one in image)


def shown_to(engine: Engine, pictures: Sequence[EncodedPicture]) -> tuple[EncodedPicture, ...]:
    """Return the pictures for an engine that sees, none for one that does not."""
    return tuple(pictures) if engine.capabilities.sees_pictures else ()


def recalled_notes(results: Iterable[RetrievalResult]) -> tuple[RecalledNote, ...]:
    """Return retrieved memories as a planner is shown them."""
    return tuple(_note(one) for one in results)


def _note(one: RetrievalResult) -> RecalledNote:
    metadata: dict[str, Any] = one["metadata"]
    return RecalledNote(
        memory_id=str(metadata.get("memory_id") or f"mem_{one['index'] + 1:03d}"),
        content=one["content"],
        memory_type=str(metadata.get("memory_type") or metadata.get("type") or "observation"),
        speaker=metadata.get("speaker"),
        said_at=metadata.get("said_at"),
        relevance=float(metadata.get("relevance") or 0.0),
    )


def _picture(image: str | Path | bytes | EncodedPicture) -> EncodedPicture:
    if isinstance(image, EncodedPicture):
        return image
    if isinstance(image, bytes):
        return EncodedPicture.from_bytes(image)
    try:
        return EncodedPicture.from_bytes(Path(image).read_bytes(), name=str(image))
    except OSError as exc:
        raise FileProblem(f"The picture {str(image)!r} cannot be read: {exc.strerror}.") from exc
