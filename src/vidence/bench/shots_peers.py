"""The shot detectors that are measured: ours, in both its forms, and PySceneDetect's five."""

from __future__ import annotations

import importlib
import logging
import tempfile
from collections.abc import Callable
from pathlib import Path

from vidence.app import open_workspace
from vidence.errors import MissingExtra
from vidence.index.shots.detector import ShotDetector
from vidence.media import open_video

__all__ = ["OURS", "Method", "find_shots", "methods", "peers"]

Method = Callable[[Path], list[float]]
"""Takes a video file, gives the times at which shots begin, the first left out."""

OURS = "vidence"
_PEERS = ("AdaptiveDetector", "ContentDetector", "HashDetector", "HistogramDetector", "ThresholdDetector")


def methods() -> dict[str, Method]:
    """Return every detector by name."""
    return {OURS: find_shots, f"{OURS}, one pass": _ours_streaming, **peers()}


def peers() -> dict[str, Method]:
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
    """Run the index's own stage, in a workspace that is thrown away."""
    with (
        tempfile.TemporaryDirectory(prefix="vidence-shots-") as home,
        open_workspace(home=home) as workspace,
    ):
        video_id = workspace.add(path).video.video_id
        workspace.indexer.ensure(video_id, ["shots"])
        return [shot.start_time for shot in workspace.store.segments.load(video_id, "fine")[1:]]


def _ours_streaming(path: Path) -> list[float]:
    """Every frame in full quality through `ShotDetector`."""
    with open_video(path) as reader:
        detector = ShotDetector(fps=float(reader.info.video.fps))
        for picture in reader.frames():
            detector.feed(picture)
        return [shot.start_time for shot in detector.finish(reader.info.duration_s)[1:]]
