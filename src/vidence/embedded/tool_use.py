"""Tools for the embedded engine: the calls it plans are made through the tools that can make them together.

An algorithm plans single operations. Before it is asked, the steps of every tool that was called are given to
it as calls of its own; after it answered, what it wants next is written as calls of tools.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from vidence.embedded.wire import call_reply, read_variables
from vidence.llm.embedded import Skill
from vidence.llm.structured import InvalidReply, parse_reply
from vidence.prompts import Prompt
from vidence.schema.agent import CallPayload, OperationCall, SolverResponse, SolverVariables
from vidence.schema.evidence import EvidenceRecord, canonical_json
from vidence.tools.induction import PastCall, condense, expand
from vidence.tools.steps import Tool, parse_tool

__all__ = ["using_tools"]


def using_tools(skill: Skill) -> Skill:
    """Return a Solver's skill that calls tools where the run has some."""

    def step(prompt: Prompt) -> str:
        variables = read_variables(prompt, SolverVariables)
        if not variables.tools:
            return skill(prompt)
        tools = [_parsed(canonical_json(one)) for one in variables.tools]
        records = tuple(_as_asked(variables.records, {tool.name: tool for tool in tools}))
        reply = skill(replace(prompt, variables=variables.model_copy(update={"records": records})))
        return _through_tools(reply, tools)

    return step


@lru_cache(maxsize=64)
def _parsed(text: str) -> Tool:
    return parse_tool(text)


def _as_asked(records: Sequence[EvidenceRecord], tools: Mapping[str, Tool]) -> list[EvidenceRecord]:
    """Return the records, those of a tool's steps with the arguments that the planner itself would write."""
    written = {
        part.record_id: asked
        for record in records
        if record.source in tools
        for part, asked in _steps(record, tools[record.source])
    }
    return [
        record.model_copy(update={"asked": written[record.record_id]})
        if record.record_id in written
        else record
        for record in records
    ]


def _steps(record: EvidenceRecord, tool: Tool) -> list[tuple[EvidenceRecord, dict[str, Any]]]:
    calls = expand(tool, record.asked)
    video = {"video_id": record.video_id} if "video_id" in record.asked else {}
    found = []
    for part in record.parts:
        fits = (call for call in calls if call.api == part.source and _is_call(part, call))
        if (call := next(fits, None)) is not None:
            found.append((part, {**call.arguments, **video}))
    return found


def _is_call(part: EvidenceRecord, call: PastCall) -> bool:
    return all(
        name in part.arguments and part.arguments[name] == value for name, value in call.arguments.items()
    )


def _through_tools(reply: str, tools: Sequence[Tool]) -> str:
    try:
        response = parse_reply(reply, SolverResponse).value
    except InvalidReply:
        return reply
    payload = response.action_payload
    if not isinstance(payload, CallPayload):
        return reply
    by_video: dict[str, list[OperationCall]] = {}
    for call in payload.calls:
        by_video.setdefault(json.dumps(call.arguments.get("video_id")), []).append(call)
    written = [one for calls in by_video.values() for one in _condensed(calls, tools)]
    return call_reply(response.thought_summary, written)


def _condensed(calls: Sequence[OperationCall], tools: Sequence[Tool]) -> list[OperationCall]:
    video = {"video_id": calls[0].arguments["video_id"]} if "video_id" in calls[0].arguments else {}
    planned = [PastCall(call.operation, call.arguments) for call in calls]
    return [
        OperationCall(operation=one.api, arguments={**one.arguments, **video})
        for one in condense(planned, tools)
    ]
