"""What the weights are fitted to: queries with the spans that answer them, and ones without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidence.bench.videosearch import half_of, load_questions

__all__ = ["Case", "cases"]

Span = tuple[float, float]


@dataclass(frozen=True)
class Case:
    """A query, a video and the spans of it that answer the query; none when nothing does."""

    query: str
    video: str
    answers: tuple[Span, ...]


def cases(media: Path, sample: Path) -> Iterator[Case]:
    """Yield the cases: the sample's truth, the tuning half of the questions, things present and absent."""
    truth = json.loads(sample.read_text("utf-8"))
    yield from _sample(truth)
    questions = load_questions(media / "qa.json")
    for asked in questions:
        if half_of(asked) == "tuning":
            start, end = asked.interval
            yield Case(asked.question, asked.video, ((start, max(end, start + 0.1)),))
    for query, video, *span in _table("present.tsv"):
        yield Case(query, video, ((float(span[0]), float(span[1])),))
    videos = [truth["file"], *dict.fromkeys(asked.video for asked in questions)]
    for (query,) in _table("absent.tsv"):
        yield from (Case(query, video, ()) for video in videos)


def _table(name: str) -> Iterator[list[str]]:
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return (line.split("\t") for line in lines if line and not line.startswith("#"))


def _sample(truth: dict[str, Any]) -> Iterator[Case]:
    video = truth["file"]
    spans: dict[str, list[Span]] = {}
    for shot in truth["shots"]:
        span = (shot["start"], shot["end"])
        for words in (*shot["labels"], *shot["description"].values()):
            spans.setdefault(words, []).append(span)
        for thing in shot["objects"]:
            for colour in thing["colors"]:
                spans.setdefault(f"{colour} {thing['label']}", []).append(span)
    for said in truth["narration"]:
        spans.setdefault(said["text"], []).append((said["start"], said["end"]))
    for words, found in spans.items():
        yield Case(words, video, tuple(dict.fromkeys(found)))
