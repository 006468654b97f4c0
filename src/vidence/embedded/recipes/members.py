"""Which members of a group of things are seen: the animals, vehicles or fruit of a video."""

from __future__ import annotations

from vidence.embedded.recipes.objects import TimedDetections, detect_at, spread
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, claim
from vidence.embedded.recipes.spans import find_span
from vidence.embedded.recipes.wording import article, joined, pick, seconds, sentence
from vidence.language.categories import category_words
from vidence.language.labels import label_in
from vidence.language.phrases import phrase
from vidence.language.question import Question, Target
from vidence.schema.agent import AnswerLanguage

__all__ = ["answer", "asks_for_members"]

_LOOKS = 9
_MOST_NAMED = 5
_LEAST_SHARE = 0.6
"""A member is named from this share of the surest one's confidence on."""
_BASE, _PER_CONFIDENCE = 0.35, 0.45


def asks_for_members(question: Question) -> bool:
    """Tell whether a question asks which things of a group there are: "What animal is there?"."""
    targets = question.form.targets
    return question.expected.type == "thing" and bool(targets) and _is_asked_group(targets[0], question)


def _is_asked_group(target: Target, question: Question) -> bool:
    members = category_words().get(target.category or "", frozenset())
    return target.head == question.expected.head and len(members) > 1


def answer(inquiry: Inquiry) -> Steps:
    """Return the members that detectors see, the surest first."""
    language, target = inquiry.form.language, inquiry.form.targets[0]
    span = yield from find_span(inquiry)
    times = spread(span.start_s, span.end_s, _LOOKS, inquiry.duration_s)
    looks = yield from detect_at(inquiry, times, target)
    seen = _surest(looks)
    if not seen:
        return Finding(phrase("cannot_tell", language), 0.3, cannot_tell=True)
    names = [label_in(category, language) for category in seen]
    claims = [
        claim(_shown(name, look.time_s, language), look.record)
        for name, (look, _) in zip(names, seen.values(), strict=True)
    ]
    sure = _BASE + _PER_CONFIDENCE * max(confidence for _, confidence in seen.values())
    told = sentence(joined(names, language), language)
    return Finding(told, sure, tuple(one for many in claims for one in many))


def _shown(name: str, time_s: float, language: AnswerLanguage) -> str:
    at = seconds(time_s, language)
    return pick(language, f"At {at} {article(name)} is in the picture.", f"{at}时画面中有{name}。")


def _surest(looks: list[TimedDetections]) -> dict[str, tuple[TimedDetections, float]]:
    """Return for each category the look that shows it best and its confidence, the surest first."""
    best: dict[str, tuple[TimedDetections, float]] = {}
    for look in looks:
        for thing in look.objects:
            if thing.confidence > best.get(thing.category, (look, 0.0))[1]:
                best[thing.category] = (look, thing.confidence)
    ordered = sorted(best.items(), key=lambda pair: -pair[1][1])[:_MOST_NAMED]
    least = _LEAST_SHARE * ordered[0][1][1] if ordered else 0.0
    return {category: shown for category, shown in ordered if shown[1] >= least}
