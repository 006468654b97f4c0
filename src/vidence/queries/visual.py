"""Answer a question by looking at frames: each frame's own answers, and what they say together."""

from __future__ import annotations

import math
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
from vidence.language.question.naming import position_of
from vidence.language.question.search import read_search
from vidence.language.tables import read_table
from vidence.media import VideoReader
from vidence.models.protocols import VisualAnswerer
from vidence.models.shelf import ModelShelf
from vidence.models.vision.eyes import EyesAnswerer
from vidence.models.vision.lens import LensImageText
from vidence.queries.search.material import FrameSpan, Material
from vidence.queries.search.meaning import match_probability
from vidence.schema.perception import VisualAnswer
from vidence.schema.time import TimeRange

__all__ = [
    "FrameReply",
    "Relevance",
    "VisualReply",
    "answer_words",
    "leaning",
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
_SUREST, _LEAST = 0.999, 0.01
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
    shown_s: float | None = None
    """When a yes is shown best, where that is known."""

    @property
    def kind(self) -> Kind:
        """What kind of answer the model takes the question to ask for."""
        shares: dict[Kind, float] = defaultdict(float)
        for one in self.answers:
            shares[answer_kind(one.text)] += one.probability
        return max(shares, key=lambda kind: shares[kind], default="other")

    def times_of(self, text: str) -> list[float]:
        """Return the times of the frames whose own best answer is `text`."""
        if text == "yes" and self.shown_s is not None:
            return [self.shown_s]
        return [frame.time_s for frame in self.frames if frame.answers and frame.answers[0].text == text]


@dataclass(frozen=True)
class Relevance:
    """The odds that the words of a question are true of each indexed frame."""

    spans: Sequence[FrameSpan]
    odds: NDArray[np.float64]  # (spans,)
    meant: tuple[str, ...] = ()
    """What a question of yes or no asks about, or the choices that the question offers."""
    likeness: NDArray[np.float64] | None = None  # (spans, meant)
    """How like each frame is to these, as cosines of our own image–text model."""

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
    meant, likeness = _meant(question), None
    if meant and isinstance(encoder, LensImageText):
        likeness = (placed.matrix[inside] @ encoder.encode_texts(meant).T).astype(np.float64)
    spans = [
        FrameSpan(max(placed.spans[k].start_s, span.start_time), min(placed.spans[k].end_s, span.end_time))
        for k in inside
    ]
    return Relevance(spans, bounded / (1 - bounded), meant, likeness)


def _meant(question: str) -> tuple[str, ...]:
    """Return the choices that a question offers, where none is a position, or what it asks about."""
    read = read_question(question)
    offered = read.form.alternatives
    if read.expected.type == "choice" and len(offered) > 1:
        return () if any(position_of(one) for one in offered) else offered
    return (read_search(question).phrase,) if read.expected.type == "yes_no" else ()


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
    # Only our own answerer, which is weak at both, is helped.
    likeness = relevance.likeness if relevance and isinstance(model, EyesAnswerer) else None
    if relevance and likeness is not None and asked != "yes_no":
        return VisualReply(_chosen(relevance.meant, likeness), ())
    pictures = [(picture.time_s, picture.rgb(max_side=_SIDE)) for picture in reader.at(sorted(set(times)))]
    found = model.answer([image for _, image in pictures], question)
    frames = [
        FrameReply(time_s, tuple(one for one in answers if suits(one.text, asked)))
        for (time_s, _), answers in zip(pictures, found, strict=True)
    ]
    odds = [relevance.at(frame.time_s) if relevance else 1.0 for frame in frames]
    pooled = pool([frame.answers for frame in frames], odds)
    if relevance is None or likeness is None:
        return VisualReply(pooled, tuple(frames))
    best = relevance.spans[int(np.argmax(likeness))]
    answers = _weighed(pooled, float(likeness.max()))
    return VisualReply(answers, tuple(frames), shown_s=(best.start_s + best.end_s) / 2)


def _weighed(pooled: Sequence[VisualAnswer], likeness: float) -> tuple[VisualAnswer, ...]:
    """Return yes and no, weighed by how like the likeliest frame is to what the question asks about.

    People ask of a video about what is not in it at all, which the likeness tells; the answerer learnt from
    questions whose "no" is nearly a yes. Neither held alone on strangers' clips.
    """
    weights = _weights()
    total = weights["bias"] + weights["likeness"] * likeness + weights["answerer"] * leaning(pooled)
    yes = 1 / (1 + math.exp(-total))
    found = [VisualAnswer("yes", yes), VisualAnswer("no", 1 - yes)]
    return tuple(sorted(found, key=lambda one: -one.probability))


def _chosen(offered: Sequence[str], likeness: NDArray[np.float64]) -> tuple[VisualAnswer, ...]:
    """Return the choices that a question offers, those first that the frames are like."""
    shares = _weights()["choice"] * (likeness.mean(axis=0) + likeness.max(axis=0)) / 2
    chances = np.exp(shares - shares.max())
    ranked = np.argsort(-chances, kind="stable")
    return tuple(VisualAnswer(offered[k], float(chances[k] / chances.sum())) for k in ranked)


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    return {name: float(value) for name, value in read_table("look_weights.tsv")}


def leaning(pooled: Sequence[VisualAnswer]) -> float:
    """Return the log odds of yes against no in what the answerer says; 0 where it says neither."""
    yes, no = (sum(one.probability for one in pooled if one.text == text) for text in ("yes", "no"))
    return math.log((yes + _LEAST) / (no + _LEAST))


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
