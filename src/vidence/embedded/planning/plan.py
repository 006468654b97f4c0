"""The embedded planner: the evidence a question needs decides which tool to call next, and the answer."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.embedded.answering import answer_alone
from vidence.embedded.planning.navigation import is_seen
from vidence.embedded.planning.recall import answer_from_memories
from vidence.embedded.recipes.recipe import Embed, Finding, Inquiry, advance
from vidence.embedded.wire import bounded, json_reply, read_variables
from vidence.language.phrases import phrase
from vidence.language.question import QuestionForm, read_question
from vidence.llm.embedded import Skill
from vidence.prompts import Prompt
from vidence.schema.agent import OperationCall, SolverVariables, VideoCard
from vidence.schema.evidence import Citation, Claim
from vidence.schema.planning import (
    FINAL_OUTPUT,
    CommandVariables,
    FinalOutput,
    PlanVariables,
    QueryAnalysis,
    ToolCommand,
)

__all__ = ["analyze_skill", "command_skill", "final_skill"]

Outcome = Sequence[OperationCall] | Finding


def analyze_skill(embed: Embed) -> Skill:
    """Return the skill of `planner.analyze`."""

    def analyze(prompt: Prompt) -> str:
        analysis = _analysis(read_variables(prompt, PlanVariables), embed)
        return json_reply(analysis.concise_summary, analysis)

    return analyze


def command_skill(embed: Embed) -> Skill:
    """Return the skill of `executor.command`."""

    def command(prompt: Prompt) -> str:
        variables = read_variables(prompt, CommandVariables)
        wanted = [
            call.arguments
            for _, outcome in _outcomes(variables.plan, embed)
            if not isinstance(outcome, Finding)
            for call in outcome
            if call.operation == variables.tool.name
        ]
        if not wanted:
            # No source calls this tool; its own example is the best first call.
            wanted = [{"video_id": one.video_id, **variables.tool.example} for one in variables.plan.videos]
        made = ToolCommand(explanation=variables.sub_goal, calls=tuple(wanted or [variables.tool.example]))
        return json_reply(variables.sub_goal, made)

    return command


def final_skill(embed: Embed) -> Skill:
    """Return the skill of `planner.final_output`."""

    def final(prompt: Prompt) -> str:
        output = _output(read_variables(prompt, PlanVariables), embed)
        return json_reply(output.explanation or output.answer, output)

    return final


def _outcomes(plan: PlanVariables, embed: Embed) -> list[tuple[VideoCard, Outcome]]:
    """Gather the evidence of each video as far as the records allow."""
    form = read_question(plan.question).form
    return [(video, _advance(form, plan, video, embed)) for video in plan.videos]


def _advance(form: QuestionForm, plan: PlanVariables, video: VideoCard, embed: Embed) -> Outcome:
    known = SolverVariables(
        question=plan.question,
        language=plan.language,
        videos=(video,),
        records=plan.records,
        failed_calls=plan.failed_calls,
        may_call_operations=True,
        steps_left=plan.steps_left,
    )
    return advance(answer_alone(Inquiry(form, known, embed)), known)


def _analysis(plan: PlanVariables, embed: Embed) -> QueryAnalysis:
    form = read_question(plan.question).form
    waiting = [(video, one) for video, one in _outcomes(plan, embed) if not isinstance(one, Finding)]
    calls = [call for _, outcome in waiting for call in outcome]
    offered = {tool.name for tool in plan.tools}
    usable = [call for call in calls if not offered or call.operation in offered]
    tool = usable[0].operation if usable and plan.steps_left > 0 else FINAL_OUTPUT
    return QueryAnalysis(
        concise_summary=form.purpose,
        required_skills=(form.kind, form.sense),
        relevant_tools=tuple(dict.fromkeys(call.operation for call in usable)) or (FINAL_OUTPUT,),
        context=_context(plan, [video for video, _ in waiting]),
        sub_goal=_goal(form, tool),
        tool_name=tool,
    )


def _output(plan: PlanVariables, embed: Embed) -> FinalOutput:
    findings = [one for _, one in _outcomes(plan, embed) if isinstance(one, Finding)]
    best = max(findings, key=lambda one: (not one.cannot_tell, one.probability), default=None)
    if best is not None and not best.cannot_tell:
        return _from_finding(best)
    if best is None and any(plan.pictures):
        return _from_pictures(plan)
    remembered = answer_from_memories(plan.question, plan.memories, plan.language)
    if remembered is not None:
        return remembered
    if best is not None:
        return _from_finding(best)
    nothing = phrase("plan_untold" if plan.videos else "plan_no_video", plan.language)
    return FinalOutput(answer=nothing, cannot_tell=True, probability=0.05)


def _from_pictures(plan: PlanVariables) -> FinalOutput:
    """Answer from the pictures' descriptions: yes or no for a thing the question names, else all of them."""
    shown = [(place, text) for place, text in enumerate(plan.pictures, 1) if text]
    claims = tuple(
        Claim(text=text, citations=(Citation(record_id=f"picture_{place}"),)) for place, text in shown
    )
    said = "; ".join(text for _, text in shown)
    form = read_question(plan.question).form
    name, probability = "picture_shows", 0.5
    if form.targets and form.kind == "yes_no":
        found = all(any(is_seen(one.text, text) for _, text in shown) for one in form.targets)
        name, probability = ("picture_yes", 0.7) if found else ("picture_no", 0.5)
    return FinalOutput(answer=phrase(name, plan.language, said), claims=claims, probability=probability)


def _from_finding(finding: Finding) -> FinalOutput:
    return FinalOutput(
        answer=finding.answer,
        explanation=finding.explanation,
        claims=finding.claims,
        probability=bounded(finding.probability),
        cannot_tell=finding.cannot_tell,
    )


def _context(plan: PlanVariables, waiting: Sequence[VideoCard]) -> str:
    videos = "; ".join(
        f"{one.video_id} ({one.name}, {one.duration_s:.1f} s)" for one in waiting or plan.videos
    )
    return f"{videos} | {len(plan.records)} records, {len(plan.memories)} memories"


def _goal(form: QuestionForm, tool: str) -> str:
    if tool == FINAL_OUTPUT:
        return phrase("plan_answer", form.language)
    return phrase("plan_find_out", form.language, form.things or form.text, tool=tool)
