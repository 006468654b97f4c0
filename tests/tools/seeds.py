"""The two example tools of the specification, to the letter, and services that answer from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from vidence.errors import OpFailed
from vidence.tools.execute import CallAnswer
from vidence.tools.reduce import contains_words

LIBRARY = files("vidence.tools") / "data" / "library"
LOCATE = (LIBRARY / "locate_first_appearance.json").read_text(encoding="utf-8")
COUNT = (LIBRARY / "count_occurrences.json").read_text(encoding="utf-8")


@dataclass
class Table:
    """Answers operations from recorded results and remembers what was asked."""

    results: Mapping[str, Any]
    asked: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    prepared: list[tuple[str, int]] = field(default_factory=list)

    def call(self, api: str, params: Mapping[str, Any]) -> CallAnswer:
        self.asked.append((api, dict(params)))
        result = self.results[api]
        if isinstance(result, str):
            raise OpFailed(result)
        if callable(result):
            result = result(params)
        return CallAnswer(result, f"rec_{api}_{len(self.asked)}")

    def prepare(self, api: str, calls: Sequence[Mapping[str, Any]]) -> None:
        self.prepared.append((api, len(calls)))

    def matches(self, texts: Sequence[str], wanted: str) -> bool:
        return any(contains_words(text, wanted) for text in texts)
