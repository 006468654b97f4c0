"""`vidence bench shots`: shot boundaries against hand-checked truth, beside PySceneDetect in the same run."""

from __future__ import annotations

import importlib
import json
import logging
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click
from rich.console import Console

from vidence.bench.report import Counts, Timing, output, print_json, print_table
from vidence.bench.shared import require, scratch_workspace, shared_folder
from vidence.bench.stress import make_clip, photographs, write_clip
from vidence.bench.stress_cases import CASES
from vidence.errors import FileProblem, MissingExtra
from vidence.index.shots.detector import ShotDetector
from vidence.media import open_video, probe

__all__ = ["ShotMeasurement", "Truth", "command", "find_shots", "load_truth", "methods", "run", "score"]

_HD_HEIGHT = 720
_DECODE = "decoding alone"
_OURS = "vidence"
_PEERS = ("AdaptiveDetector", "ContentDetector", "HashDetector", "HistogramDetector", "ThresholdDetector")

Method = Callable[[Path], list[float]]
"""Takes a video file and returns the times at which shots begin, without the first."""


@dataclass(frozen=True)
class Truth:
    """The truth about one clip: boundaries with their widths, and spans that are not scored."""

    path: Path
    boundaries: tuple[float, ...]
    widths: tuple[float, ...]
    dont_care: tuple[tuple[float, float], ...]
    tolerance_s: float
    duration_s: float
    height: int


@dataclass(frozen=True)
class ShotMeasurement:
    """One method on one clip."""

    suite: str
    clip: str
    method: str
    height: int
    counts: Counts
    timing: Timing
    wrong: tuple[float, ...] = field(default=())
    missed: tuple[float, ...] = field(default=())


@click.command("shots")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--synthetic/--no-synthetic", default=True, help="Also run the seeded stress suite.")
@click.option("--seed", default=7, show_default=True, help="Seed of the stress suite.")
def command(as_json: bool, synthetic: bool, seed: int) -> None:
    """Compare shot detectors on real clips with ground truth and on a stress suite.

    \b
    Example:
      vidence bench shots --json
    """
    require("The comparison with PySceneDetect", "scenedetect")
    console, notes = output(), Console(stderr=True)
    found = run(
        synthetic=synthetic, seed=seed, tell=lambda line: notes.print(line, style="dim", markup=False)
    )
    if as_json:
        print_json(console, [_as_json(one) for one in found])
    else:
        _print(console, found)


def run(
    *, synthetic: bool = True, seed: int = 7, tell: Callable[[str], None] = print
) -> list[ShotMeasurement]:
    """Measure every method on every clip, and print which clips are left out and why."""
    rivals = methods()
    found: list[ShotMeasurement] = []
    try:
        real = load_truth(shared_folder() / "media")
    except FileProblem as absent:
        tell(f"Real clips left out: {absent}")
        real = []
    for truth in real:
        tell(f"{truth.path.name} …")
        found += _measure("real", truth, rivals, with_decode=True)
    if synthetic:
        with tempfile.TemporaryDirectory(prefix="vidence-stress-") as folder:
            for truth in _synthetic(Path(folder), seed):
                tell(f"{truth.path.stem} …")
                found += _measure("synthetic", truth, rivals, with_decode=False)
    return found


def load_truth(media: Path) -> list[Truth]:
    """Read the hand-checked cuts of the shared clips."""
    told = json.loads((media / "gt" / "shots.json").read_text(encoding="utf-8"))
    found = []
    for name, entry in told["videos"].items():
        info = probe(media / "videos" / name)
        stated = re.search(r"tolerance ([\d.]+) s", entry.get("note", ""))
        cuts = tuple(float(cut) for cut in entry["hard_cuts"])
        found.append(
            Truth(
                path=info.path,
                boundaries=cuts,
                widths=(0.0,) * len(cuts),
                dont_care=tuple((float(start), float(end)) for start, end in entry["dont_care"]),
                tolerance_s=float(stated.group(1)) if stated else float(told["tolerance_s"]),
                duration_s=info.duration_s,
                height=info.video.height,
            )
        )
    return found


def score(found: Sequence[float], truth: Truth) -> tuple[Counts, tuple[float, ...], tuple[float, ...]]:
    """Return the counts, the wrong times and the missed ones; each boundary can be found once.

    A gradual transition is found by any boundary inside it.
    """
    open_at = dict(zip(truth.boundaries, truth.widths, strict=True))
    wrong = []
    for time_s in found:
        near = [
            b for b, width in open_at.items() if abs(time_s - b) <= max(truth.tolerance_s, width / 2) + 1e-6
        ]
        if near:
            del open_at[min(near, key=lambda b: abs(time_s - b))]
        elif not any(start <= time_s <= end for start, end in truth.dont_care):
            wrong.append(round(time_s, 3))
    counts = Counts(len(truth.boundaries) - len(open_at), len(wrong), len(open_at))
    return counts, tuple(wrong), tuple(open_at)


def methods() -> dict[str, Method]:
    """Return every detector by name."""
    return {_OURS: find_shots, f"{_OURS}, one pass": _ours_streaming, **_peers()}


