"""Text on screen: the same line in several frames put together, and the names of people in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from vidence.embedded.recipes.recipe import read
from vidence.language.tables import words_of
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.schema.evidence import EvidenceRecord

__all__ = ["ScreenLine", "gather_lines", "person_named"]

_ALIKE = 0.6
_NEAR = 0.2
_NAME = re.compile(
    r"\b([A-Z][a-z]+(?:[-'][A-Z]?[a-z]+)?(?:\s+(?:[A-Z]\.\s*)?(?:de|van|von|la|del)?\s*[A-Z][a-z]+)+)\b"
)
_ROLES = words_of("words.tsv", "job_title", room="embedded")


@dataclass(frozen=True)
class _LineReading:
    """One line in one frame."""

    text: str
    may_read: str | None
    time_s: float
    height: float
    x: float
    y: float
    confidence: float
    record: EvidenceRecord


@dataclass
class ScreenLine:
    """A line that was read in one or more frames."""

    readings: list[_LineReading] = field(default_factory=list)

    @property
    def best(self) -> _LineReading:
        """The reading most similar to all others, weighted by confidence."""
        return max(
            self.readings,
            key=lambda one: sum(_like(one.text, o.text) * o.confidence for o in self.readings),
        )

    @property
    def text(self) -> str:
        """The text, with misread words corrected where possible."""
        fixed = [one for one in self.readings if one.may_read]
        # A correction needs the support of a quarter of the frames.
        if fixed and 2 * len(fixed) >= len(self.readings) * 0.5 and self.best.confidence < 0.95:
            return max(fixed, key=lambda one: one.confidence).may_read or self.best.text
        return self.best.text

    @property
    def source(self) -> _LineReading:
        """The reading that shows the text as reported."""
        exact = [one for one in self.readings if self.text in (one.text, one.may_read)]
        return max(exact, key=lambda one: one.confidence)

    @property
    def height(self) -> float:
        return max(one.height for one in self.readings)

    @property
    def y(self) -> float:
        return self.best.y

    @property
    def x(self) -> float:
        return self.best.x

    @property
    def confidence(self) -> float:
        return max(one.confidence for one in self.readings)


def gather_lines(records: Sequence[EvidenceRecord | None]) -> list[ScreenLine]:
    """Return the lines of all frames, each once, in the order they are first seen."""
    lines: list[ScreenLine] = []
    for record in records:
        found = read(record, DetectObjectsResult)
        if found is None or record is None:
            continue
        for one in found.objects:
            if one.category == "text" and "text" in one.attributes:
                _add(lines, _reading(one, found.timestamp, record))
    return [line for line in lines if len(line.best.text) > 1 or line.confidence > 0.95]


def _reading(one: DetectedObject, time_s: float, record: EvidenceRecord) -> _LineReading:
    x, y, _, height = one.bbox
    attributes = one.attributes
    return _LineReading(
        attributes["text"], attributes.get("may_read"), time_s, height, x, y, one.confidence, record
    )


def _add(lines: list[ScreenLine], one: _LineReading) -> None:
    for line in lines:
        same_frame = any(other.time_s == one.time_s for other in line.readings)
        if not same_frame and any(_like(one.text, other.text) >= _ALIKE for other in line.readings):
            line.readings.append(one)
            return
    lines.append(ScreenLine([one]))


def _like(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()


def person_named(lines: Sequence[ScreenLine]) -> tuple[str, ScreenLine] | None:
    """Return the line that looks like a person's name, preferring one near a job title."""
    found = []
    for line in lines:
        match = _NAME.search(line.text)
        words = [word.lower() for word in line.text.split()]
        if match and not any(char.isdigit() for char in line.text):
            name = " ".join(word for word in match[1].split() if word.lower() not in _ROLES)
            office = any(_ROLES & {w.lower().strip(".,") for w in other.text.split()} for other in lines)
            found.append((len(words) <= 4, office, len(line.readings), name, line))
    if not found:
        return None
    best = max(found, key=lambda each: each[:3])
    return best[3], best[4]
