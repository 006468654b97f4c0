"""The planner: takes a query apart, chooses the next tool, and words the output from what was found."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from vidence.agents.planner_executor.formatters import recalled_notes
from vidence.errors import FileProblem, UserError
from vidence.language.identify import question_language
from vidence.llm.protocol import Engine
from vidence.llm.structured import InvalidReply, parse_reply
from vidence.memory import MemoryManager
from vidence.prompts.final_output import build_final_output_prompt
from vidence.prompts.query_analysis import build_query_analysis_prompt
from vidence.runs.ask import Called, ask_structured
from vidence.schema.agent import VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.memory import RetrievalResult
from vidence.schema.message import ImageFormat, Picture
from vidence.schema.planning import FinalOutput, PlanVariables, QueryAnalysis, RecalledNote, ToolCard

__all__ = ["Image", "Planner", "Sight", "read_pictures"]

Image = str | Path | bytes | Picture | Sequence["str | Path | bytes | Picture"] | None
"""A picture as a path, as bytes or encoded, several of them, or none."""
Sight = Callable[[Picture], str]
"""Puts a picture into words, for engines that cannot see."""

_MEMORIES = 5
_LINES = re.compile(
    r"(?:context|上下文|背景)\W*[:：](?P<context>.*?)(?:sub[- ]?goal|子目标)\W*[:：](?P<goal>.*?)"
    r"(?:tool(?:[ _-]?name)?|工具(?:名称?)?)\W*[:：]\s*(?P<tool>[^\n]+)",
    re.IGNORECASE | re.DOTALL,
)
_FORMATS: tuple[tuple[bytes, ImageFormat], ...] = (
    (b"\xff\xd8", "image/jpeg"),
    (b"\x89PNG", "image/png"),
    (b"RIFF", "image/webp"),
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
        """Return the analysis of a query as text: the thinking, then context, sub-goal and tool as JSON."""
        plan = self.variables(question, image, relevant_memories)
        return self.analyze(plan, read_pictures(image))[1]

    def generate_direct_output(
        self,
        question: str,
        image: Image = None,
        memory: Sequence[EvidenceRecord] = (),
        relevant_memories: Sequence[RetrievalResult] | None = None,
    ) -> str:
        """Return the answer to a query from what was found (`memory`) and recalled."""
        plan = self.variables(question, image, relevant_memories)
        plan = plan.model_copy(update={"records": tuple(memory)})
        return self.final_output(plan, read_pictures(image)).answer

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

    def analyze(
        self,
        plan: PlanVariables,
        pictures: Sequence[Picture] = (),
        *,
        called: Called | None = None,
        timeout_s: float | None = None,
    ) -> tuple[QueryAnalysis, str]:
        """Return the next step and the text it was given in."""
        shown = pictures if self.llm_engine.capabilities.sees_pictures else ()
        prompt = build_query_analysis_prompt(plan, shown, overrides=self._templates)
        parsed, text = ask_structured(
            self.llm_engine, prompt, QueryAnalysis, called=called, timeout_s=timeout_s
        )
        return parsed.value, text

    def final_output(
        self,
        plan: PlanVariables,
        pictures: Sequence[Picture] = (),
        *,
        called: Called | None = None,
        timeout_s: float | None = None,
    ) -> FinalOutput:
        """Return the answer with its claims; the fixed engine words it."""
        engine = self.llm_engine_fixed
        prompt = build_final_output_prompt(
            plan, pictures if engine.capabilities.sees_pictures else (), overrides=self._templates
        )
        return ask_structured(engine, prompt, FinalOutput, called=called, timeout_s=timeout_s)[0].value

    def _recalled(self, question: str, given: Sequence[RetrievalResult] | None) -> tuple[RecalledNote, ...]:
        if given is None and self.memory_manager is not None:
            given = self.memory_manager.retrieve_relevant_memories(question, _MEMORIES)
        return recalled_notes(given or ())


def read_pictures(image: Image) -> tuple[Picture, ...]:
    """Return the pictures meant; a file that cannot be read is named."""
    if image is None:
        return ()
    if isinstance(image, str | Path | bytes | Picture):
        return (_picture(image),)
    return tuple(_picture(one) for one in image)


def _picture(image: str | Path | bytes | Picture) -> Picture:
    if isinstance(image, Picture):
        return image
    if isinstance(image, bytes):
        data, name = image, "these bytes"
    else:
        name = str(image)
        try:
            data = Path(image).read_bytes()
        except OSError as exc:
            raise FileProblem(f"The picture {name!r} cannot be read: {exc.strerror}.") from exc
    for start, kind in _FORMATS:
        if data.startswith(start):
            return Picture(data=data, format=kind)
    raise UserError(f"{name} is not a picture vidence can show: use JPEG, PNG or WebP.")
