"""Metadata of every text of the retriever (speaker, group, date, importance), in growing columns."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidence.language.dates import DateSpan, to_date
from vidence.language.tokens import terms

__all__ = ["Document", "DocumentTable"]

_NOBODY = -1
_ROLES = frozenset({"user", "assistant", "system", "tool"})


@dataclass(frozen=True)
class Document:
    """One text to index."""

    text: str
    speaker: str | None = None
    """Who said it; a question that names them prefers their texts."""
    group: str | None = None
    """The session, story or file it belongs to; its neighbours there are its context."""
    subject: str | None = None
    """What the text as a whole is about, such as its title."""
    said_at: float | None = None
    importance: float = 0.5


class DocumentTable:
    """Columns over all documents, in the order they were added."""

    def __init__(self) -> None:
        self.size = 0
        self._columns: dict[str, NDArray[np.int32]] = {
            name: np.full(16, -1, np.int32)
            for name in ("previous", "next", "speaker", "group", "day", "month_day")
        }
        self._importance = np.zeros(16, np.float32)
        self._groups: dict[Hashable, int] = {}
        self._last_in_group: list[int] = []
        self._speakers: dict[str, int] = {}
        self.names: dict[str, str] = {}
        """Maps each term of a name to its speaker."""

    def add(self, document: Document) -> int:
        """Add one document and return its number."""
        number = self.size
        if number == len(self._importance):
            self._grow()
        self.size += 1
        self._importance[number] = document.importance
        self._columns["speaker"][number] = self._speaker(document.speaker)
        self._join_group(number, document.group)
        day = None if document.said_at is None else to_date(document.said_at)
        if day is not None:
            self._columns["day"][number] = day.toordinal()
            self._columns["month_day"][number] = day.month * 100 + day.day
        return number

    def column(self, name: str) -> NDArray[np.int32]:
        """Return one column over all documents; -1 where there is no value."""
        return self._columns[name][: self.size]

    @property
    def importance(self) -> NDArray[np.float32]:
        return self._importance[: self.size]

    @property
    def num_groups(self) -> int:
        return len(self._groups)

    def set_importance(self, number: int, importance: float) -> None:
        """Change the importance of a document."""
        self._importance[number] = importance

    def speaker_number(self, name: str) -> int:
        """Return the speaker's number in the column `speaker`."""
        return self._speakers.get(name.casefold(), _NOBODY)

    def neighbour(self, offset: int) -> NDArray[np.int32]:
        """Return for every document the one `offset` places after it in its group, or -1."""
        link = self.column("next" if offset > 0 else "previous")
        found = link
        for _ in range(abs(offset) - 1):
            # Index -1 would wrap round to the last document, so it is put back.
            found = np.where(found >= 0, link[found], np.int32(-1))
        return found

    def in_span(self, span: DateSpan, *, after_days: int) -> NDArray[np.float32]:
        """Return 1 for documents said within the span, 0.6 for those soon after it, else 0."""
        day = self.column("day")
        if span.yearly:
            month_day = self.column("month_day")
            first, last = (d.month * 100 + d.day for d in (span.start, span.end))
            return ((month_day >= first) & (month_day <= last)).astype(np.float32)
        first, last = span.start.toordinal(), span.end.toordinal()
        held = (day >= first) & (day <= last)
        soon = (day > last) & (day <= last + after_days)
        return np.where(held, 1.0, np.where(soon, 0.6, 0.0)).astype(np.float32)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the columns as arrays, for `fill`."""
        names = json.dumps([list(self._groups), list(self._speakers), self.names]).encode()
        return {
            **{f"column_{name}": self.column(name) for name in self._columns},
            "importance": self.importance,
            "last_in_group": np.array(self._last_in_group, np.int32),
            "names": np.frombuffer(names, np.uint8),
        }

    def fill(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Load what `to_arrays` returned."""
        self._columns = {name: arrays[f"column_{name}"] for name in self._columns}
        self._importance = arrays["importance"]
        self.size = len(self._importance)
        self._last_in_group = arrays["last_in_group"].tolist()
        groups, speakers, self.names = json.loads(arrays["names"].tobytes())
        self._groups = {key: place for place, key in enumerate(groups)}
        self._speakers = {key: place for place, key in enumerate(speakers)}

    def _speaker(self, name: str | None) -> int:
        if not name or name.casefold() in _ROLES:
            return _NOBODY
        key = name.casefold()
        if key not in self._speakers:
            self._speakers[key] = len(self._speakers)
            for term in terms(name):
                self.names.setdefault(term, name)
        return self._speakers[key]

    def _join_group(self, number: int, group: str | None) -> None:
        # Without a group a text has no neighbours, and is a group of its own.
        key: Hashable = number if group is None else group
        if key not in self._groups:
            self._groups[key] = len(self._groups)
            self._last_in_group.append(_NOBODY)
        place = self._groups[key]
        before = self._last_in_group[place]
        self._columns["group"][number] = place
        if before >= 0:
            self._columns["previous"][number] = before
            self._columns["next"][before] = number
        self._last_in_group[place] = number

    def _grow(self) -> None:
        room = max(16, self.size)
        for name, column in self._columns.items():
            self._columns[name] = np.concatenate([column, np.full(room, -1, np.int32)])
        self._importance = np.concatenate([self._importance, np.zeros(room, np.float32)])
