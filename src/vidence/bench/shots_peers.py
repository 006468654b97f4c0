"""The shot detectors that are measured: ours, in both its forms, and PySceneDetect's five."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from pathlib import Path

from vidence.errors import MissingExtra
from vidence.index.shots import ShotDetector, detect_shots
from vidence.media import open_video

__all__ = ["OURS", "Method", "methods", "peers"]

Method = Callable[[Path], list[float]]
"""Takes a video file, gives the times at which shots begin, the first left out."""

OURS = "vidence"
_PEERS = ("AdaptiveDetector", "ContentDetector", "HashDetector", "HistogramDetector", "ThresholdDetector")


def methods() -> dict[str, Method]:
    """Return every detector by name."""
    return {OURS: _ours, f"{OURS}, one pass": _ours_streaming, **peers()}


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


def _ours(path: Path) -> list[float]:
    """The two-speed pass behind `detect_shots`."""
    with open_video(path) as reader:
        return [shot.start_time for shot in detect_shots(reader).shots[1:]]


def _ours_streaming(path: Path) -> list[float]:
    """Every frame in full quality through `ShotDetector`, as indexing does."""
    with open_video(path) as reader:
        detector = ShotDetector(fps=float(reader.info.video.fps))
        for picture in reader.frames():
            detector.feed(picture)
        return [shot.start_time for shot in detector.finish(reader.info.duration_s)[1:]]
