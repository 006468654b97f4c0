"""What somebody wears: headwear, a tie, sleeves, trousers, and whether the clothes are plain or patterned."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vidence.embedded.recipes.objects import TimedDetections, centre_of, looks_of, pointed_at, position_in
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, call, claim, has_cue, untold
from vidence.embedded.recipes.spans import find_span, sample_times
from vidence.embedded.recipes.wording import article, joined, pick, seconds, sentence
from vidence.embedded.recipes.wording import colours as colour_words
from vidence.language.question import Question, QuestionForm, read_question
from vidence.language.tables import read_table
from vidence.ops.detect_objects import DetectedObject
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Claim

__all__ = ["answer", "asks_worn"]

_FRAMES = 8
_LEAST = 0.3
_NEAR = 0.25
"""How far somebody may move between two looks, in picture widths, to be the same person."""
_LEAST_LOOKS = 2
_AGREED, _COLOUR_AGREED = 0.7, 0.6
"""The share of the looks it was told in that must agree."""
_SEEN_IN, _PATTERN_SEEN_IN = 0.5, 0.25
"""The share of looks in which it must have been told: arms and folds hide a pattern from most of them."""
_BASE, _PER_SHARE = 0.35, 0.4
_EVERY, _PATTERN = "all", "pattern"
_ASPECTS = ("helmet", "headwear", "tie", "pattern", "sleeves")
_KINDS = frozenset({"what", "which", "yes_no"})
_CHOICES = {"pattern": ("striped", "checked", "plain"), "sleeves": ("short", "long")}
_PEOPLE = frozenset({None, "person", "tie"})
_MANY = 2
"""Values that a question names to choose from."""
_COLOURS = ("clothing_color", "lower_clothing_color")


_Sight = tuple[DetectedObject, TimedDetections]
"""Somebody in one look."""


@dataclass(frozen=True)
class _Told:
    """A value that most looks agree on, and the look that shows it."""

    value: str
    share: float
    look: TimedDetections


def asks_worn(question: Question) -> str | None:
    """Return which part of somebody's clothes a question asks for; None where it asks for something else."""
    form = question.form
    if form.kind not in _KINDS or form.sense != "seen":
        return None
    if any(target.category not in _PEOPLE for target in form.targets):
        # A dog may wear a hat, but only people are looked at.
        return None
    if form.kind == "what":
        return _asked_what(question)
    is_worn = has_cue("worn_verb", form.text) or has_cue("region_upper", form.text)
    # Whether it is of a colour is measured elsewhere, and of several people only one is looked at.
    asks_colour = any(target.colours for target in form.targets[-1:])
    if not is_worn or asks_colour or has_cue("worn_several", form.text):
        return None
    aspect = next((one for one in _ASPECTS if has_cue(f"worn_{one}", form.text)), None)
    offers = any(_values(aspect, choice) for choice in form.alternatives) if aspect else False
    return aspect if form.kind == "yes_no" or offers else None


def _asked_what(question: Question) -> str | None:
    form, head = question.form, question.expected.head
    if has_cue("worn_on_head", form.text):
        return "headwear"
    if question.expected.type == _PATTERN:
        is_other = has_cue("worn_elsewhere", form.text)
        return _PATTERN if has_cue("region_upper", form.text) and not is_other else None
    is_open = question.expected.type == "thing" and (not head or has_cue("worn_clothes", head))
    is_asked = has_cue("worn_any", form.text) and not has_cue("worn_elsewhere", form.text)
    return _EVERY if is_open and is_asked else None


def _values(aspect: str, words: str) -> list[str]:
    """Return the values of an aspect that words name."""
    return [value for value in _CHOICES.get(aspect, ()) if has_cue(value, words)]


def answer(inquiry: Inquiry) -> Steps:
    """Look at the person in several frames and tell what most looks agree on."""
    span = yield from find_span(inquiry)
    times = sample_times(span, _FRAMES)
    records = yield [
        call(
            "detect_objects",
            inquiry,
            timestamp=time,
            category="person",
            confidence_threshold=_LEAST,
            worn=True,
        )
        for time in dict.fromkeys(times)
    ]
    seen = _followed(inquiry.form, looks_of(records))
    told = {name: found for name in _names() if (found := _agreed(seen, name)) is not None}
    aspect = asks_worn(read_question(inquiry.variables.question)) or _EVERY
    return _described(inquiry, told) if aspect == _EVERY else _of_aspect(inquiry, aspect, told)


def _followed(form: QuestionForm, looks: Sequence[TimedDetections]) -> list[_Sight]:
    """Return the person that the question means, in each look that shows them."""
    position = position_in(form)
    wanted = {colour for target in form.targets for colour in target.colours}
    shown = [(_worn_by(look.objects, wanted), look) for look in looks]
    if position is not None:
        return [(one, look) for people, look in shown if (one := pointed_at(people, position)) is not None]
    everyone = [(one, look) for people, look in shown for one in people]
    if not everyone:
        return []
    first, _ = max(
        everyone, key=lambda pair: pair[0].confidence * math.sqrt(pair[0].bbox[2] * pair[0].bbox[3])
    )
    near = [(min(people, key=lambda one: _apart(one, first)), look) for people, look in shown if people]
    return [(one, look) for one, look in near if _apart(one, first) <= _NEAR]


def _worn_by(people: Sequence[DetectedObject], colours: set[str]) -> list[DetectedObject]:
    """Return the people in clothes of some colours; all of them where nobody wears these."""
    fits = [
        one
        for one in people
        if any(colour in one.attributes.get(key, "").split(" and ") for key in _COLOURS for colour in colours)
    ]
    return fits or list(people)


