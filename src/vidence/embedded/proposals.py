"""Proposals: what each source of evidence holds to be the answer, and how they agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from vidence.language.colours import colours_in, find_colours
from vidence.language.identify import has_han
from vidence.language.numbers import numbers_in
from vidence.language.question import AnswerType, Question
from vidence.language.tokens import query_terms, stems
from vidence.schema.evidence import Claim

__all__ = ["Polarity", "Proposal", "Source", "agreement", "best_proven", "fitting", "polarity_of", "repeats"]

Source = Literal["measured", "reader", "look", "likeness", "summary"]
"""Measured by operations, read in the notes, seen by the visual answerer (yes, no and choices by how like the
frames are), or put together from the notes."""
Polarity = Literal["yes", "no"]

_YES = re.compile(r"^\W*(?:yes|yeah)\b|^\W*(?:是|有|对|会|能|可以|在)", re.IGNORECASE)
_NO = re.compile(r"^\W*(?:no|not|none|nobody|nothing|never)\b|^\W*(?:不|没|否|无|未)", re.IGNORECASE)
_WORDS: frozenset[AnswerType] = frozenset({"name", "job", "date", "money", "text", "utterance"})
"""Types of answer that only words tell: what is said or written."""
_HELD = 0.4
"""From here on another gains all by agreeing; the less sure a source is, the less it says."""
_THINGS: frozenset[AnswerType] = frozenset(
    {"thing", "place", "person", "action", "weather", "material", "mood"}
)
_EMPTY = re.compile(
    r"^\W*(?:none|nothing|no one|nobody|unknown|speaker \d+|没有|无|不知道|没什么|说话人 ?\d+)\W*$",
    re.IGNORECASE,
)
"""No answer to a question that takes for granted that there is one, and the label of a voice is no name."""
_NAMING: frozenset[AnswerType] = _THINGS | {"name", "job", "text"}
_FIGURES: frozenset[AnswerType] = frozenset({"number", "money", "duration", "time", "date"})


@dataclass(frozen=True)
class Proposal:
    """One possible answer with its proof and what speaks for it."""

    source: Source
    answer: str
    """Short and direct, in the question's language."""
    sure: float
    """How probable its own source holds it."""
    claims: tuple[Claim, ...] = ()
    explanation: str = ""
    cannot_tell: bool = False
    """Whether it says that the video does not tell."""
    facts: dict[str, float] = field(default_factory=dict)
    """What speaks for it, by the names that the scorer knows."""


def fitting(proposals: Sequence[Proposal], question: Question) -> list[Proposal]:
    """Return the proposals that are of the type that is asked for, and from a source that can tell it."""
    return [
        one
        for one in proposals
        if question.expected.fits(one.answer)
        and not (question.expected.type in _NAMING and _EMPTY.match(one.answer))
        and not (one.source in ("look", "likeness") and not _is_seen(one.answer, question))
        and _is_offered(one.answer, question)
    ]


def _is_seen(answer: str, question: Question) -> bool:
    """Tell whether a picture can show an answer of the type: no name, and no colour for a thing."""
    asked = question.expected.type
    if asked in _WORDS:
        return False
    if asked not in _THINGS:
        return True
    bare = answer.strip(" .。")
    if bare in question.text if has_han(bare) else repeats(bare, question):
        return False
    is_colour = bool(find_colours(answer)) and len(stems(answer)) <= len(find_colours(answer))
    return not (_EMPTY.match(answer) or numbers_in(answer) or polarity_of(answer) or is_colour)


def repeats(answer: str, question: Question) -> bool:
    """Tell whether an answer only repeats the question: "What breed is the dog?" — "A dog"."""
    return set(query_terms(answer)) <= set(query_terms(question.text))


def _is_offered(answer: str, question: Question) -> bool:
    """Tell whether an answer is one of the choices that the question itself offers, where it offers any."""
    offered = question.form.alternatives
    if not offered or question.expected.type != "choice":
        return True
    said = set(stems(answer))
    return any(said & set(stems(one)) for one in offered) or any(one in answer for one in offered)


def polarity_of(answer: str) -> Polarity | None:
    """Return whether an answer says yes or no; None when it says neither."""
    if _NO.search(answer):
        return "no"
    return "yes" if _YES.search(answer) else None


def agreement(one: Proposal, other: Proposal, question: Question) -> float:
    """Return from -1 to 1 whether another says the same, by how sure it is; 0 when that cannot be told."""
    if one.cannot_tell or other.cannot_tell:
        return 0.0
    return _sameness(one, other, question) * min(1.0, other.sure / _HELD)


def _sameness(one: Proposal, other: Proposal, question: Question) -> float:
    kind = question.expected.type
    if kind == "yes_no":
        first, second = polarity_of(one.answer), polarity_of(other.answer)
        return 0.0 if first is None or second is None else 1.0 if first == second else -1.0
    if kind in _FIGURES:
        return _same_figures(one.answer, other.answer)
    if kind == "colour":
        return 1.0 if set(colours_in(one.answer)) & set(colours_in(other.answer)) else -1.0
    given = set(stems(question.text))
    mine, theirs = set(stems(one.answer)) - given, set(stems(other.answer)) - given
    if not mine or not theirs:
        return 0.0
    # A forest may be in the mountains: other words are no contradiction.
    return 1.0 if mine & theirs or _is_part(one.answer, other.answer) else 0.0


def _is_part(one: str, other: str) -> bool:
    """Tell whether one of two Chinese answers is part of the other, which shared words do not show."""
    short, long = sorted((text.strip(" 。.") for text in (one, other)), key=len)
    return has_han(short) and short in long


def best_proven(best: Proposal, others: Sequence[Proposal], question: Question) -> Proposal:
    """Return the measurement that says what the best proposal says: it shows more than a look does."""
    measured = (one for one in others if one.source == "measured" and not one.cannot_tell)
    return next((one for one in measured if _says_it(one, best, question)), best)


def _says_it(one: Proposal, other: Proposal, question: Question) -> bool:
    if question.expected.type == "yes_no":
        return polarity_of(one.answer) is not None and polarity_of(one.answer) == polarity_of(other.answer)
    if question.expected.type == "number":
        # However unsure a look is by itself, the boxes of the things counted show more.
        counts = [[number.value for number in numbers_in(each.answer)][:1] for each in (one, other)]
        return counts[0] == counts[1] != []
    mine, theirs = set(stems(one.answer)), set(stems(other.answer))
    # "Cat and horse" says what "cat" says, and shows the horse, too.
    is_more = question.expected.type == "thing" and (mine > theirs or _is_part(one.answer, other.answer))
    same = question.expected.type in _FIGURES or mine == theirs or is_more
    return same and agreement(one, other, question) > 0


def _same_figures(one: str, other: str) -> float:
    mine, theirs = ({number.value for number in numbers_in(text)} for text in (one, other))
    if not mine or not theirs:
        return 0.0
    return 1.0 if mine & theirs else -1.0
