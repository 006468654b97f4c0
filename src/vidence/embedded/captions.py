"""Answering from captions alone, where no video can be looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vidence.embedded.recipes.recipe import Finding
from vidence.language.question.form import QuestionForm
from vidence.schema.agent import MemoryUnit, SolverVariables
from vidence.schema.evidence import Citation, Claim

__all__ = ["answer_from_captions"]

_LIKELY = 0.35
"""A caption that fits a question holds its answer about this often."""


def answer_from_captions(
    form: QuestionForm, variables: SolverVariables, embed: Callable[[Sequence[str]], Any]
) -> Finding:
    """Return the caption that says most about the question, as the answer."""
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


def _nearest(
    question: str, frames: Sequence[MemoryUnit], embed: Callable[[Sequence[str]], Any]
) -> tuple[MemoryUnit, float]:
    vectors = np.asarray(embed([question, *(unit.caption for unit in frames)]), np.float32)
    scores = vectors[1:] @ vectors[0]
    index = int(scores.argmax())
    return frames[index], float(scores[index])
