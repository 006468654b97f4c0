"""Events of a story: sentences in which something happens to somebody, weighed by how much it changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from vidence.knowledge.mentions import Mention
from vidence.language.identify import has_han
from vidence.language.tables import read_table

__all__ = ["EventFound", "find_events"]

_NOT_ENGLISH = re.compile(
    r"\b(?:not|never|would|could|should|might|may|will|shall|if|whether|to)\s+(?:\w+\s+)?$", re.IGNORECASE
)
_NOT_CHINESE = re.compile(r"(?:不|没|没有|别|未|要|会|若|如果|可|能|该)$")
_MAX_PEOPLE = 6
_PLAIN = 0.5
"""The weight of an event whose verb changes nothing by itself."""


@dataclass(frozen=True)
class EventFound:
    """A sentence that tells an event: the word for it, the people in it, and how much it weighs."""

    start: int
    end: int
    what: str
    people: tuple[str, ...]
    weight: float
    place: str | None = None


def find_events(
    text: str,
    start: int,
    end: int,
    mentions: Sequence[Mention],
    *,
    told: Sequence[tuple[int, int]] | None = None,
    place: str | None = None,
) -> Iterator[EventFound]:
    """Yield the weightiest event of a sentence, where it names somebody.

    Args:
        mentions: the people of the sentence, in order.
        told: the words that tell something that happens, where a model read them; other verbs do not count.
        place: where it happens, where that is said.
    """
    people = tuple(dict.fromkeys(one.entity_id for one in mentions))[:_MAX_PEOPLE]
    if not people or told == []:
        return
    is_chinese = has_han(text[start:end])
    pattern, weights = _verbs("zh" if is_chinese else "en")
    refused = _NOT_CHINESE if is_chinese else _NOT_ENGLISH
    taken = [(one.start, one.end) for one in mentions]
    best: tuple[float, str] | None = None
    for found in pattern.finditer(text, start, end):
        if any(first < found.end() and found.start() < last for first, last in taken):
            continue
        if told is None and refused.search(text[max(start, found.start() - 24) : found.start()]):
            continue
        if told is not None and found.span() not in told:
            continue
        weight = weights[found[0].lower()]
        if best is None or weight > best[0]:
            best = (weight, found[0])
    if best is None and told:
        first, last = told[0]
        best = (_PLAIN, text[first:last])
    if best:
        yield EventFound(start, end, best[1], people, best[0] * (1 + 0.2 * (len(people) - 1)), place)


@lru_cache(maxsize=2)
def _verbs(language: str) -> tuple[re.Pattern[str], dict[str, float]]:
    rows = [row for row in read_table("events.tsv", "knowledge") if row[0] == language]
    weights = {word: float(row[1]) for row in rows for word in row[2].split()}
    body = "|".join(sorted(map(re.escape, weights), key=lambda word: (-len(word), word)))
    return re.compile(body if language == "zh" else rf"\b(?:{body})\b", re.IGNORECASE), weights
