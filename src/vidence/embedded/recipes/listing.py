"""Which things of a kind there are, all of them: what animals, 哪些车辆."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidence.embedded.recipes.cite import claim
from vidence.embedded.recipes.moments import moment_of, sample_times
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps
from vidence.embedded.recipes.timeline import Look, look
from vidence.embedded.recipes.wording import article, joined, pick, seconds, sentence
from vidence.index.narrate.naming import category_name
from vidence.language.categories import group_names
from vidence.language.question.form import QuestionForm, Target
from vidence.ops.detect_objects import DetectedObject

__all__ = ["list_group", "listed_group"]

_LOOKS = 9
_SURE = 0.8
_AGAIN = 2
"""A thing is there when it is seen so often, or once and surely."""
_MANY_ZH = re.compile(r"哪些|哪几|有什么|有些?什么|都有")


def listed_group(form: QuestionForm) -> Target | None:
    """Return the group of things that a question wants listed; None where it asks for one thing."""
    if not form.targets or form.targets[0].category not in group_names():
        return None
    group = form.targets[0]
    several = _MANY_ZH.search(form.text) if form.language == "zh" else group.text.lower().endswith("s")
    return group if several else None


def list_group(inquiry: Inquiry, group: Target) -> Steps:
    """Look all over the part that is meant and name every member of the group that is seen."""
    language = inquiry.form.language
    moment = yield from moment_of(inquiry)
    looks = yield from look(inquiry, sample_times(moment, _LOOKS), group.category or group)
    found = _seen(looks)
    if not found:
        text = pick(language, f"None: no {group.head} was seen.", f"没有看到{group.head}。")
        return Finding(text, 0.5, claim(text, looks[0].record if looks else None))
    names = [category_name(best.category) for best, _ in found]
    words = [name.zh if language == "zh" else article(name.en) for name in names]
    claims = tuple(
        part
        for (best, one), word in zip(found, words, strict=True)
        for part in claim(
            pick(
                language,
                f"{sentence(word, 'en').rstrip('.')} is seen at {seconds(one.time_s, 'en')}.",
                f"{seconds(one.time_s, 'zh')}时看到{word}（{best.category}）。",
            ),
            one.record,
            quote=best.category,
        )
    )
    return Finding(sentence(joined(words, language), language), 0.6, claims)


def _seen(looks: Sequence[Look]) -> list[tuple[DetectedObject, Look]]:
    """Return each member once, with its surest sighting, those seen most often first."""
    sightings: dict[str, list[tuple[DetectedObject, Look]]] = {}
    for one in looks:
        for thing in one.objects:
            sightings.setdefault(thing.category, []).append((thing, one))
    kept = [each for each in sightings.values() if _is_there(each)]
    kept.sort(key=lambda each: -len(each))
    return [max(each, key=lambda pair: pair[0].confidence) for each in kept]


def _is_there(sightings: Sequence[tuple[DetectedObject, Look]]) -> bool:
    again = len({one.time_s for _, one in sightings}) >= _AGAIN
    return again or max(thing.confidence for thing, _ in sightings) >= _SURE
