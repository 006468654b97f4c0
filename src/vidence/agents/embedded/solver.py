"""The embedded Solver: understands the question, follows its recipe, writes the next action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from vidence.agents.embedded.captions import answer_from_captions
from vidence.agents.embedded.choice.answer import choose, choose_by_finding
from vidence.agents.embedded.choice.vectors import VectorCache
from vidence.agents.embedded.question.form import Kind, QuestionForm
from vidence.agents.embedded.question.understand import understand
from vidence.agents.embedded.recipes.catalogue import find_recipe
from vidence.agents.embedded.recipes.recipe import Finding, Inquiry, advance
from vidence.agents.embedded.wire import call_reply, finding_reply, retrieve_reply
from vidence.llm.embedded import Skill
from vidence.prompts import Prompt
from vidence.schema.agent import OperationCall, SolverVariables

__all__ = ["Embed", "solver_skill"]

Embed = Callable[[Sequence[str]], Any]
_MORE_FRAMES = 5
_ENOUGH_FRAMES = 20
_PURPOSES: Mapping[Kind, tuple[str, str]] = {
    "count": ("To count", "为了数清楚"),
    "when": ("To find out when", "为了找到时间"),
    "order": ("To tell which comes first", "为了弄清先后"),
    "which": ("To tell which one", "为了弄清是哪一个"),
    "colour": ("To see the colour", "为了看清颜色"),
    "yes_no": ("To see whether it is so", "为了看是否如此"),
    "what": ("To see what it is", "为了看清是什么"),
    "who": ("To find out who", "为了弄清是谁"),
    "where": ("To find out where", "为了弄清地点"),
    "why": ("To find out why", "为了弄清原因"),
    "said": ("To hear what is said", "为了听清说了什么"),
    "heard": ("To hear what sounds there are", "为了听清有什么声音"),
    "read": ("To read what is written", "为了看清写了什么"),
    "doing": ("To see what happens", "为了看清发生了什么"),
    "describe": ("To describe it", "为了描述画面"),
    "camera": ("To see how the camera moves", "为了看镜头怎样运动"),
    "cuts": ("To find the cuts", "为了找到镜头切换"),
}


def solver_skill(embed: Embed) -> Skill:
    """Return the skill of `solver.step`."""
    remembered = VectorCache(embed)

    def step(prompt: Prompt) -> str:
        variables = prompt.variables
        if not isinstance(variables, SolverVariables):
            raise TypeError(f"solver.step needs SolverVariables, not {type(variables).__name__}")
        return solve(variables, remembered)

    return step


def solve(variables: SolverVariables, embed: Embed) -> str:
    """Return the next action for what is known so far."""
    form = understand(variables.question)
    if not (variables.videos and variables.may_call_operations):
        if variables.options:
            return choose(variables, embed)
        return _from_captions(form, variables, embed)
    inquiry = Inquiry(form, variables, embed)
    outcome = advance(find_recipe(form.kind)(inquiry), variables)
    if isinstance(outcome, Finding):
        if variables.options:
            return choose_by_finding(variables, outcome, embed)
        return finding_reply(outcome.explanation or outcome.answer, outcome)
    return call_reply(_plan(form, outcome), outcome)


def _from_captions(form: QuestionForm, variables: SolverVariables, embed: Embed) -> str:
    """Look at more frames while there are any worth it, then answer from their words."""
    unseen = variables.num_frames_unseen
    may = variables.frames_left is None or variables.frames_left > 0
    if may and unseen and len(variables.memory) < _ENOUGH_FRAMES and variables.steps_left > 2:
        wanted = min(_MORE_FRAMES, unseen)
        focus = " ".join(target.phrase for target in form.targets) or form.text
        thinking = (
            f"再看 {wanted} 帧：{focus}"
            if form.language == "zh"
            else f"Looking at {wanted} more frames: {focus}"
        )
        return retrieve_reply(thinking, wanted, focus)
    finding = answer_from_captions(form, variables, embed)
    return finding_reply(finding.explanation or finding.answer, finding)


def _plan(form: QuestionForm, calls: Sequence[OperationCall]) -> str:
    """Say in plain words what is looked at next."""
    counted = ", ".join(
        f"{name} ×{number}" if number > 1 else name
        for name, number in Counter(call.operation for call in calls).items()
    )
    purpose = _PURPOSES[form.kind][form.language == "zh"]
    comma = "、" if form.language == "zh" else ", "
    things = comma.join(target.text for target in form.targets[:3])
    if form.language == "zh":
        return purpose + (f"（{things}）" if things else "") + f"：{counted}。"
    return purpose + (f" ({things})" if things else "") + f": {counted}."
