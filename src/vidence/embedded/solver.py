"""The embedded Solver: reads the question, gathers evidence, has the notes read, and answers or abstains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vidence.embedded.answering import (
    conclude,
    is_read,
    proposals_of,
    reading_of,
    situation_of,
    unreadable,
)
from vidence.embedded.captions import answer_from_captions
from vidence.embedded.checker import PASSING
from vidence.embedded.choice.answer import asks_reader, choose, choose_by_finding
from vidence.embedded.gather import Evidence, gather
from vidence.embedded.recipes.recipe import Embed, Inquiry, advance
from vidence.embedded.wire import call_reply, finding_reply, read_reply, read_variables, retrieve_reply
from vidence.language.phrases import phrase
from vidence.language.question import QuestionForm, read_question
from vidence.llm.embedded import Skill
from vidence.prompts import Prompt
from vidence.schema.agent import OperationCall, SolverVariables

__all__ = ["solve", "solver_skill"]

_MORE_FRAMES = 5
_ENOUGH_FRAMES = 20


def solver_skill(embed: Embed) -> Skill:
    """Return the skill of `solver.step`."""

    def step(prompt: Prompt) -> str:
        return solve(read_variables(prompt, SolverVariables), embed)

    return step


def solve(variables: SolverVariables, embed: Embed) -> str:
    """Return the next action, given what is known so far."""
    question = read_question(variables.question)
    if not (variables.videos and variables.may_call_operations):
        if variables.options:
            return choose(variables, embed)
        return _from_captions(question.form, variables, embed)
    if not question.is_readable and not variables.options:
        finding = unreadable(question)
        return finding_reply(finding.answer, finding)
    inquiry = Inquiry(question.form, variables, embed)
    evidence = advance(gather(inquiry), variables)
    if not isinstance(evidence, Evidence):
        return call_reply(_plan(question.form, evidence), evidence)
    if variables.may_read and variables.reading is None and is_read(question, evidence):
        reading = reading_of(inquiry, question, evidence)
        return read_reply(phrase("purpose_read_notes", question.language), reading)
    if variables.options and asks_reader(variables):
        choosing = reading_of(inquiry, question, evidence, options=variables.options)
        return read_reply(phrase("purpose_read_notes", question.language), choosing)
    proposals = proposals_of(inquiry, question, evidence, variables.reading)
    finding = conclude(question, situation_of(question, evidence, proposals, variables.reading))
    if variables.options:
        return choose_by_finding(variables, finding, embed)
    return finding_reply(finding.explanation or finding.answer, finding)


def _from_captions(form: QuestionForm, variables: SolverVariables, embed: Embed) -> str:
    """Answer when the captions tell; ask for more frames while they do not and there may be others."""
    finding = answer_from_captions(form, variables.memory, embed)
    wanted = _frames_wanted(variables)
    if finding.probability >= PASSING or not wanted:
        return finding_reply(finding.explanation or finding.answer, finding)
    focus = " ".join(target.phrase for target in form.targets) or form.text
    thinking = (
        f"再看 {wanted} 帧：{focus}" if form.language == "zh" else f"Looking at {wanted} more frames: {focus}"
    )
    return retrieve_reply(thinking, wanted, focus)


def _frames_wanted(variables: SolverVariables) -> int:
    """Return how many frames to ask for; 0 where there are no others or it is time to answer."""
    if len(variables.memory) >= _ENOUGH_FRAMES or variables.steps_left <= 2:
        return 0
    unseen, left = variables.num_frames_unseen, variables.frames_left
    return min(_MORE_FRAMES, *(limit for limit in (unseen, left) if limit is not None), _MORE_FRAMES)


def _plan(form: QuestionForm, calls: Sequence[OperationCall]) -> str:
    """Return the next calls in plain words."""
    counted = ", ".join(
        f"{name} ×{number}" if number > 1 else name
        for name, number in Counter(call.operation for call in calls).items()
    )
    purpose = form.purpose
    return f"{purpose}：{counted}。" if form.language == "zh" else f"{purpose}: {counted}."
