"""Answers in English and Chinese from measured facts; what was not measured is reported as unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vidence.language.categories import categories
from vidence.language.colours import colour_word
from vidence.language.question import StateAspect, StateQuestion
from vidence.language.tables import pattern_of, read_table
from vidence.queries.entities.facts import EntityFacts, OtherObject, held, neighbours
from vidence.schema.agent import AnswerLanguage

__all__ = ["CANNOT_TELL", "StateAnswer", "answer_state", "cannot_tell"]

CANNOT_TELL = 0.15
"""The confidence of an answer that says it cannot be told."""
_WORN = ("pattern", "sleeves", "legwear", "tie", "headwear")
_YES_NO: dict[AnswerLanguage, tuple[str, str]] = {"en": ("Yes. ", "No. "), "zh": ("是的，", "不是，")}


@dataclass(frozen=True)
class StateAnswer:
    """A sentence and its confidence."""

    text: str
    confidence: float


def answer_state(question: StateQuestion, facts: EntityFacts) -> StateAnswer:
    """Answer a question from the facts."""
    if question.kind is None:
        return cannot_tell(question.language)
    told = _TELLERS[question.kind](facts, question)
    return told or cannot_tell(question.language, question.kind)


def cannot_tell(language: AnswerLanguage, kind: StateAspect | None = None) -> StateAnswer:
    """Return the answer that says it is not known."""
    key = f"unknown {kind}" if f"unknown {kind}" in _sentences() else "unknown"
    return StateAnswer(_words(key, language), CANNOT_TELL)


def _colour(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    language = question.language
    upper = facts.attributes.get("clothing_color" if facts.category == "person" else "color")
    lower = facts.attributes.get("lower_clothing_color")
    if upper is None and lower is None:
        return None
    lead = _yes_no(question, question.colours, f"{upper} {lower}") if question.colours else ""
    if facts.category != "person":
        return _say("colour", facts, question, _hue(upper, language), most=0.75, lead=lead)
    worn = (("clothes upper", upper), ("clothes lower", lower))
    parts = [_words(part, language).format(words=_hue(colour, language)) for part, colour in worn if colour]
    if not question.colours and not pattern_of("state_words.tsv", "hue").search(question.text):
        parts += _garments(facts, language)
    words = (
        "，".join(parts)
        if language == "zh"
        else " and ".join([*filter(None, [", ".join(parts[:-1])]), *parts[-1:]])
    )
    return _say("clothes", facts, question, words, most=0.75, lead=lead)


def _garments(facts: EntityFacts, language: AnswerLanguage) -> list[str]:
    """Return the clothes that could be told; that a hat or tie is not there is left out."""
    keys = [f"worn {name} {facts.attributes[name]}" for name in _WORN if name in facts.attributes]
    return [_words(key, language) for key in keys if key in _sentences()]


def _posture(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    if facts.posture is None:
        return None
    lead = _yes_no(question, question.postures, facts.posture) if len(set(question.postures)) == 1 else ""
    words = _words(f"posture {facts.posture}", question.language)
    return _say("posture", facts, question, words, most=0.8, lead=lead)


def _holding(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    things = held(facts)
    if not things:
        return None
    sure = round(min(0.8, things[0].confidence * 0.9), 3)
    return _say("holding", facts, question, _listed(things[:2], question.language), sure=sure)


def _near(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    things = neighbours(facts)
    if not things:
        return _say("near nothing", facts, question, sure=0.4)
    sure = round(min(0.85, min(one.confidence for one in things)), 3)
    return _say("near", facts, question, _listed(things, question.language), sure=sure)


def _action(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    if facts.acts is None:
        return _motion(facts, question) if facts.category != "person" else None
    return _say("action", facts, question, _words(f"action {facts.acts}", question.language), most=0.7)


def _motion(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    if facts.moves is None:
        return None
    return _say("motion", facts, question, _words(f"motion {facts.moves}", question.language), most=0.75)


def _place(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    column = _third(facts.box.centre[0], ("left", "center", "right"))
    row = _third(facts.box.centre[1], ("upper", "middle", "lower"))
    return _say("place", facts, question, _words(f"place {row} {column}", question.language), most=0.9)


def _size(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    size = _words(f"size {facts.attributes.get('size', 'medium')}", question.language)
    return _say("size", facts, question, size, most=0.8)


def _looking(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    if facts.facing is None:
        return None
    return _say("looking", facts, question, _words(f"looking {facts.facing}", question.language), sure=0.5)


def _kind(facts: EntityFacts, question: StateQuestion) -> StateAnswer | None:
    english = _with_article(facts.category)
    chinese = "人" if facts.category == "person" else _named(facts.category, "zh")
    return _say("kind", facts, question, english if question.language == "en" else chinese, most=0.95)


def _say(
    key: str,
    facts: EntityFacts,
    question: StateQuestion,
    words: str = "",
    *,
    most: float = 1.0,
    sure: float | None = None,
    lead: str = "",
) -> StateAnswer:
    """Fill in a sentence; its confidence is `sure`, or the detector's, at most `most`.

    A detection from the track alone counts for less than one in the frame itself.
    """
    subject, share = _named(facts.category, question.language), round(facts.box.area * 100)
    text = lead + _words(key, question.language).format(subject=subject, words=words, share=share)
    seen = round(most * (0.5 + 0.5 * facts.confidence) * (1.0 if facts.seen else 0.7), 3)
    return StateAnswer(text, seen if sure is None else sure)


def _yes_no(question: StateQuestion, asked: Sequence[str], measured: str) -> str:
    if not question.yes_or_no:
        return ""
    return _YES_NO[question.language][0 if all(one in measured for one in asked) else 1]


def _hue(colours: str | None, language: AnswerLanguage) -> str:
    if language == "en":
        return str(colours)
    return "和".join(colour_word(one, "zh") for one in (colours or "").split(" and ") if one)


def _listed(things: Sequence[OtherObject], language: AnswerLanguage) -> str:
    names = list(dict.fromkeys(_named(one.category, language) for one in things))
    return "、".join(names) if language == "zh" else " and ".join(_with_article(name) for name in names)


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _named(category: str, language: AnswerLanguage) -> str:
    if language == "en":
        return category
    if category == "person":
        return "此人"
    return next((one.chinese for one in categories().values() if one.name == category), category)


def _third(value: float, names: tuple[str, str, str]) -> str:
    return names[0] if value < 1 / 3 else names[2] if value > 2 / 3 else names[1]


def _words(key: str, language: AnswerLanguage) -> str:
    return _sentences()[key][0 if language == "en" else 1]


@lru_cache(maxsize=1)
def _sentences() -> dict[str, tuple[str, str]]:
    return {key: (english, chinese) for key, english, chinese in read_table("entity_answers.tsv")}


_Teller = Callable[[EntityFacts, StateQuestion], StateAnswer | None]
_TELLERS: dict[StateAspect, _Teller] = {
    "colour": _colour,
    "posture": _posture,
    "holding": _holding,
    "near": _near,
    "action": _action,
    "motion": _motion,
    "place": _place,
    "size": _size,
    "looking": _looking,
    "kind": _kind,
}