def _apart(one: DetectedObject, other: DetectedObject) -> float:
    return math.dist(centre_of(one), centre_of(other))


def _agreed(seen: Sequence[_Sight], name: str) -> _Told | None:
    """Return what most of the looks agree on that tell this attribute at all; None where too few do."""
    values = {value for known, value in _words() if known == name}
    known = [pair for pair in seen if name in pair[0].attributes]
    told = [(pair[0].attributes[name], pair) for pair in known]
    least = _PATTERN_SEEN_IN if name == _PATTERN else _SEEN_IN
    if len(seen) < _LEAST_LOOKS or not known or len(known) < least * len(seen):
        return None
    if name in _COLOURS:
        told = [(colour, pair) for value, pair in told for colour in value.split(" and ")]
    counts = Counter(value for value, _ in told if name in _COLOURS or value in values)
    agreed = _COLOUR_AGREED if name in _COLOURS else _AGREED
    most = [(value, number) for value, number in counts.most_common(2) if number >= agreed * len(known)]
    if not most:
        return None
    first, number = most[0]
    look = max((pair for value, pair in told if value == first), key=lambda pair: pair[0].confidence)[1]
    return _Told(" and ".join(value for value, _ in most), number / len(seen), look)


def _described(inquiry: Inquiry, told: Mapping[str, _Told]) -> Finding:
    """Tell all that is known of the clothes."""
    language = inquiry.language
    parts = [part for part in (_upper(told, language), _lower(told, language)) if part]
    parts += [
        _word(name, told[name].value, language)
        for name in ("tie", "headwear")
        if name in told and told[name].value != "none"
    ]
    if not parts:
        return untold(inquiry)
    if "headwear" in told and told["headwear"].value == "none" and language == "zh":
        parts.append(_word("headwear", "none", language))
    text = "，".join(parts) if language == "zh" else joined(parts, language)
    return _finding(inquiry, text, told)


def _upper(told: Mapping[str, _Told], language: AnswerLanguage) -> str:
    """Return the upper garment with its colour, pattern and sleeves; empty where none was told."""
    words = [colour_words(told["clothing_color"].value, language)] if "clothing_color" in told else []
    # The colour alone says that clothes are plain.
    is_said = words and "pattern" in told and told["pattern"].value == "plain"
    names = [name for name in ("pattern", "sleeves") if name in told and not (name == "pattern" and is_said)]
    words += [_word(name, told[name].value, language) for name in names]
    if not words:
        return ""
    return pick(language, article(" ".join([*words, "top"])), "".join([*words, "上衣"]))


def _lower(told: Mapping[str, _Told], language: AnswerLanguage) -> str:
    """Return the lower garment; a colour below the waist alone may be that of a table."""
    if "legwear" not in told:
        return ""
    words = (
        [colour_words(told["lower_clothing_color"].value, language)] if "lower_clothing_color" in told else []
    )
    return pick(language, " ", "").join([*words, _word("legwear", told["legwear"].value, language)])


def _of_aspect(inquiry: Inquiry, aspect: str, told: Mapping[str, _Told]) -> Finding:
    """Answer for one part of the clothes; a kind of hat, and what was not clear, cannot be told."""
    name = "headwear" if aspect == "helmet" else aspect
    found = told.get(name)
    if found is None or (found.value != "none" and _is_narrower(inquiry.form, aspect)):
        return untold(inquiry)
    words = _word(name, found.value, inquiry.language)
    asked = _values(name, inquiry.form.text)
    if inquiry.form.kind == "yes_no" and len(asked) < _MANY:
        is_so = found.value in asked if asked else found.value != "none"
        if is_so or inquiry.language == "en" or found.value != "none":
            words = inquiry.say("yes_that" if is_so else "no_that", words)
    return _finding(inquiry, words, {name: found})


def _is_narrower(form: QuestionForm, aspect: str) -> bool:
    """Tell whether a kind of hat or tie is asked for, which cannot be told: a helmet, a straw hat."""
    named = [target for target in form.targets if has_cue(f"worn_{aspect}", f"wearing {target.text}")]
    return aspect == "helmet" or (aspect not in _CHOICES and any(target.modifiers for target in named))


def _finding(inquiry: Inquiry, text: str, told: Mapping[str, _Told]) -> Finding:
    claims: list[Claim] = []
    for name, one in told.items():
        at = seconds(one.look.time_s, inquiry.language)
        words = (
            colour_words(one.value, inquiry.language)
            if name in _COLOURS
            else _word(name, one.value, inquiry.language)
        )
        said = inquiry.say("worn_at", words, at=at)
        claims += claim(said, one.look.record, one.look.time_s, quote=one.value.split(" and ")[0])
    share = (
        min(one.share for one in told.values()) if len(told) == 1 else max(one.share for one in told.values())
    )
    return Finding(sentence(text, inquiry.language), _BASE + _PER_SHARE * share, tuple(claims))


def _names() -> tuple[str, ...]:
    return tuple(dict.fromkeys([*_COLOURS, *(name for name, _ in _words())]))


def _word(name: str, value: str, language: AnswerLanguage) -> str:
    return pick(language, *_words()[name, value])


@lru_cache(maxsize=1)
def _words() -> Mapping[tuple[str, str], tuple[str, str]]:
    return {
        (name, value): (english, chinese)
        for name, value, english, chinese in read_table("worn.tsv", "embedded")
    }
