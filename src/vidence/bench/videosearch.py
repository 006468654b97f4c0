"""`vidence bench videosearch`: do questions find the moments that answer them?"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console

from vidence.app import Workspace, open_workspace
from vidence.bench.report import output, print_json, print_table, ratio
from vidence.bench.shared import shared_folder
from vidence.language.question import read_question
from vidence.queries.search.material import Material
from vidence.queries.search.meaning import Phrases
from vidence.queries.search.search import search_video

__all__ = ["Span", "TimedQuestion", "command", "half_of", "load_questions"]

_DEPTHS = (1, 3, 5)
_WITH_LENS, _WITHOUT_LENS = "search, with lens", "search, without lens"
_WHOLE = 0.8
"""An interval of more than this share of its video is hit by any result, so it says little."""

Span = tuple[float, float]


@dataclass(frozen=True)
class TimedQuestion:
    """A question and the interval that holds its answer."""

    id: str
    video: str
    type: str
    question: str
    interval: Span


@dataclass(frozen=True)
class FoundSpans:
    """The spans a method found for a question."""

    asked: TimedQuestion
    spans: Sequence[Span]
    duration_s: float

    def hit(self, depth: int, *, tight: bool) -> bool:
        """Return whether one of the first `depth` results hits the interval."""
        meets = _tight if tight else _touches
        return any(meets(span, self.asked.interval) for span in self.spans[:depth])

    @property
    def is_whole(self) -> bool:
        start, end = self.asked.interval
        return (end - start) / self.duration_s > _WHOLE


@click.command("videosearch")
@click.option("--home", type=click.Path(path_type=Path), help="A workspace that already contains the clips.")
@click.option(
    "--misses", is_flag=True, help="List the questions of the tuning half whose first result is wrong."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(home: Path | None, misses: bool, as_json: bool) -> None:
    """Search by every question that has an evidence interval; hit@k by type, with and without lens.

    \b
    Example:
      vidence bench videosearch
    """
    media = shared_folder() / "media"
    questions = load_questions(media / "qa.json")
    place = nullcontext(str(home)) if home else tempfile.TemporaryDirectory(prefix="vidence-bench-")
    with place as folder, open_workspace(home=folder) as workspace:
        outcomes = measure(workspace, media, questions)
    if as_json:
        print_json(output(), [_as_json(name, one) for name, found in outcomes.items() for one in found])
        return
    _print(output(), outcomes)
    for one in outcomes[_WITH_LENS] if misses else []:
        if half_of(one.asked) == "tuning" and not one.hit(1, tight=True):
            click.echo(f"{one.asked.id}: {one.asked.question} {one.asked.interval}: {one.spans[:5]}")


def load_questions(path: Path) -> list[TimedQuestion]:
    """Return the questions that have an evidence interval."""
    items = json.loads(path.read_text("utf-8"))["items"]
    return [
        TimedQuestion(
            one["id"], one["video"], one["type"], one["question"], (one["evidence"][0], one["evidence"][1])
        )
        for one in items
        if one["evidence"] is not None
    ]


def half_of(asked: TimedQuestion) -> str:
    """Return the half a question belongs to, by hash: tuning or held out."""
    return "tuning" if hashlib.sha256(asked.id.encode()).digest()[0] % 2 else "held out"


def measure(
    workspace: Workspace, media: Path, questions: Sequence[TimedQuestion]
) -> dict[str, list[FoundSpans]]:
    """Run every method on every question."""
    videos: dict[str, Material] = {}
    for name in dict.fromkeys(one.video for one in questions):
        record = workspace.add(media / "videos" / name).video
        workspace.index(record.video_id)
        videos[name] = Material(workspace.store, record.video_id)
    methods: dict[str, Callable[[TimedQuestion, Material], list[Span]]] = {
        "shots in order": lambda asked, material: [
            (shot.start_time, shot.end_time) for shot in material.shots
        ],
        "thirds in order": lambda asked, material: _thirds(material.duration_s),
        _WITHOUT_LENS: lambda asked, material: _search(workspace, asked, material, pictures=False),
        _WITH_LENS: lambda asked, material: _search(workspace, asked, material, pictures=True),
    }
    return {
        name: [
            FoundSpans(one, find(one, videos[one.video]), videos[one.video].duration_s) for one in questions
        ]
        for name, find in methods.items()
    }


def _search(workspace: Workspace, asked: TimedQuestion, material: Material, *, pictures: bool) -> list[Span]:
    query = read_question(asked.question).search
    found = search_video(
        query,
        material,
        Phrases(query, workspace.indexer.shelf, pictures=pictures),
        modality="multimodal",
        limit=max(_DEPTHS),
    )
    return [(one.start_s, one.end_s) for one in found]


def _thirds(duration_s: float) -> list[Span]:
    return [(duration_s * n / 3, duration_s * (n + 1) / 3) for n in range(3)]


def _touches(found: Span, interval: Span) -> bool:
    # An interval of zero length is a moment.
    return found[0] < max(interval[1], interval[0] + 1e-3) and interval[0] < found[1]


def _tight(found: Span, interval: Span) -> bool:
    """Return whether half of the span found lies in the interval, or their IoU is at least 0.5."""
    overlap = min(found[1], interval[1]) - max(found[0], interval[0])
    union = max(found[1], interval[1]) - min(found[0], interval[0])
    return overlap > 0 and (overlap >= 0.5 * (found[1] - found[0]) or overlap >= 0.5 * union)


def _print(console: Console, outcomes: dict[str, list[FoundSpans]]) -> None:
    headings = ["method", "of", *(f"hit@{k}" for k in _DEPTHS), *(f"tight@{k}" for k in _DEPTHS)]
    kinds = sorted({one.asked.type for found in outcomes.values() for one in found})
    groups: dict[str, Callable[[FoundSpans], bool]] = {
        **{kind: _of_type(kind) for kind in kinds},
        "answer in a part of the clip": lambda one: not one.is_whole,
        "tuning half": lambda one: half_of(one.asked) == "tuning",
        "held-out half": lambda one: half_of(one.asked) == "held out",
        "all": lambda one: True,
    }
    for title, chosen in groups.items():
        rows = [[name, *_figures([one for one in found if chosen(one)])] for name, found in outcomes.items()]
        print_table(console, title, headings, rows)


def _of_type(kind: str) -> Callable[[FoundSpans], bool]:
    return lambda one: one.asked.type == kind


def _figures(found: Sequence[FoundSpans]) -> Iterator[int | float]:
    yield len(found)
    for tight in (False, True):
        for depth in _DEPTHS:
            yield ratio(sum(one.hit(depth, tight=tight) for one in found), len(found))


def _as_json(method: str, one: FoundSpans) -> dict[str, object]:
    return {
        "method": method,
        "id": one.asked.id,
        "type": one.asked.type,
        "half": half_of(one.asked),
        "question": one.asked.question,
        "interval": one.asked.interval,
        "found": one.spans,
    }
