"""`vidence bench scene`: location and light of labelled moments, with and without the lens model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from vidence.bench.report import output, print_json, print_table, ratio
from vidence.bench.shared import scratch_workspace, shared_folder
from vidence.index.pipeline.frame import FRAME_SIDE, AnalysedFrame
from vidence.index.scene.likeness import feature_places
from vidence.index.scene.pixels import read_pixels
from vidence.index.scene.place import SceneEvidence, lighting, place, side, time_of_day, weather
from vidence.language.tables import read_table
from vidence.media import open_video
from vidence.models.shelf import ModelShelf

__all__ = ["SceneTruth", "Told", "command", "load_scenes", "shares"]

_WITHOUT, _WITH = "rules alone", "rules and lens"


@dataclass(frozen=True)
class SceneTruth:
    """A moment and what is right to say of it; `None` among the answers where it cannot be known."""

    video: str
    time_s: float
    location: tuple[str | None, ...]
    time_of_day: tuple[str | None, ...]
    weather: tuple[str | None, ...]
    lighting: tuple[str | None, ...]

    @property
    def side(self) -> str:
        return (self.location[0] or "").partition("_")[0]


@dataclass(frozen=True)
class Told:
    """The predictions for a moment."""

    truth: SceneTruth
    side: str | None
    location: str | None
    time_of_day: str | None
    weather: str | None
    lighting: str | None


_MEASURES: dict[str, Callable[[Told], bool]] = {
    "indoors or outdoors right": lambda one: one.side == one.truth.side,
    "indoors or outdoors wrong": lambda one: one.side not in (None, one.truth.side),
    "kind of place right": lambda one: one.location in one.truth.location and "_" in (one.location or ""),
    "kind of place wrong": lambda one: one.location is not None and one.location not in one.truth.location,
    "time of day right": lambda one: one.time_of_day in one.truth.time_of_day,
    "weather right": lambda one: one.weather in one.truth.weather,
    "lighting right": lambda one: one.lighting in one.truth.lighting,
}


@click.command("scene")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(as_json: bool) -> None:
    """Measure location, time of day, weather and lighting at labelled moments, with and without lens.

    \b
    Example:
      vidence bench scene
    """
    videos = shared_folder() / "media" / "videos"
    truths = load_scenes()
    with scratch_workspace() as workspace:
        shelf = workspace.indexer.shelf
        pairs = [_tell(shelf, videos, truth) for truth in truths]
    before, after = ([pair[i] for pair in pairs] for i in (0, 1))
    rows = list(shares(before, after))
    if as_json:
        print_json(output(), [dict(zip(("measure", _WITHOUT, _WITH), row, strict=True)) for row in rows])
        return
    print_table(output(), f"{len(truths)} moments", ("measure", _WITHOUT, _WITH), rows)


def load_scenes() -> list[SceneTruth]:
    """Return the labelled moments of the shared clips."""
    return [
        SceneTruth(
            video,
            float(time),
            *(tuple(one if one != "-" else None for one in cell.split(",")) for cell in cells),
        )
        for video, times, *cells in read_table("scenes.tsv", room="bench")
        for time in times.split(",")
    ]


def shares(before: Sequence[Told], after: Sequence[Told]) -> Iterator[tuple[str, float, float]]:
    """Yield each measure with its share of the moments, without and with lens."""
    for name, holds in _MEASURES.items():
        shared = [ratio(sum(holds(one) for one in told), len(told)) for told in (before, after)]
        yield name, shared[0], shared[1]


def _tell(shelf: ModelShelf, videos: Path, truth: SceneTruth) -> tuple[Told, Told]:
    with open_video(videos / truth.video) as reader:
        picture = next(reader.at([truth.time_s]))
        look = AnalysedFrame(picture.time_s, picture.rgb(max_side=FRAME_SIDE), shelf)
    labels = {item.label: item.score for item in look.labels.scores}
    pixels = read_pixels(look.image)
    before = SceneEvidence.gather(look.detections, labels, pixels)
    after = SceneEvidence.gather(
        look.detections, labels, pixels, place_scores=feature_places(shelf, look.labels.feature)
    )
    return _told(truth, before), _told(truth, after)


def _told(truth: SceneTruth, evidence: SceneEvidence) -> Told:
    where = side(evidence)
    return Told(
        truth,
        where,
        place(evidence, where),
        time_of_day(evidence, where),
        weather(evidence, where),
        lighting(evidence, where),
    )
