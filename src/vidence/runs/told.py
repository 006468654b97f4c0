"""The notes of one video with their vectors, and how they become sentences that cite them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vidence.language.identify import has_han
from vidence.language.phrases import phrase
from vidence.runs.notes import Embed, noted_lines
from vidence.runs.sentences import ended
from vidence.runs.shown import lasts
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation, Claim, EvidenceRecord
from vidence.schema.reading import NotedLine
from vidence.schema.time import TimeRange

__all__ = ["CLOCK", "ToldNotes"]

_LONGEST_QUOTE = 160
_STOPS = (".", "!", "?", "…", "。", "！", "？")
CLOCK = re.compile(r"[\d\s/.:：–年月日-]+")
"""The time that a camera writes into its picture."""


class ToldNotes:
    """The notes of one video with their vectors, and how they become sentences."""

    def __init__(self, record: EvidenceRecord, language: AnswerLanguage, embed: Embed) -> None:
        self.record, self.language = record, language
        self.lines = noted_lines(record)
        texts = [line.text for line in self.lines] or [""]
        self.vectors: NDArray[np.float32] = np.asarray(embed(texts), np.float32)
        self._embed = embed

    @property
    def duration_s(self) -> float:
        return max((line.end_time for line in self.lines), default=0.0)

    def inside(self, span: TimeRange | None) -> list[NotedLine]:
        """Return the lines that mostly lie in a span."""
        if span is None:
            return self.lines
        return [line for line in self.lines if _middle_in(line, span)]

    def central(self, lines: Sequence[NotedLine]) -> list[float]:
        """Return how near each line is to what all of them are about."""
        if not lines:
            return []
        known = {id(line): index for index, line in enumerate(self.lines)}
        vectors = self.vectors[[known[id(line)] for line in lines]]
        return [float(one) for one in vectors @ vectors.mean(axis=0)]

    def likeness(self, texts: Sequence[str], centre: NDArray[np.float32]) -> list[float]:
        """Return how near texts are to a centre."""
        vectors = np.asarray(self._embed(list(texts)), np.float32)
        return [float(one) for one in vectors @ centre]

    def claim(self, text: str, line: NotedLine, quote: str | None = None) -> Claim:
        """Return a sentence that cites a line."""
        return Claim(
            text=text,
            citations=(
                Citation(
                    record_id=self.record.record_id,
                    start_time=line.start_time,
                    end_time=line.end_time,
                    quote=quote or line.text,
                ),
            ),
        )

    def sentence(self, line: NotedLine, text: str | None = None, *, goes_on: bool = False) -> Claim:
        """Return a line as a sentence of its kind; `goes_on`: of a voice that spoke just before."""
        words = _cut(text or line.text)
        if line.kind == "said":
            who = line.name or phrase("summary_voice", self.language)
            if goes_on:
                said = phrase("summary_goes_on", self.language, words)
            else:
                joiner = "" if self.language == "zh" else " "
                said = f"{who}{joiner}{phrase('summary_said', self.language, words)}"
            stop = "" if words.endswith(_STOPS) else "。" if self.language == "zh" else "."
            return self.claim(f"{said}{stop}", line, words.rstrip("…"))
        if line.kind == "written":
            name = "summary_clock" if CLOCK.fullmatch(words) else "summary_written"
            return self.claim(phrase(name, self.language, words), line, words.rstrip("…"))
        if line.kind == "heard":
            return self.claim(phrase("summary_heard", self.language, words), line)
        return self.claim(ended(words, self.language), line)


def _cut(text: str) -> str:
    flat = " ".join(text.split()).strip(" ,，;；")
    limit = _LONGEST_QUOTE // 2 if has_han(flat) else _LONGEST_QUOTE
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


def _middle_in(line: NotedLine, span: TimeRange) -> bool:
    middle = (max(line.start_time, span.start_time) + min(line.end_time, span.end_time)) / 2
    inside = min(line.end_time, span.end_time) - max(line.start_time, span.start_time)
    return span.start_time <= middle <= span.end_time and inside >= min(lasts(line), span.duration_s) / 3
