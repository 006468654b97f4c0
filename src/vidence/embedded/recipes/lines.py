"""Lines of text seen in several frames, put together by what they say and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from vidence.embedded.recipes.cite import read
from vidence.ops.detect_objects import DetectedObject, DetectObjectsResult
from vidence.schema.evidence import EvidenceRecord

__all__ = ["Sighting", "TextLine", "gather_lines"]

_ALIKE = 0.6
_NEAR = 0.2


@dataclass(frozen=True)
class Sighting:
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
class TextLine:
    """A line that was read in one or more frames."""

    sightings: list[Sighting] = field(default_factory=list)

    @property
    def best(self) -> Sighting:
        """The reading most like all others, the surest of those."""
        return max(
            self.sightings,
            key=lambda one: sum(_like(one.text, o.text) * o.confidence for o in self.sightings),
        )

    @property
    def text(self) -> str:
        """What it says, with misread words put right where that could be done."""
        fixed = [one for one in self.sightings if one.may_read]
        # A reading that only one frame in many supports is not put right by it.
        if fixed and 2 * len(fixed) >= len(self.sightings) * 0.5 and self.best.confidence < 0.95:
            return max(fixed, key=lambda one: one.confidence).may_read or self.best.text
        return self.best.text

    @property
    def source(self) -> Sighting:
        """The frame that shows the text as it is given."""
        exact = [one for one in self.sightings if self.text in (one.text, one.may_read)]
        return max(exact, key=lambda one: one.confidence)

    @property
    def height(self) -> float:
        return max(one.height for one in self.sightings)

    @property
    def y(self) -> float:
        return self.best.y

    @property
    def x(self) -> float:
        return self.best.x

    @property
    def confidence(self) -> float:
        return max(one.confidence for one in self.sightings)


def gather_lines(records: Sequence[EvidenceRecord | None]) -> list[TextLine]:
    """Return the lines of all frames, each once, in the order they are first seen."""
    lines: list[TextLine] = []
    for record in records:
        found = read(record, DetectObjectsResult)
        if found is None or record is None:
            continue
        for one in found.objects:
            if one.category == "text" and "text" in one.attributes:
                _add(lines, _sighting(one, found.timestamp, record))
    return [line for line in lines if len(line.best.text) > 1 or line.confidence > 0.95]


def _sighting(one: DetectedObject, time_s: float, record: EvidenceRecord) -> Sighting:
    x, y, _, height = one.bbox
    attributes = one.attributes
    return Sighting(
        attributes["text"], attributes.get("may_read"), time_s, height, x, y, one.confidence, record
    )


def _add(lines: list[TextLine], one: Sighting) -> None:
    for line in lines:
        same_frame = any(other.time_s == one.time_s for other in line.sightings)
        if not same_frame and any(_like(one.text, other.text) >= _ALIKE for other in line.sightings):
            line.sightings.append(one)
            return
    lines.append(TextLine([one]))


def _like(one: str, other: str) -> float:
    return SequenceMatcher(None, one.lower(), other.lower()).ratio()
