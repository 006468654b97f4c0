"""The embedded Solver: reads the question, gathers evidence, has the notes read, and answers or abstains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from vidence.embedded.answering import (
    all_notes,
    conclude,
    is_read,
    proposals_of,
    reading_of,
    situation_of,
    unreadable,
)
from vidence.embedded.choice.answer import choose, choose_by_finding
from vidence.embedded.choice.captions import VectorCache
from vidence.embedded.gather import Evidence, gather
from vidence.embedded.recipes.recipe import Embed, Finding, Inquiry, advance
from vidence.embedded.wire import call_reply, finding_reply, read_reply, read_variables, retrieve_reply
from vidence.language.phrases import phrase
from vidence.language.question import QuestionForm, read_question
from vidence.llm.embedded import Skill
from vidence.prompts import Prompt
from vidence.schema.agent import MemoryUnit, OperationCall, SolverVariables
from vidence.schema.evidence import Citation, Claim

__all__ = ["solve", "solver_skill"]

_MORE_FRAMES = 5
_ENOUGH_FRAMES = 20
_LIKELY = 0.35
"""The most a caption's similarity counts as a probability."""


def solver_skill(embed: Embed) -> Skill:
    """Return the skill of `solver.step`."""
    cached = VectorCache(embed)

    def step(prompt: Prompt) -> str:
        return solve(read_variables(prompt, SolverVariables), cached)

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
    notes = all_notes(evidence, question.language)
    proposals = proposals_of(question, evidence, variables.reading, notes)
    finding = conclude(question, situation_of(question, evidence, proposals, variables.reading))
    if variables.options:
        return choose_by_finding(variables, finding, embed)
    return finding_reply(finding.explanation or finding.answer, finding)


def _from_captions(form: QuestionForm, variables: SolverVariables, embed: Embed) -> str:
    """Ask for more frames while there are any, then answer from their captions."""
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
    finding = _nearest_caption(form, variables, embed)
    return finding_reply(finding.explanation or finding.answer, finding)


def _plan(form: QuestionForm, calls: Sequence[OperationCall]) -> str:
    """Return the next calls in plain words."""
    counted = ", ".join(
        f"{name} ×{number}" if number > 1 else name
        for name, number in Counter(call.operation for call in calls).items()
    )
    purpose = form.purpose
    return f"{purpose}：{counted}。" if form.language == "zh" else f"{purpose}: {counted}."


def _nearest_caption(form: QuestionForm, variables: SolverVariables, embed: Embed) -> Finding:
    """Return the caption nearest to the question as the answer."""
    frames = [unit for unit in variables.memory if unit.caption.strip()]
    if not frames:
        words = (
            "没有可看的内容，无法判断。"
            if form.language == "zh"
            else "Cannot be told: there is nothing to look at."
        )
        return Finding(words, 0.05, cannot_tell=True)
    best, fit = _nearest(form.text, frames, embed)
    claim = Claim(
        text=best.caption, citations=(Citation(record_id=f"frame_{best.frame_id}", quote=best.caption[:200]),)
    )
    seen = f"第 {best.frame_id} 帧" if form.language == "zh" else f"Frame {best.frame_id}"
    return Finding(best.caption, min(_LIKELY, max(0.05, fit)), (claim,), f"{seen}: {best.caption}")


def _nearest(question: str, frames: Sequence[MemoryUnit], embed: Embed) -> tuple[MemoryUnit, float]:
    vectors = np.asarray(embed([question, *(unit.caption for unit in frames)]), np.float32)
    scores = vectors[1:] @ vectors[0]
    index = int(scores.argmax())
    return frames[index], float(scores[index])
