"""Tools for the embedded engine: it looks where a tool says that answers are found, and else as it planned.

An algorithm plans single operations. Before it is asked, the steps of every tool that was called are given to
it as calls of its own. Of what it wants next, the first tool that fits makes its part; the rest is left out.
Where no answer can be given without it, all that was planned is done.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from vidence.embedded.wire import call_reply, read_variables
from vidence.llm.embedded import Skill
from vidence.llm.structured import InvalidReply, parse_reply
from vidence.prompts import Prompt
from vidence.schema.agent import (
    AnswerPayload,
    CallPayload,
    OperationCall,
    SolverResponse,
    SolverVariables,
)
from vidence.schema.evidence import EvidenceRecord, canonical_json
from vidence.tools.induction import PastCall, condense, expand, fit
from vidence.tools.steps import Tool, parse_tool

__all__ = ["using_tools"]

_LEFT_OUT = "It was left out: a tool looked where such answers are found."


def using_tools(skill: Skill) -> Skill:
    """Return a Solver's skill that calls tools where the run has some."""

    def step(prompt: Prompt) -> str:
        variables = read_variables(prompt, SolverVariables)
        if not variables.tools:
            return skill(prompt)
        tools = [_parsed(canonical_json(one)) for one in variables.tools]
        records = tuple(_as_asked(variables.records, {tool.name: tool for tool in tools}))
        known = variables.model_copy(update={"records": records})
        return _step(lambda one: skill(replace(prompt, variables=one)), known, tools)

    return step


def _step(skill: Callable[[SolverVariables], str], variables: SolverVariables, tools: Sequence[Tool]) -> str:
    """Return the next action: a tool's call, an answer from what tools found, or what was planned.

    The run so far is gone through again from its beginning: of each batch that was planned, what a tool did
    not make was left out.
    """
    known = {_key(record.source, record.asked) for record in variables.records}
    known |= {_key(call.operation, call.arguments) for call, _ in variables.failed_calls}
    by_tools = {part.record_id for record in variables.records for part in record.parts}
    made = {record.record_id for record in variables.records if record.kind == "frame"}
    left_out: list[OperationCall] = []
    while True:
        records = tuple(record for record in variables.records if record.record_id in made)
        failed = (*variables.failed_calls, *((one, _LEFT_OUT) for one in left_out))
        reply = skill(variables.model_copy(update={"records": records, "failed_calls": failed}))
        wanted = _wanted(reply)
        if not wanted:
            break
        keys = {_key(one.operation, one.arguments) for one in wanted}
        new = {one.record_id for one in variables.records if _key(one.source, one.asked) in keys}
        if not new & by_tools:
            missing = [one for one in wanted if _key(one.operation, one.arguments) not in known]
            if missing:
                return _next(reply, missing, tools)
        left_out += [one for one in wanted if _key(one.operation, one.arguments) not in known]
        made |= new
    payload = _payload(reply)
    if left_out and isinstance(payload, AnswerPayload) and payload.cannot_tell:
        planned = skill(variables)
        return call_reply(_thought(planned), _condensed(_wanted(planned), tools))
    return reply


def _next(reply: str, wanted: Sequence[OperationCall], tools: Sequence[Tool]) -> str:
    """Return the calls of the first tool that fits what is wanted, else all that is wanted."""
    fitted = (_fitted(wanted, tool) for tool in tools)
    calls = next((one for one in fitted if one), None) or _condensed(wanted, tools)
    return call_reply(_thought(reply), calls)


def _key(operation: str, arguments: Mapping[str, Any]) -> str:
    return canonical_json([operation, dict(arguments)])


def _wanted(reply: str) -> Sequence[OperationCall]:
    payload = _payload(reply)
    return payload.calls if isinstance(payload, CallPayload) else ()


def _payload(reply: str) -> object:
    try:
        return parse_reply(reply, SolverResponse).value.action_payload
    except InvalidReply:
        return None


def _thought(reply: str) -> str:
    return parse_reply(reply, SolverResponse).value.thought_summary


def _fitted(wanted: Sequence[OperationCall], tool: Tool) -> list[OperationCall]:
    """Return the calls of a tool that make what it can of the wanted calls about the first video."""
    video = _video(wanted[0])
    left = [
        PastCall(one.operation, one.arguments)
        for one in wanted
        if one.arguments.get("video_id") == video.get("video_id")
    ]
    found: list[OperationCall] = []
    while (call := fit(left, tool)) is not None:
        found.append(OperationCall(operation=call.api, arguments={**call.arguments, **video}))
        taken = expand(tool, call.arguments, whole=True)
        left = [one for one in left if not any(_is_same(one, made) for made in taken)]
    return found


def _is_same(one: PastCall, made: PastCall) -> bool:
    given = {name: value for name, value in one.arguments.items() if name != "video_id"}
    return one.api == made.api and given == dict(made.arguments)


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


def _condensed(calls: Sequence[OperationCall], tools: Sequence[Tool]) -> list[OperationCall]:
    """Return calls written as calls of tools, as far as they can make several at once."""
    by_video: dict[str, list[OperationCall]] = {}
    for call in calls:
        by_video.setdefault(json.dumps(call.arguments.get("video_id")), []).append(call)
    return [
        OperationCall(operation=one.api, arguments={**one.arguments, **_video(group[0])})
        for group in by_video.values()
        for one in condense([PastCall(call.operation, call.arguments) for call in group], tools)
    ]


def _video(call: OperationCall) -> dict[str, Any]:
    return {name: value for name, value in call.arguments.items() if name == "video_id"}