def _peers() -> dict[str, Method]:
    """Return PySceneDetect's detectors with their default settings."""
    try:
        scenedetect = importlib.import_module("scenedetect")
    except ImportError as exc:
        raise MissingExtra("The comparison with PySceneDetect", "bench") from exc
    logging.getLogger("pyscenedetect").setLevel(logging.ERROR)

    def peer(name: str) -> Method:
        def run(path: Path) -> list[float]:
            scenes = scenedetect.detect(str(path), getattr(scenedetect, name)())
            return [float(start.seconds) for start, _ in scenes[1:]]

        return run

    return {name: peer(name) for name in _PEERS}


def find_shots(path: Path) -> list[float]:
    """Run the shot stage of the index in a scratch workspace."""
    with scratch_workspace() as workspace:
        video_id = workspace.add(path).video.video_id
        workspace.indexer.ensure(video_id, ["shots"])
        return [shot.start_time for shot in workspace.store.segments.load(video_id, "fine")[1:]]


def _ours_streaming(path: Path) -> list[float]:
    """Run `ShotDetector` over every frame in full quality."""
    with open_video(path) as reader:
        detector = ShotDetector(fps=float(reader.info.video.fps))
        for picture in reader.frames():
            detector.feed(picture)
        return [shot.start_time for shot in detector.finish(reader.info.duration_s)[1:]]


def _synthetic(folder: Path, seed: int) -> Iterable[Truth]:
    photos = photographs()
    for case in CASES:
        clip = make_clip(case, seed=seed, photos=photos)
        path = folder / f"{case.name}.mp4"
        write_clip(clip, path)
        height = clip.frames[0].shape[0]
        yield Truth(path, clip.truth.boundaries, clip.truth.widths, (), 0.15, clip.duration_s, height)


def _measure(
    suite: str, truth: Truth, rivals: Mapping[str, Method], *, with_decode: bool
) -> Iterable[ShotMeasurement]:
    name = truth.path.stem if suite == "synthetic" else truth.path.name
    if with_decode:
        _, timing = _timed(_decode, truth)
        yield ShotMeasurement(suite, name, _DECODE, truth.height, Counts(), timing)
    for method, detect in rivals.items():
        times, timing = _timed(detect, truth)
        counts, wrong, missed = score(times, truth)
        yield ShotMeasurement(suite, name, method, truth.height, counts, timing, wrong, missed)


def _timed(work: Method, truth: Truth) -> tuple[list[float], Timing]:
    wall, cpu = time.perf_counter(), time.process_time()
    times = work(truth.path)
    return times, Timing(truth.duration_s, time.perf_counter() - wall, time.process_time() - cpu)


def _decode(path: Path) -> list[float]:
    with open_video(path) as reader:
        for _ in reader.frames():
            pass
    return []


def _print(console: Console, found: Sequence[ShotMeasurement]) -> None:
    for suite, title in (("real", "Real clips"), ("synthetic", "Stress suite")):
        rows = [one for one in found if one.suite == suite]
        if rows:
            _print_clips(console, title, rows)
            _print_totals(console, f"{title}: totals", rows)


def _print_clips(console: Console, title: str, rows: Sequence[ShotMeasurement]) -> None:
    names = [name for name in dict.fromkeys(one.method for one in rows) if name != _DECODE]
    cells: dict[str, dict[str, str]] = {}
    for one in rows:
        counts = one.counts
        cells.setdefault(one.clip, {})[one.method] = f"{counts.hits}/{counts.false_alarms}/{counts.misses}"
    table = [[clip, *(row[name] for name in names)] for clip, row in cells.items()]
    print_table(console, f"{title} (found/false/missed)", ["clip", *(_short(name) for name in names)], table)


def _print_totals(console: Console, title: str, rows: Sequence[ShotMeasurement]) -> None:
    table: list[list[str | float | None]] = []
    for method in dict.fromkeys(one.method for one in rows):
        mine = [one for one in rows if one.method == method]
        counts = sum((one.counts for one in mine), Counts())
        macro = sum(one.counts.f1 for one in mine) / len(mine)
        all_clips = sum((one.timing for one in mine), Timing())
        large = sum((one.timing for one in mine if one.height >= _HD_HEIGHT), Timing())
        scores = [None] * 4 if method == _DECODE else [counts.precision, counts.recall, counts.f1, macro]
        speeds = [all_clips.times_real_time, all_clips.times_real_time_per_core]
        hd = [large.times_real_time, large.times_real_time_per_core] if large.video_s else [None, None]
        table.append([method, *scores, *speeds, *hd])
    headings = [
        "method",
        "precision",
        "recall",
        "F1",
        "macro F1",
        "× real time",
        "× per core",
        "720p ×",
        "720p × core",
    ]
    print_table(console, title, headings, table)


def _short(name: str) -> str:
    return name.removesuffix("Detector")


def _as_json(one: ShotMeasurement) -> dict[str, object]:
    return {
        "suite": one.suite,
        "clip": one.clip,
        "method": one.method,
        "height": one.height,
        "found": one.counts.hits,
        "false": one.counts.false_alarms,
        "missed": one.counts.misses,
        "f1": one.counts.f1,
        "wrong_s": one.wrong,
        "missed_s": one.missed,
        "video_s": one.timing.video_s,
        "wall_s": one.timing.wall_s,
        "cpu_s": one.timing.cpu_s,
        "times_real_time": one.timing.times_real_time,
    }
