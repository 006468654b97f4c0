"""The description of a span in a language."""

from __future__ import annotations

from dataclasses import dataclass

from vidence.index.narrate.chinese import Chinese
from vidence.index.narrate.english import English
from vidence.index.narrate.facts import Facts, ShotFacts
from vidence.index.narrate.plan import compose
from vidence.index.narrate.voice import Detail, Language, Voice

__all__ = ["Description", "confidence_of", "describe", "voice_for"]

_UNNAMED = 0.3
_BLANK, _MADE = 0.95, 0.9


@dataclass(frozen=True)
class Description:
    """A text about a span, and its confidence."""

    text: str
    confidence: float


def voice_for(language: Language) -> Voice:
    """Return the voice of a language."""
    return English() if language == "en" else Chinese()


def describe(facts: Facts, *, detail: Detail = "standard", language: Language = "en") -> Description:
    """Describe a span."""
    sentences = compose(facts, detail, voice_for(language))
    joiner = " " if language == "en" else ""
    return Description(joiner.join(sentences), round(confidence_of(facts), 3))


def confidence_of(facts: Facts) -> float:
    """Return the confidence in the main thing of each shot, weighted by the shot's length."""
    seconds = sum(shot.span.duration_s for shot in facts.shots)
    return sum(_shot_confidence(shot) * shot.span.duration_s for shot in facts.shots) / seconds


def _shot_confidence(shot: ShotFacts) -> float:
    if shot.people and (shot.people.sure or not shot.things):
        return shot.people.score
    if shot.things:
        return shot.things[0].score
    if shot.is_title:
        return shot.text_score
    if shot.style.kind:
        return _MADE
    return _BLANK if shot.style.blank else _UNNAMED
