"""The content of a record: its words, numbers, countable things and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from vidence.language.numbers import numbers_in
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.time import TimeRange

__all__ = ["Content", "overlaps", "read_content", "together"]

_LEEWAY_S = 1.0
"""The tolerance between the times of a citation and those of its record."""
_TECHNICAL = {
    "bbox", "box", "confidence", "score", "similarity", "keypoints", "search_time_ms", "relevance",
    "matched_bbox", "initial_bbox", "importance", "index", "start_bbox", "end_bbox", "absent", "moments",
}  # fmt: skip
_SURENESS = {"confidence", "score", "similarity", "relevance"}
_TIMES = {"start_time", "end_time", "timestamp", "time", "created_at", "first_appearance", "last_appearance"}
"""Fields that hold times: "at 21 s" is not a count of 21."""
_IDS = {"object_id", "segment_id", "record_id", "video_id", "entity_id", "memory_id"}
_MAX_LABEL = 60


@dataclass
class Content:
    """The part of a record that a citation points at."""

    texts: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """Words of the operation's arguments; they count only where something was found."""
    numbers: list[float] = field(default_factory=list)
    spans: list[tuple[float, float]] = field(default_factory=list)
    sureness: list[float] = field(default_factory=list)
    """The confidences in the record, as fractions."""
    entities: set[str] = field(default_factory=set)
    """Ids of the distinct things in the record."""
    groups: list[tuple[str, int]] = field(default_factory=list)
    """How many things of each label one list holds."""
    counts: set[int] = field(default_factory=set)
    """The length of each list, and its number of distinct things."""
    is_empty: bool = False
    """True when every list of the result is empty: nothing was found."""

    @property
    def text(self) -> str:
        """All words; those of the arguments too where something was found."""
        return "\n".join(self.texts if self.is_empty else [*self.texts, *self.asked])


def together(contents: Sequence[Content]) -> Content:
    """Return what only several records together say: their number of distinct things."""
    entities = set().union(*(content.entities for content in contents)) if contents else set()
    return Content(counts={len(entities)} if len(entities) > 1 else set())


def read_content(record: EvidenceRecord, start_s: float | None = None, end_s: float | None = None) -> Content:
    """Return the content of a record, cut to the given times where its parts have times."""
    content = Content()
    if record.span is not None:
        content.spans.append((record.span.start_time, record.span.end_time))
    window = _window(start_s, end_s)
    _walk(record.result, content, window, key="")
    content.asked += _strings(record.arguments)
    content.is_empty = _has_only_empty_lists(record.result)
    for text in content.texts:
        content.numbers += [number.value for number in numbers_in(text)]
    return content


def _window(start_s: float | None, end_s: float | None) -> tuple[float, float] | None:
    if start_s is None and end_s is None:
        return None
    start = start_s if start_s is not None else end_s
    end = end_s if end_s is not None else start_s
    assert start is not None
    assert end is not None
    return start - _LEEWAY_S, end + _LEEWAY_S


def _walk(node: Any, content: Content, window: tuple[float, float] | None, *, key: str) -> None:
    if isinstance(node, str):
        if key == "query":
            # A search repeats what it was asked; that is not what it found.
            content.asked.append(node)
        elif key == "entity_id":
            content.entities.add(node)
        elif key not in _IDS:
            content.texts.append(node)
    elif isinstance(node, bool) or node is None:
        return
    elif isinstance(node, int | float):
        if key in _SURENESS:
            content.sureness.append(float(node))
        elif key in _TIMES:
            content.spans.append((float(node), float(node)))
        else:
            content.numbers.append(float(node))
    elif isinstance(node, Mapping):
        content.spans += _times(node)
        for name, value in node.items():
            if name in _SURENESS or (name not in _TECHNICAL and not str(name).endswith("bbox")):
                _walk(value, content, window, key=name)
    elif isinstance(node, list | tuple):
        kept = [item for item in node if _inside(item, window) and _is_observed(item)]
        _count(kept, content)
        for item in kept:
            _walk(item, content, window, key=key)


def _inside(item: Any, window: tuple[float, float] | None) -> bool:
    if window is None or not isinstance(item, Mapping):
        return True
    spans = _times(item)
    return not spans or any(start <= window[1] and end >= window[0] for start, end in spans)


def _is_observed(item: Any) -> bool:
    """Leave out memories that were inferred or answered: they would prove themselves."""
    return not isinstance(item, Mapping) or item.get("memory_type", "observation") == "observation"


def _times(item: Mapping[str, Any]) -> list[tuple[float, float]]:
    found = []
    for first, last in (("start_time", "end_time"), ("timestamp", "timestamp"), ("time", "time")):
        start, end = item.get(first), item.get(last)
        if isinstance(start, int | float) and isinstance(end, int | float):
            found.append((float(start), float(end)))
    nested = item.get("time_range") or item.get("time_span")
    return found + (_times(nested) if isinstance(nested, Mapping) else [])


def _count(items: list[Any], content: Content) -> None:
    """Count a list and its things by each of their short labels."""
    rows = [item for item in items if isinstance(item, Mapping)]
    content.counts.add(len(items))
    labels: Counter[tuple[str, str]] = Counter()
    for row in rows:
        labels.update(set(_labels(row)))
    content.groups += [(label, number) for (_, label), number in labels.items()]
    names = {name for name, _ in labels}
    content.counts |= {sum(1 for name, _ in labels if name == one) for one in names}


def _labels(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in row.items():
        if isinstance(value, str) and len(value) <= _MAX_LABEL and name not in ("object_id", "record_id"):
            yield name, value.lower()
        elif isinstance(value, Mapping):
            yield from ((f"{name}.{inner}", label) for inner, label in _labels(value))


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, Mapping):
        for name, value in node.items():
            if name not in _IDS:
                yield from _strings(value)
    elif isinstance(node, list | tuple):
        for item in node:
            yield from _strings(item)


def _has_only_empty_lists(node: Any) -> bool:
    if not isinstance(node, Mapping):
        return False
    lists = [value for value in node.values() if isinstance(value, list)]
    return bool(lists) and not any(lists)


def overlaps(span: TimeRange, start_s: float, end_s: float, leeway_s: float = _LEEWAY_S) -> bool:
    """Tell whether a cited span overlaps another, within the tolerance."""
    return start_s <= span.end_time + leeway_s and end_s >= span.start_time - leeway_s
