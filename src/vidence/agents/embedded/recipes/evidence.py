"""Reading records and citing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidence.schema.evidence import Citation, EvidenceRecord

__all__ = ["Seen", "Span", "cite", "found_spans", "objects_of", "seconds"]


@dataclass(frozen=True)
class Span:
    """A stretch of the video and how surely it is what was searched for."""

    start_s: float
    end_s: float
    confidence: float

    @property
    def middle_s(self) -> float:
        return (self.start_s + self.end_s) / 2


@dataclass(frozen=True)
class Seen:
    """One object that detect_objects found."""

    category: str
    bbox: tuple[float, float, float, float]
    confidence: float
    attributes: dict[str, str]

    @property
    def centre_x(self) -> float:
        return self.bbox[0] + self.bbox[2] / 2

    @property
    def centre_y(self) -> float:
        return self.bbox[1] + self.bbox[3] / 2


def cite(
    record: EvidenceRecord, start_s: float | None = None, end_s: float | None = None, quote: str | None = None
) -> Citation:
    """Return a citation of a record, of its own span where none is given."""
    if start_s is None and record.span is not None:
        start_s, end_s = record.span.start_time, record.span.end_time
    return Citation(
        record_id=record.record_id,
        start_time=None if start_s is None else round(start_s, 3),
        end_time=None if end_s is None else round(end_s, 3),
        quote=quote or None,
    )


def found_spans(record: EvidenceRecord | None) -> list[Span]:
    """Return what a temporal_search found, the likeliest first."""
    if record is None or not isinstance(record.result, dict):
        return []
    return [
        Span(float(hit["start_time"]), float(hit["end_time"]), float(hit["confidence"]))
        for hit in _rows(record.result.get("results"))
    ]


def objects_of(record: EvidenceRecord | None, *, at_least: float = 0.0) -> list[Seen]:
    """Return what a detect_objects found, the surest first."""
    if record is None or not isinstance(record.result, dict):
        return []
    return [
        Seen(
            str(one["category"]),
            (float(one["bbox"][0]), float(one["bbox"][1]), float(one["bbox"][2]), float(one["bbox"][3])),
            float(one["confidence"]),
            {str(k): str(v) for k, v in dict(one.get("attributes") or {}).items()},
        )
        for one in _rows(record.result.get("objects"))
        if float(one["confidence"]) >= at_least
    ]


def seconds(time_s: float) -> str:
    """Return a time as answers write it: "17.6 s"."""
    return f"{time_s:.1f} s"


def _rows(value: object) -> Sequence[dict]:  # type: ignore[type-arg]
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
