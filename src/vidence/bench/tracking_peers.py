"""The public ByteTrack that ours is measured beside, on the same detections."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from vidence.errors import MissingExtra
from vidence.schema.perception import Box, Detection

__all__ = ["PEER", "peer_settings", "run_peer"]

PEER = "ByteTrack (trackers)"


def peer_settings() -> Iterator[Mapping[str, float]]:
    """Yield its defaults, then the settings it is swept over; the best of them is reported too."""
    yield {}
    for start, high in ((0.5, 0.4), (0.6, 0.3), (0.6, 0.4), (0.6, 0.5), (0.7, 0.4), (0.7, 0.6)):
        for overlap in (0.1, 0.2):
            yield {
                "track_activation_threshold": start,
                "high_conf_det_threshold": high,
                "minimum_iou_threshold": overlap,
            }


def run_peer(
    frames: Sequence[Sequence[Detection]], *, size: tuple[int, int], fps: float, **settings: float
) -> dict[int, dict[int, Box]]:
    """Return its boxes by frame (from 1) and track, from the detections of every frame."""
    try:
        trackers, supervision = importlib.import_module("trackers"), importlib.import_module("supervision")
    except ImportError as exc:
        raise MissingExtra("The comparison with ByteTrack", "bench") from exc
    tracker = trackers.ByteTrackTracker(frame_rate=fps, **settings)
    scale = np.array([size[0], size[1], size[0], size[1]], float)
    found: dict[int, dict[int, Box]] = {}
    for number, detections in enumerate(frames, 1):
        boxes = [(d.box.x, d.box.y, d.box.x + d.box.w, d.box.y + d.box.h) for d in detections]
        given = supervision.Detections(
            xyxy=np.array(boxes).reshape(-1, 4) * scale,
            confidence=np.array([d.confidence for d in detections]),
            class_id=np.zeros(len(detections), int),
        )
        told = tracker.update(given)
        found[number] = {
            int(track): Box.from_corners(*(float(value) for value in corners / scale))
            for corners, track in zip(told.xyxy, told.tracker_id, strict=True)
            if track >= 0
        }
    return found
