"""The embedded Solver: understands the question, follows its recipe, writes the next action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from vidence.embedded.captions import answer_from_captions
from vidence.embedded.choice.answer import choose, choose_by_finding
from vidence.embedded.choice.vectors import VectorCache
from vidence.embedded.recipes.catalogue import find_recipe
from vidence.embedded.recipes.recipe import Finding, Inquiry, advance
from vidence.embedded.wire import call_reply, finding_reply, retrieve_reply
from vidence.language.question.form import QuestionForm
from vidence.language.question.purpose import purpose_of
from vidence.language.question.understand import understand
from vidence.llm.embedded import Skill
from vidence.prompts import Prompt
from vidence.schema.agent import OperationCall, SolverVariables

__all__ = ["Embed", "solver_skill"]

Embed = Callable[[Sequence[str]], Any]
_MORE_FRAMES = 5
_ENOUGH_FRAMES = 20


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
    purpose = purpose_of(form)
    return f"{purpose}：{counted}。" if form.language == "zh" else f"{purpose}: {counted}."
