"""Gathering evidence: the notes of the video, what is measured, what is seen when asked, what is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from vidence.embedded.premises import Premises, check_premises
from vidence.embedded.proposals import Polarity, Proposal, Source, polarity_of
from vidence.embedded.recipes.attributes import answer as tell_attribute
from vidence.embedded.recipes.attributes import attribute_of
from vidence.embedded.recipes.doing import answer as tell_doing
from vidence.embedded.recipes.doing import asks_doing
from vidence.embedded.recipes.recipe import (
    Inquiry,
    Recipe,
    StepsOf,
    call,
    claim,
    has_cue,
    read,
    segments_of,
    together,
)
from vidence.embedded.recipes.shown import asks_for_members
from vidence.embedded.recipes.spans import CountedPart, QuestionSpan, edge_span, nth_part
from vidence.embedded.recipes.speech import prefixes
from vidence.embedded.recipes.wording import pick, seconds, sentence
from vidence.embedded.recipes.worn import answer as tell_worn
from vidence.embedded.recipes.worn import asks_worn
from vidence.language.question import AnswerType, Kind, Question, read_question
from vidence.ops.describe_visual import DescribeVisualResult
from vidence.schema.evidence import EvidenceRecord

__all__ = ["Evidence", "find_recipe", "gather", "measures", "polar_words"]


@dataclass(frozen=True)
class Evidence:
    """Everything that was gathered for one question, before the notes are read."""

    proposals: tuple[Proposal, ...]
    notes: EvidenceRecord | None
    """The record of the notes; None where they could not be taken."""
    premises: Premises
    span: QuestionSpan | None
    """The part of the video that the question names; None for all of it."""
    scenes: tuple[float, ...] = ()
    """When each scene begins, for a summary."""


_NO_SUCH_PART = 0.7
_UNMEASURED: frozenset[AnswerType] = frozenset({"money", "date", "name", "job", "language"})
"""Types of answer that only words tell, whatever the question is about."""
_Part = Sequence[Proposal] | EvidenceRecord | Premises | None
_ROOM = "vidence.embedded.recipes"
_RECIPES: Mapping[Kind, str] = {
    "camera": "scene:tell_camera",
    "colour": "colour:answer",
    "compare": "comparison:compare_moments",
    "count": "count:answer",
    "cuts": "cuts:answer",
    "direction": "scene:tell_direction",
    "heard": "sounds:answer",
    "order": "comparison:order_events",
    "read": "shown:tell_written",
    "said": "speech:answer",
    "what": "shown:tell_members",
    "when": "when:answer",
    "where": "scene:tell_place",
    "which": "which:answer",
    "yes_no": "yes_no:answer",
}
"""Module and function of each kind's recipe, imported when the kind is first asked."""
_VERBS = ("done", "have", "can", "doing")
_LONGEST_LOOK = 200
_SHORTEST_LOOK_S = 0.2
_UNSEEN_KINDS = frozenset({"describe", "cuts", "camera", "order", "when", "compare", "said", "heard", "why"})
"""Kinds of question that no single frame answers."""


def gather(inquiry: Inquiry) -> StepsOf[Evidence]:
    """Run every source side by side."""
    counted = yield from nth_part(inquiry)
    if counted is not None and counted.span is None:
        return Evidence((_too_few(inquiry, counted),), None, Premises(), None)
    span = edge_span(inquiry) if counted is None else counted.span
    parts: list[_Part] = yield from together(
        [_measured(inquiry), _noted(inquiry), _looked(inquiry, span), check_premises(inquiry)]
    )
    measured, notes, looked, premises = parts
    scenes = yield from _scenes(inquiry)
    assert isinstance(premises, Premises)
    assert notes is None or isinstance(notes, EvidenceRecord)
    assert isinstance(measured, Sequence)
    assert isinstance(looked, Sequence)
    return Evidence((*measured, *looked), notes, premises, span, scenes)


def measures(kind: Kind) -> bool:
    """Tell whether operations measure what a kind asks for; all else is read in the notes or looked at."""
    return kind in _RECIPES


def find_recipe(kind: Kind) -> Recipe:
    """Return the recipe of a kind that can be measured."""
    module, _, function = _RECIPES[kind].partition(":")
    return cast("Recipe", getattr(import_module(f"{_ROOM}.{module}"), function))


def _measured(inquiry: Inquiry) -> StepsOf[_Part]:
    """Measure what operations can: numbers, times, colours, order, sounds, cuts, the camera."""
    recipe = _recipe_of(inquiry)
    if recipe is None:
        return (yield from _done(inquiry))
    found = yield from recipe(inquiry)
    return (
        Proposal(
            "measured",
            found.answer,
            found.probability,
            found.claims,
            found.explanation,
            cannot_tell=found.cannot_tell,
            facts={"measured:worn": float(recipe is tell_worn)},
        ),
    )


