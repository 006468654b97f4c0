"""Gathering evidence: the notes of the video, what is measured, what is seen when asked, what is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidence.embedded.looks import look
from vidence.embedded.premises import Premises, check_premises
from vidence.embedded.proposals import Proposal
from vidence.embedded.recipes.attributes import answer as tell_attribute
from vidence.embedded.recipes.attributes import attribute_of
from vidence.embedded.recipes.catalogue import find_recipe, measures
from vidence.embedded.recipes.members import asks_for_members
from vidence.embedded.recipes.recipe import Finding, Inquiry, StepsOf, call, claim, together
from vidence.embedded.recipes.spans import CountedPart, QuestionSpan, edge_span, nth_part
from vidence.embedded.recipes.speech import prefixes
from vidence.embedded.recipes.wording import pick
from vidence.language.question import AnswerType, Kind, Question, read_question
from vidence.schema.evidence import EvidenceRecord

__all__ = ["Evidence", "gather"]


@dataclass(frozen=True)
class Evidence:
    """Everything that was gathered for one question, before the notes are read."""

    proposals: tuple[Proposal, ...]
    notes: EvidenceRecord | None
    """The record of the notes; None where they could not be taken."""
    premises: Premises
    span: QuestionSpan | None
    """The part of the video that the question names; None for all of it."""


_NO_SUCH_PART = 0.7
_UNMEASURED: frozenset[AnswerType] = frozenset({"money", "date", "name", "job", "language"})
"""Types of answer that only words tell, whatever the question is about."""
_Part = Sequence[Proposal] | EvidenceRecord | Premises | None


def gather(inquiry: Inquiry) -> StepsOf[Evidence]:
    """Run every source side by side."""
    counted = yield from nth_part(inquiry)
    if counted is not None and counted.span is None:
        return Evidence((_too_few(inquiry, counted),), None, Premises(), None)
    span = edge_span(inquiry) if counted is None else counted.span
    parts: list[_Part] = yield from together(
        [_measured(inquiry), _noted(inquiry), look(inquiry, span), check_premises(inquiry)]
    )
    measured, notes, looked, premises = parts
    assert isinstance(premises, Premises)
    assert notes is None or isinstance(notes, EvidenceRecord)
    assert isinstance(measured, Sequence)
    assert isinstance(looked, Sequence)
    return Evidence((*measured, *looked), notes, premises, span)


def _measured(inquiry: Inquiry) -> StepsOf[_Part]:
    """Measure what operations can: numbers, times, colours, order, sounds, cuts, the camera."""
    form, question = inquiry.form, read_question(inquiry.variables.question)
    if attribute_of(question) is not None:
        found = yield from tell_attribute(inquiry)
        return (_proposal(found),)
    kind: Kind = "said" if prefixes(form.text, form.quoted) else form.kind
    if not _is_measured(kind, question):
        return ()
    found = yield from find_recipe(kind)(inquiry)
    return (_proposal(found),)


def _is_measured(kind: Kind, question: Question) -> bool:
    """Tell whether an operation measures the answer that a question asks for."""
    if kind == "read":
        return question.expected.type == "text"
    if kind == "what":
        return asks_for_members(question)
    return measures(kind) and question.expected.type not in _UNMEASURED


def _proposal(found: Finding) -> Proposal:
    return Proposal(
        "measured",
        found.answer,
        found.probability,
        found.claims,
        found.explanation,
        cannot_tell=found.cannot_tell,
    )


def _too_few(inquiry: Inquiry, part: CountedPart) -> Proposal:
    """Say that there is no such shot or scene, and how many there are."""
    assert inquiry.form.ordinal is not None
    unit, language, count = inquiry.form.ordinal.unit, inquiry.form.language, part.count
    chinese = "镜头" if unit == "shot" else "场景"
    said = pick(
        language,
        f"The video has {count} {unit}{'' if count == 1 else 's'}.",
        f"视频共有 {count} 个{chinese}。",
    )
    text = pick(language, f"There is no such {unit}. {said}", f"没有这样的{chinese}。{said}")
    return Proposal("measured", text, _NO_SUCH_PART, claim(said, part.record), cannot_tell=True)


def _noted(inquiry: Inquiry) -> StepsOf[_Part]:
    (record,) = yield [call("get_notes", inquiry, language=inquiry.form.language)]
    return record
