"""Let a language model propose tools from the operations, and name those that were found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from vidence.app.engines import open_engine
from vidence.app.tool_admission import Tried, with_library
from vidence.app.tool_episodes import load_episodes
from vidence.app.workspace import Workspace
from vidence.errors import BadTool, OpFailed, OpRetry, UserError
from vidence.language.identify import question_language
from vidence.llm.ask import ask_for
from vidence.llm.protocol import Engine
from vidence.llm.structured import InvalidReply
from vidence.ops.catalogue import all_operations
from vidence.prompts import Prompt, Wording
from vidence.prompts.fenced import NOTHING, data
from vidence.schema.agent import AnswerLanguage
from vidence.schema.frozen import Frozen
from vidence.schema.message import Message
from vidence.tools import Tool, parse_tool
from vidence.tools.induction import Found, units_of

__all__ = ["PROPOSE", "Proposals", "propose"]

PROPOSE = "tools.propose"
_MOST_TOOLS = 5
_MOST_PATTERNS = 12
_ATTEMPTS = 2
_ROUNDS = 3
"""How often a model is asked: once, and again for what was wrong."""
_ROOMY_TOKENS = 20_000
"""A model with less context is asked for one tool at a time."""
_FORM = "what_led_to"
"""The tool that shows the form."""
_AGAIN = "Reply with one JSON object again: the corrected tools only."


class ProposeVariables(Frozen):
    """What a model is told when it is asked for tools."""

    language: AnswerLanguage
    operations: tuple[str, ...]
    tools: tuple[str, ...]
    patterns: tuple[str, ...]


class Renamed(Frozen):
    """A better name for a tool that was found."""

    tool_name: str
    new_name: str
    description: str = ""


class Proposed(Frozen):
    """A new tool, and inputs to try it with."""

    tool: dict[str, Any]
    example: dict[str, Any] = Field(default_factory=dict)

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs of the example; small models put them one level deeper."""
        inner = self.example.get("inputs")
        return inner if isinstance(inner, dict) else self.example


class Proposals(Frozen):
    """What a model replies."""

    renamed: tuple[Renamed, ...] = ()
    tools: tuple[Proposed, ...] = ()


def propose(
    workspace: Workspace, engine: Engine | str, *, language: AnswerLanguage | None = None
) -> list[Tried]:
    """Ask a language model for tools; keep those that check and run on an indexed video."""
    chosen = engine if isinstance(engine, Engine) else open_engine(workspace, engine)
    if not chosen.capabilities.reads_text:
        raise UserError(f"{chosen.name} cannot propose tools: name a language model, like openai:gpt-4o.")
    videos = workspace.indexed_videos()
    if not videos:
        raise UserError("There is no indexed video to try a tool on. Index one first: vidence index my.mp4")
    episodes = load_episodes(workspace, chosen)
    asked = language or question_language(episodes[-1].question if episodes else "")
    patterns = [
        " → ".join(unit.shape for unit in units_of(batch)) for one in episodes for batch in one.batches
    ]
    most = _MOST_TOOLS if chosen.capabilities.context_tokens >= _ROOMY_TOKENS else 1
    prompt = _prompt(workspace, asked, sorted(set(patterns), key=patterns.count)[-_MOST_PATTERNS:], most)
    return _rounds(workspace, chosen, prompt, [video.video_id for video in videos][:2])


def _rounds(workspace: Workspace, engine: Engine, prompt: Prompt, videos: Sequence[str]) -> list[Tried]:
    """Ask, try what is proposed, and send mistakes back; return what became of every proposal."""
    report: list[Tried] = []
    for number in range(_ROUNDS):
        try:
            answered = ask_for(engine, prompt, Proposals, attempts=_ATTEMPTS)
        except InvalidReply as exc:
            if number == 0:
                raise UserError(f"{engine.name} proposed nothing that can be read: {exc}") from exc
            break
        report += [_rename(workspace, one) for one in answered.value.renamed if number == 0]
        tried = [_keep(workspace, one, videos) for one in answered.value.tools[:_MOST_TOOLS]]
        report += tried
        wrong = [one for one in tried if not one.kept]
        if not wrong:
            break
        told = "\n".join(f"System Error: {one.name}: {one.reason}" for one in wrong)
        again = (
            Message(role="assistant", text=answered.text),
            Message(role="user", text=f"{told}\n{_AGAIN}"),
        )
        prompt = replace(prompt, messages=(*prompt.messages, *again))
    return report