def _done(inquiry: Inquiry) -> StepsOf[_Part]:
    """Name the action that was recognised, where that is asked for; all else is seen or read."""
    if not asks_doing(read_question(inquiry.variables.question)):
        return ()
    found = yield from tell_doing(inquiry)
    if found.cannot_tell:
        return ()
    return (Proposal("measured", found.answer, found.probability, found.claims),)


def _recipe_of(inquiry: Inquiry) -> Recipe | None:
    """Return what measures the answer: by the attribute that is asked for, else by the kind of question."""
    form, question = inquiry.form, read_question(inquiry.variables.question)
    if attribute_of(question) is not None:
        return tell_attribute
    if asks_worn(question) is not None:
        return tell_worn
    kind: Kind = "said" if prefixes(form.text, form.quoted) else form.kind
    return find_recipe(kind) if _is_measured(kind, question) else None


def _is_measured(kind: Kind, question: Question) -> bool:
    """Tell whether an operation measures the answer that a question asks for."""
    if kind == "read":
        return question.expected.type == "text"
    if kind == "what":
        return asks_for_members(question)
    if kind == "count" and question.form.sense == "said" and not question.form.repeated:
        # What somebody says a number is stands in the notes; only voices are counted.
        return any(one.category == "person" for one in question.form.targets[:1])
    return measures(kind) and question.expected.type not in _UNMEASURED


def _too_few(inquiry: Inquiry, part: CountedPart) -> Proposal:
    """Say that there is no such shot or scene, and how many there are."""
    assert inquiry.form.ordinal is not None
    unit, count = inquiry.form.ordinal.unit, part.count
    chinese = "镜头" if unit == "shot" else "场景"
    said = pick(
        inquiry.language,
        f"The video has {count} {unit}{'' if count == 1 else 's'}.",
        f"视频共有 {count} 个{chinese}。",
    )
    text = inquiry.say("no_such_part", pick(inquiry.language, unit, chinese), said=said)
    return Proposal("measured", text, _NO_SUCH_PART, claim(said, part.record), cannot_tell=True)


def _noted(inquiry: Inquiry) -> StepsOf[_Part]:
    (record,) = yield [call("get_notes", inquiry, language=inquiry.language)]
    return record


def _scenes(inquiry: Inquiry) -> StepsOf[tuple[float, ...]]:
    """Return when each scene begins, where a summary is asked for."""
    if read_question(inquiry.variables.question).expected.type != "summary":
        return ()
    (record,) = yield [call("get_temporal_structure", inquiry, granularity="coarse")]
    return tuple(one.start_time for one in segments_of(record))


def _looked(inquiry: Inquiry, span: QuestionSpan | None) -> StepsOf[_Part]:
    """Ask the visual answerer the question about frames of the span."""
    form, language = inquiry.form, inquiry.language
    asked = read_question(inquiry.variables.question).expected.type
    is_unseen = form.kind in _UNSEEN_KINDS or form.sense != "seen" or asked == "money"
    if is_unseen or len(form.text) >= _LONGEST_LOOK:
        return ()
    start, end = (span.start_s, span.end_s) if span else (0.0, inquiry.duration_s)
    (record,) = yield [
        call(
            "describe_visual",
            inquiry,
            start_time=start,
            end_time=max(end, start + _SHORTEST_LOOK_S),
            focus=form.text.rstrip(".。!！?？ ") + pick(language, "?", "？"),
            language=language,
        )
    ]
    seen = read(record, DescribeVisualResult)
    # What detectors do not know may still be seen (candles), or be nothing to see (followers, days).
    is_unknown = asked == "number" and not (form.targets and form.targets[0].category)
    source: Source = "likeness" if asked == "yes_no" or (asked == "choice" and form.alternatives) else "look"
    found: list[Proposal] = []
    for one in (seen.answers or ()) if seen else ():
        at = seconds(one.times[0], language) if one.times else ""
        told = inquiry.say("looked_answer_at" if at else "looked_answer", one.answer, at=at)
        facts = {"look:number of unknown things": float(is_unknown), "look:first": float(not found)}
        claims = claim(told, record, quote=one.answer)
        words = polar_words(inquiry, polarity_of(one.answer)) if asked == "yes_no" else None
        text = sentence(words or one.answer, language)
        found.append(Proposal(source, text, one.probability, claims, facts=facts))
    return found


def polar_words(inquiry: Inquiry, polarity: Polarity | None) -> str | None:
    """Return yes or no with the verb that a Chinese question asks with; None where it has none of these."""
    if polarity is None or inquiry.language != "zh":
        return None
    verb = next((name for name in _VERBS if has_cue(f"asks_{name}", inquiry.form.asked)), None)
    return inquiry.say(f"{polarity}_{verb}") if verb else None
