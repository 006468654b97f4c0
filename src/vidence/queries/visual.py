"""Answer a question by looking at frames: each frame's own answers, and what they say together."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from vidence.language.colours import find_colours
from vidence.language.identify import has_han
from vidence.language.question import read_question, suits
from vidence.language.tables import read_table
from vidence.media import VideoReader
from vidence.models.protocols import VisualAnswerer
from vidence.models.shelf import ModelShelf
from vidence.queries.search.material import FrameSpan, Material
from vidence.queries.search.meaning import match_probability
from vidence.schema.perception import VisualAnswer
from vidence.schema.time import TimeRange

__all__ = [
    "FrameReply",
    "Relevance",
    "VisualReply",
    "answer_words",
    "look",
    "pool",
    "relevance_of",
    "times_to_look",
]

Kind = Literal["yes/no", "number", "other"]
_MOST = 5
_EITHER = frozenset({"yes", "no"})
_SIDE = 640
"""Longest side of the frames that are looked at: the models see at most 300 pixels."""
_NEAREST, _APART_S = 4, 0.7
"""The most frames that are looked at because the question is likely about them, and their least distance."""
_SUREST = 0.999
_DIGITS = re.compile(r"\d+")
_SAME_IN_BOTH = re.compile(r"[\d:.,]+|[a-z]")


@dataclass(frozen=True)
class FrameReply:
    """What one frame says to the question, the likeliest answer first."""

    time_s: float
    answers: tuple[VisualAnswer, ...]


@dataclass(frozen=True)
class VisualReply:
    """What the frames say together and each on its own, in order of time."""

    answers: tuple[VisualAnswer, ...]
    frames: tuple[FrameReply, ...]

    @property
    def kind(self) -> Kind:
        """What kind of answer the model takes the question to ask for."""
        shares: dict[Kind, float] = defaultdict(float)
        for one in self.answers:
            shares[answer_kind(one.text)] += one.probability
        return max(shares, key=lambda kind: shares[kind], default="other")

    def times_of(self, text: str) -> list[float]:
        """Return the times of the frames whose own best answer is `text`."""
        return [frame.time_s for frame in self.frames if frame.answers and frame.answers[0].text == text]


@dataclass(frozen=True)
class Relevance:
    """The odds that the words of a question are true of each indexed frame."""

    spans: Sequence[FrameSpan]
    odds: NDArray[np.float64]  # (spans,)

    def at(self, time_s: float) -> float:
        """Return the odds of the frame that stands for a time."""
        away = [max(span.start_s - time_s, time_s - span.end_s, 0.0) for span in self.spans]
        return float(self.odds[int(np.argmin(away))])

    def best_times(self) -> list[float]:
        """Return the middle of each span, the likeliest first."""
        order = np.argsort(-self.odds, kind="stable")
        return [(self.spans[k].start_s + self.spans[k].end_s) / 2 for k in order]


def relevance_of(question: str, material: Material, shelf: ModelShelf, span: TimeRange) -> Relevance | None:
    """Return which indexed frames of a span a question is about; None where the index cannot tell."""
    placed = material.vectors("lens_vectors")
    inside = [
        index
        for index, one in enumerate(placed.spans)
        if one.start_s < span.end_time and one.end_s > span.start_time
    ]
    if not inside or not shelf.has("image_text"):
        return None
    encoder = shelf.image_text
    chances = match_probability(
        encoder, encoder.encode_texts([question]), placed.matrix[inside], is_chinese=has_han(question)
    )
    bounded = np.minimum(chances, _SUREST)
    spans = [
        FrameSpan(max(placed.spans[k].start_s, span.start_time), min(placed.spans[k].end_s, span.end_time))
        for k in inside
    ]
    return Relevance(spans, bounded / (1 - bounded))


def times_to_look(spread: Sequence[float], relevance: Relevance | None) -> list[float]:
    """Return times spread over a span, and those of the frames that the question is likeliest about."""
    chosen = list(spread)
    for time_s in relevance.best_times() if relevance else ():
        if len(chosen) >= len(spread) + _NEAREST:
            break
        if all(abs(time_s - other) >= _APART_S for other in chosen):
            chosen.append(time_s)
    return sorted(chosen)


def look(
    model: VisualAnswerer,
    reader: VideoReader,
    question: str,
    times: Sequence[float],
    relevance: Relevance | None = None,
) -> VisualReply:
    """Answer the question from the frames at some times; what it is likely about counts more.

    An answer that people hardly give to questions of this type is left out: "where" is not "brushing teeth".
    """
    asked = read_question(question).expected.looked_for_as
    pictures = [(picture.time_s, picture.rgb(max_side=_SIDE)) for picture in reader.at(sorted(set(times)))]
    found = model.answer([image for _, image in pictures], question)
    frames = [
        FrameReply(time_s, tuple(one for one in answers if suits(one.text, asked)))
        for (time_s, _), answers in zip(pictures, found, strict=True)
    ]
    odds = [relevance.at(frame.time_s) if relevance else 1.0 for frame in frames]
    return VisualReply(pool([frame.answers for frame in frames], odds), tuple(frames))


def pool(
    frames: Sequence[Sequence[VisualAnswer]], odds: Sequence[float] | None = None
) -> tuple[VisualAnswer, ...]:
    """Return the answers of all frames: the mean of each one's chance, surer frames counting more.

    A frame that does not show what is asked for is unsure, and should not outvote one that does.

    Args:
        odds: how likely the question is about each frame; all alike by default.
    """
    weights = [
        (answers[0].probability if answers else 0.0) * about
        for answers, about in zip(frames, odds or [1.0] * len(frames), strict=True)
    ]
    total = sum(weights)
    if not total:
        return ()
    chances: dict[str, float] = defaultdict(float)
    for weight, answers in zip(weights, frames, strict=True):
        for one in answers:
            chances[one.text] += weight * one.probability / total
    # Where people disagree, each of "yes" and "no" may be called right; of a fact only one is.
    either = max(1.0, sum(chances.get(text, 0.0) for text in _EITHER))
    for text in _EITHER & chances.keys():
        chances[text] /= either
    ranked = sorted(chances.items(), key=lambda item: -item[1])[:_MOST]
    return tuple(VisualAnswer(text, chance) for text, chance in ranked)


def answer_kind(text: str) -> Kind:
    """Return what kind of answer a text is."""
    if text in _EITHER:
        return "yes/no"
    return "number" if _DIGITS.fullmatch(text) else "other"


def answer_words(text: str, language: Literal["en", "zh"]) -> str | None:
    """Return an answer in a language; None where no Chinese for it is known."""
    if language == "en" or _SAME_IN_BOTH.fullmatch(text) or has_han(text):
        return text
    chinese = _chinese()
    if text in chinese:
        return chinese[text]
    parts = [chinese.get(part) for part in text.split(" and ")]
    known = [part for part in parts if part is not None]
    return "和".join(known) if len(known) == len(parts) > 1 and find_colours(text) else None


@lru_cache(maxsize=1)
def _chinese() -> dict[str, str]:
    return {row[0]: row[1] for row in read_table("visual_answers.tsv")}
