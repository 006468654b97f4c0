"""How many: at a moment, at most or at least over time, different ones, or how often something happens."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from vidence.embedded.recipes.cite import claim
from vidence.embedded.recipes.counted_aloud import told_number
from vidence.embedded.recipes.distinct import count_distinct
from vidence.embedded.recipes.moments import Moment, moment_of
from vidence.embedded.recipes.nouns import counted, in_picture
from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps
from vidence.embedded.recipes.repeated import count_repeated
from vidence.embedded.recipes.speakers import count_speakers
from vidence.embedded.recipes.timeline import Look, look, spread, sure_of
from vidence.embedded.recipes.wording import pick, seconds
from vidence.language.colours import find_colours
from vidence.language.question.form import Target

__all__ = ["answer"]

_SPREAD = 9
_DENSE = 28
_DENSE_STEP_S = 0.5
_MOMENT_LOOKS = 3
_MOMENT_S = 1.0
_WORN = re.compile(r"\b(?:wear(?:s|ing)?|dressed in)\s+([^?.,]+)|穿(?:着)?([^？。，的]+)", re.IGNORECASE)


def answer(inquiry: Inquiry) -> Steps:
    """Choose the way of counting the question asks for."""
    form = inquiry.form
    asked = form.targets[0] if form.targets else None
    if form.sense == "said" and asked is not None and asked.category == "person" and not form.repeated:
        return (yield from count_speakers(inquiry))
    if form.repeated or form.sense in ("heard", "said"):
        return (yield from count_repeated(inquiry))
    target = _target(inquiry)
    if target is None:
        return (yield from count_repeated(inquiry))
    if form.extreme is not None:
        return (yield from _extreme(inquiry, target))
    if form.distinct and not _at_a_moment(inquiry):
        return (yield from count_distinct(inquiry, target))
    return (yield from _visible(inquiry, target))


def _target(inquiry: Inquiry) -> Target | None:
    """Return what is to be counted, with what it wears where that is asked."""
    form = inquiry.form
    if not form.targets:
        return None
    first = form.targets[0]
    worn = _WORN.search(form.text)
    if worn and first.category and find_colours(worn[1] or worn[2]):
        return replace(first, phrase=f"{first.category} wearing {(worn[1] or worn[2]).strip()}")
    if first.category is None or first.colours or find_colours(first.phrase):
        return first
    # What a table or a street is for is no part of what is counted.
    return replace(first, phrase=first.text)


def _at_a_moment(inquiry: Inquiry) -> bool:
    return inquiry.form.anchor("at", "start", "end") is not None


def _visible(inquiry: Inquiry, target: Target) -> Steps:
    """Count what is seen at the time meant, or most of the time where none is named."""
    moment = yield from moment_of(inquiry)
    looks = yield from look(inquiry, _times(inquiry, moment), target)
    if not looks:
        return _nothing(inquiry, target)
    if target.category is None and not any(one.count for one in looks):
        # What no detector knows is not seen even where it is; a voice may have counted it.
        return (yield from told_number(inquiry, target, moment)) or _nothing(inquiry, target)
    # Where no time is named, the question is about when they are there.
    meant = [one for one in looks if one.count or not moment.whole] or looks
    value, agreeing = _usual(meant)
    best = max(agreeing, key=lambda one: sure_of([one]))
    share = len(agreeing) / len(meant) * min(1.0, 0.5 + len(meant) / len(looks))
    probability = (0.25 + 0.6 * share * sure_of(agreeing)) * min(1.0, 0.6 + 0.4 * moment.chance)
    probability *= _known(target) * (0.9 if value > 4 else 1.0)
    return _finding(inquiry, target, value, best, probability, looks)


def _times(inquiry: Inquiry, moment: Moment) -> list[float]:
    """Return when to look: close together at a moment, spread over the whole video otherwise."""
    start = inquiry.form.anchor("start")
    if moment.whole:
        return spread(0.0, inquiry.duration_s, _SPREAD, inquiry.duration_s)
    if start is not None and moment.start_s == 0.0:
        return spread(0.0, min(_MOMENT_S, moment.end_s), _MOMENT_LOOKS, inquiry.duration_s)
    if inquiry.form.anchor("end") is not None and moment.end_s >= inquiry.duration_s:
        return spread(inquiry.duration_s - _MOMENT_S, inquiry.duration_s, _MOMENT_LOOKS, inquiry.duration_s)
    looks = _MOMENT_LOOKS if moment.end_s - moment.start_s < 2 * _MOMENT_S else _SPREAD // 2 + 1
    return spread(moment.start_s, moment.end_s, looks, inquiry.duration_s)


def _usual(looks: Sequence[Look]) -> tuple[int, list[Look]]:
    tally = Counter(one.count for one in looks)
    value = max(tally, key=lambda count: (tally[count], count))
    return value, [one for one in looks if one.count == value]


def _extreme(inquiry: Inquiry, target: Target) -> Steps:
    """Count at many times; a number must be seen more than once to be the most or the fewest."""
    number = min(_DENSE, max(_SPREAD, int(inquiry.duration_s / _DENSE_STEP_S)))
    looks = yield from look(inquiry, spread(0.0, inquiry.duration_s, number, inquiry.duration_s), target)
    if not looks:
        return _nothing(inquiry, target)
    tally = Counter(one.count for one in looks)
    often = [count for count, times in tally.items() if times >= 2] or list(tally)
    most = inquiry.form.extreme == "most"
    # The fewest visible is asked where some are: an empty look says that they were missed or gone.
    fewest = min((count for count in often if count), default=0)
    value = max(often) if most else fewest
    best = max((one for one in looks if one.count == value), key=lambda one: sure_of([one]))
    share = min(1.0, tally[value] / 4)
    probability = (0.35 + 0.4 * share) * _known(target) * (1.0 if value < 5 else 0.8)
    return _finding(inquiry, target, value, best, probability, looks)


def _known(target: Target) -> float:
    return 1.0 if target.category else 0.45


def _finding(
    inquiry: Inquiry, target: Target, value: int, best: Look, probability: float, looks: Sequence[Look]
) -> Finding:
    language = inquiry.form.language
    said = in_picture(value, target, best.time_s, language)
    answer_text = (
        f"{counted(value, target, language)} ({pick(language, 'at ', '')}{seconds(best.time_s, language)})"
    )
    looked = pick(
        language,
        f"Looked at {len(looks)} moments; {said}",
        f"查看了 {len(looks)} 个时刻；{said}",
    )
    return Finding(answer_text, min(probability, 0.95), claim(said, best.record), looked)


def _nothing(inquiry: Inquiry, target: Target) -> Finding:
    words = pick(
        inquiry.form.language,
        f"Cannot be told: no {target.head} could be looked for.",
        f"无法判断：无法查找{target.head}。",
    )
    return Finding(words, 0.05, cannot_tell=True)
