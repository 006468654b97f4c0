"""The Solver's step when options are given: ask for frames, then for the reader's view, then choose."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from vidence.embedded.choice.captions import Embed, Floats, content_words, gather, telling
from vidence.embedded.choice.score import ChoiceScores, Witness, is_read, score_options
from vidence.embedded.recipes.recipe import Finding
from vidence.embedded.wire import answer_reply, bounded, finding_reply, read_reply, retrieve_reply
from vidence.language.numbers import numbers_in
from vidence.language.phrases import phrase
from vidence.schema.agent import AnswerPayload, SolverVariables
from vidence.schema.evidence import Citation, Claim
from vidence.schema.reading import Note, ReaderVariables
from vidence.schema.time import TimeRange, format_timecode

__all__ = ["asks_reader", "choose", "choose_by_finding"]

_AT_ONCE = 32
_ENOUGH_CAPTIONS, _ENOUGH_FRAMES = 400, 20
"""The most frames to look at: with captions at hand, and where frames must be described first."""
_FINDING = 6.0
"""The weight of the open question's answer, times its probability and an option's agreement."""
_LOOSE = 0.6
"""The most an option counts as agreeing by similar meaning alone."""

_LEAST_AGREED = 0.3
"""Below this no option agrees with the finding, and the captions decide alone."""


def choose(variables: SolverVariables, embed: Embed) -> str:
    """Ask for frames while there are any, then choose an option by their captions."""
    asked = " ".join([variables.question, *variables.options])
    if wanted := _frames_wanted(variables):
        thinking = phrase("options_compare", variables.language, wanted)
        # Where frames are limited they are chosen; else they come in order.
        return retrieve_reply(thinking, wanted, None if variables.frames_left is None else asked)
    evidence = gather(variables.memory, embed)
    if evidence is not None and asks_reader(variables):
        told = telling(asked, evidence, embed)
        reading = ReaderVariables(
            question=variables.question,
            language=variables.language,
            notes=tuple(Note(number=number, text=text, kind="seen") for number, text in enumerate(told, 1)),
            options=variables.options,
        )
        return read_reply(phrase("purpose_read_notes", variables.language), reading)
    return _answer(variables, _score(variables, embed))


def asks_reader(variables: SolverVariables) -> bool:
    """Tell whether the run's reader is still to be asked which option it holds likely."""
    may_ask = variables.may_read and variables.steps_left > 0 and not variables.choice
    return may_ask and is_read(variables.options)


def choose_by_finding(variables: SolverVariables, finding: Finding, embed: Embed) -> str:
    """Choose the option that agrees with the open question's answer and with the captions."""
    scores = _score(variables, embed)
    own = np.maximum(scores.shares, 1e-6)
    held = 0.0 if finding.cannot_tell else finding.probability
    agreed = _agreement(finding.answer, variables.options, embed)
    odds = own * np.exp(_FINDING * held * agreed)
    odds /= odds.sum()
    best = int(odds.argmax())
    if not held or not finding.claims or agreed[best] < _LEAST_AGREED:
        return _answer(variables, scores)
    payload = AnswerPayload(
        final_answer=variables.options[best],
        explanation=finding.explanation or finding.answer,
        option=best,
        claims=finding.claims,
        probability=bounded(float(odds[best])),
    )
    return answer_reply(payload.explanation, payload)


def _frames_wanted(variables: SolverVariables) -> int:
    """Return how many frames to ask for next; 0 when it is time to answer."""
    enough = _ENOUGH_FRAMES if variables.may_call_operations and variables.videos else _ENOUGH_CAPTIONS
    left = _AT_ONCE if variables.frames_left is None else variables.frames_left
    room = min(variables.num_frames_unseen or 0, enough - len(variables.memory), left, _AT_ONCE)
    return max(0, room) if variables.steps_left > 2 else 0


def _score(variables: SolverVariables, embed: Embed) -> ChoiceScores:
    duration_s = variables.videos[0].duration_s if len(variables.videos) == 1 else None
    return score_options(
        variables.question,
        variables.options,
        variables.memory,
        embed,
        duration_s=duration_s,
        choice=variables.choice,
    )


def _answer(variables: SolverVariables, scores: ChoiceScores) -> str:
    """Give the best option, or say that nothing was seen."""
    if not scores.witnesses:
        nothing = phrase("options_unseen", variables.language)
        return finding_reply(nothing, Finding(nothing, 0.05, cannot_tell=True))
    option, span, held = variables.options[scores.best], scores.span, bounded(scores.shares[scores.best])
    where = f" ({format_timecode(span.start_time)}–{format_timecode(span.end_time)})" if span else ""
    told_by = "options_read" if len(set(variables.choice)) > 1 else "options_seen"
    because = phrase(told_by, variables.language, f"“{option}”{where}, {held:.0%}")
    claims = tuple(_claim(witness, span) for witness in scores.witnesses)
    payload = AnswerPayload(
        final_answer=option, explanation=because, option=scores.best, claims=claims, probability=held
    )
    return answer_reply(because, payload)


def _claim(witness: Witness, span: TimeRange | None) -> Claim:
    """Return a caption as a claim about the span it lies in."""
    quote = witness.sentence if _bare(witness.sentence) in _bare(witness.unit.caption) else None
    time_s = witness.unit.timestamp_s
    inside = span is not None and time_s is not None and span.start_time <= time_s < span.end_time
    cited = Citation(
        record_id=f"frame_{witness.unit.frame_id}",
        start_time=span.start_time if span and inside else None,
        end_time=span.end_time if span and inside else None,
        quote=quote,
    )
    return Claim(text=quote or witness.unit.caption, citations=(cited,))


def _agreement(answer: str, options: Sequence[str], embed: Embed) -> Floats:
    """Return each option's agreement with the answer, from 0 to 1."""
    vectors = np.asarray(embed([answer, *options]), np.float32)
    near: Floats = np.clip(vectors[1:] @ vectors[0], 0.0, 1.0) * _LOOSE
    said = {number.value for number in numbers_in(answer)}
    stems = {word.stem for word in content_words(answer)}
    for index, option in enumerate(options):
        own = {number.value for number in numbers_in(option)}
        words = {word.stem for word in content_words(option)}
        if said and own:
            near[index] = 1.0 if said & own else 0.0
        elif words and words <= stems:
            near[index] = 1.0
    return near


def _bare(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in plain if character.isalnum())
