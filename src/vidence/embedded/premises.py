"""What a question takes for granted: the things it names, looked for before it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from vidence.embedded.recipes.objects import detect_at
from vidence.embedded.recipes.recipe import Inquiry, StepsOf
from vidence.embedded.recipes.spans import QuestionSpan, likely_times
from vidence.language.categories import category_words, same_thing
from vidence.language.question import Target, read_question
from vidence.language.tokens import stems
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.reading import NotedLine

__all__ = ["NamedThing", "Premises", "check_premises"]

_LOOKS = 5
_LEAST = 0.3
_MOST_THINGS = 2
_SEEN_WELL = ("animal", "vehicle")
_UNNAMED_KINDS = frozenset({"describe", "cuts", "camera"})
"""Questions about the video as a whole take nothing in it for granted."""


@dataclass(frozen=True)
class NamedThing:
    """A thing the question names, and how surely detectors saw it."""

    target: Target
    seen: float
    record: EvidenceRecord | None
    """The look that shows it, or one that does not."""


@dataclass(frozen=True)
class Premises:
    """The things a question takes for granted that detectors know."""

    things: tuple[NamedThing, ...] = ()

    def missing(self, notes: Sequence[NotedLine]) -> list[NamedThing]:
        """Return the things that were looked for, not seen, and named in no note."""
        return [one for one in self.things if one.seen < _LEAST and not _is_noted(one.target, notes)]


def check_premises(inquiry: Inquiry) -> StepsOf[Premises]:
    """Look for the things that the question names and that it does not ask for."""
    form, question = inquiry.form, read_question(inquiry.variables.question)
    is_subject = form.kind in ("yes_no", "count", "which")
    # What is itself asked for is not taken for granted.
    others = form.targets[1:] if is_subject else form.targets
    # A single Chinese character is often a part of another word: 牛 of 牛仔.
    named = [one for one in others if len(one.head) > 1 and one.category in _reliable()]
    targets = [one for one in named if one.head != question.expected.head][:_MOST_THINGS]
    if not targets or form.kind in _UNNAMED_KINDS:
        return Premises()
    things: list[NamedThing] = []
    for target in targets:
        assert target.category is not None
        whole = QuestionSpan(0.0, inquiry.duration_s, whole=True)
        times = yield from likely_times(inquiry, whole, target.text, _LOOKS)
        looks = yield from detect_at(inquiry, times, target.category, threshold=_LEAST)
        best = max(looks, key=lambda one: max((o.confidence for o in one.objects), default=0.0), default=None)
        seen = max((one.confidence for one in best.objects), default=0.0) if best else 1.0
        things.append(NamedThing(target, seen, best.record if best else None))
    return Premises(tuple(things))


@lru_cache(maxsize=1)
def _reliable() -> frozenset[str]:
    """Return the kinds of thing whose absence detectors show: small things and parts are often missed."""
    words = category_words()
    return frozenset().union(*(words[group] | {group} for group in _SEEN_WELL))


def _is_noted(target: Target, notes: Sequence[NotedLine]) -> bool:
    wanted = set(stems(target.head))
    return any(
        wanted & set(stems(line.text))
        or any(same_thing(word.strip(".,;:!?").lower(), target.category or "") for word in line.text.split())
        for line in notes
    )
