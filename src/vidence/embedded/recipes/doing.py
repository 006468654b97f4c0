"""What somebody does, from the actions that were recognised in the video."""

from __future__ import annotations

from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, untold
from vidence.embedded.recipes.spans import find_span
from vidence.embedded.recipes.wording import sentence
from vidence.language.actions import action_in
from vidence.language.question import Question, Target
from vidence.runs.notes import noted_lines

__all__ = ["answer", "asks_doing"]

_SHARE = 0.5
"""How much of the span that is asked about an action must fill, or how much of it must lie there."""


def asks_doing(question: Question) -> bool:
    """Tell whether a question asks what people do, whoever they are."""
    form = question.form
    people = all(one.category == "person" and _is_anybody(one) for one in form.targets)
    return question.expected.type == "action" and form.kind == "doing" and form.sense == "seen" and people


def _is_anybody(target: Target) -> bool:
    """Tell whether a question means whoever is there: whose action it is is not known."""
    return not (target.colours or target.position) and target.phrase == target.text


def answer(inquiry: Inquiry) -> Steps:
    """Name the longest action in the span that is asked about, where one was recognised."""
    span = yield from find_span(inquiry)
    (record,) = yield [call("get_notes", inquiry, language=inquiry.language)]
    best, most_s = None, 0.0
    for line in noted_lines(record) if record else ():
        shared_s = min(line.end_time, span.end_s) - max(line.start_time, span.start_s)
        length_s = min(line.end_time - line.start_time, span.end_s - span.start_s)
        if line.kind == "action" and shared_s >= max(_SHARE * length_s, most_s):
            best, most_s = line, shared_s
    named = action_in(best.text, inquiry.language) if best else None
    if best is None or named is None:
        return untold(inquiry)
    claims = claim(best.text, record, best, quote=best.text)
    return Finding(sentence(named, inquiry.language), best.confidence, claims)