def _prompt(workspace: Workspace, language: AnswerLanguage, patterns: Sequence[str], most: int) -> Prompt:
    operations = [f"{one.name}: {one.purpose} {_fields(one)}" for one in all_operations()]
    tools = [f"{one.name}: {one.tool['description']}" for one in workspace.tools]
    induced = [one.name for one in workspace.tools if one.origin == "induced"]
    form = json.dumps(workspace.tools.get(_FORM).tool, ensure_ascii=False)
    variables = ProposeVariables(
        language=language, operations=tuple(operations), tools=tuple(tools), patterns=tuple(patterns)
    )
    wording = Wording(language)
    text = wording.fill(
        PROPOSE,
        operations="\n".join(operations),
        form=form,
        tools="\n".join(tools),
        patterns=data("\n".join(patterns), 'kind="calls"'),
        induced=", ".join(induced) or NOTHING,
        count=str(most),
    )
    return Prompt(PROPOSE, (Message(role="user", text=text),), variables, Proposals, wording.uses(PROPOSE))


def _fields(operation: Any) -> str:
    inputs = [name for name in operation.request.model_fields if name != "video_id"]
    return f"({', '.join(inputs)}) → {', '.join(operation.result.model_fields)}"


def _rename(workspace: Workspace, wanted: Renamed) -> Tried:
    library = workspace.tools
    try:
        entry = library.get(wanted.tool_name)
        if entry.origin != "induced":
            raise BadTool(f"{wanted.tool_name!r} was not induced and keeps its name.")
        described = wanted.description or entry.tool["description"]
        tool = parse_tool(json.dumps({**entry.tool, "tool_name": wanted.new_name, "description": described}))
        if tool.name in library and tool.name != entry.name:
            raise BadTool(f"the name {tool.name!r} is taken.")
        library.add(
            tool, "induced", learned_from=entry.learned_from, tried=entry.tried, admission=entry.admission
        )
        if tool.name != entry.name:
            library.drop(entry.name)
    except UserError as exc:
        return Tried(name=wanted.tool_name, kept=False, reason=f"not renamed: {exc}", questions=())
    return Tried(name=tool.name, kept=True, reason=f"renamed from {wanted.tool_name}", questions=())


def _keep(workspace: Workspace, proposed: Proposed, videos: Sequence[str]) -> Tried:
    name = str(proposed.tool.get("tool_name", "?"))[:60]
    try:
        tool = parse_tool(json.dumps(proposed.tool))
        if tool.name in workspace.tools:
            raise BadTool(f"the name {tool.name!r} is taken.")
        problem = _run(workspace, tool, proposed.inputs, videos)
        if problem:
            raise BadTool(problem)
        workspace.tools.add(tool, "proposed")
    except (UserError, OpRetry, OpFailed) as exc:
        return Tried(name=name, kept=False, reason=str(exc), questions=())
    return Tried(name=tool.name, kept=True, reason=f"ran on {len(videos)} videos", questions=())


def _run(workspace: Workspace, tool: Tool, example: dict[str, Any], videos: Sequence[str]) -> str:
    """Run a proposed tool; return what went wrong, or nothing. A tool that never finds anything is wrong."""
    other = with_library(workspace, [Found(tool, (), (), 0)])
    found = False
    for video_id in videos:
        result = other.run(tool.name, {**example, "video_id": video_id}, may_write=False).result
        if result.failed:
            return f"a step failed: {result.failed[0]}"
        found = found or any(getattr(result, name) not in (None, [], "") for name in tool.outputs)
    return "" if found else "it found nothing on any video"
