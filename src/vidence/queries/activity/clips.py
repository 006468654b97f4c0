"""Clips for the action model where the index has none, and frames to check its output against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vidence.index.activity.evidence import FrameEvidence
from vidence.media import VideoReader
from vidence.models.shelf import ModelShelf
from vidence.schema.observations import ActionsSeen, NamedScore
from vidence.schema.time import TimeRange

__all__ = ["glance_at", "missing_clips", "recognize_clip", "without_cuts"]

_MAX_CLIPS = 6
_EVERY_S = 2.0
_LEAST_SHARE = 0.5
"""Least part of a clip that must lie in one shot."""
_FEWEST_FRAMES = 8
_SIDE = 340
_GLANCE_SIDE = 960
_TOP = 10


def missing_clips(span: TimeRange, known: Sequence[ActionsSeen], length_s: float) -> list[TimeRange]:
    """Return the clips to recognise besides the known ones, spread evenly over the span."""
    if span.duration_s <= length_s:
        return [] if known else [span]
    count = min(_MAX_CLIPS, max(1, round(span.duration_s / max(_EVERY_S, length_s))))
    starts = np.linspace(span.start_time, span.end_time - length_s, count) if count > 1 else [
        (span.start_time + span.end_time - length_s) / 2
    ]  # fmt: skip
    near = max(length_s, span.duration_s / (2 * count))
    wanted = [start for start in starts if all(abs(start - clip.start_time) >= near for clip in known)]
    return [TimeRange(start_time=float(start), end_time=float(start + length_s)) for start in wanted]


def without_cuts(clips: Sequence[TimeRange], shots: Sequence[TimeRange]) -> list[TimeRange]:
    """Cut each clip to the shot that holds most of it; one of which no shot holds half is dropped.

    Args:
        shots: the shots of the video, as far as they are known; without any the clips stay as they are.
    """
    if not shots:
        return list(clips)
    kept = []
    for clip in clips:
        parts = [(max(clip.start_time, s.start_time), min(clip.end_time, s.end_time)) for s in shots]
        start, end = max(parts, key=lambda part: part[1] - part[0])
        if end - start >= _LEAST_SHARE * clip.duration_s:
            kept.append(TimeRange(start_time=start, end_time=end))
    return kept


def recognize_clip(reader: VideoReader, span: TimeRange, shelf: ModelShelf) -> ActionsSeen:
    """Run the action model on one clip."""
    model = shelf.actions
    count = int(np.clip(round(span.duration_s * model.clip_fps), _FEWEST_FRAMES, model.clip_frames))
    times = np.linspace(span.start_time, span.end_time, count, endpoint=False)
    frames = np.stack([picture.rgb(max_side=_SIDE) for picture in reader.at([float(t) for t in times])])
    actions = tuple(
        NamedScore(label=item.label, score=round(item.score, 4))
        for item in model.recognize([frames])[0][:_TOP]
    )
    return ActionsSeen(start_time=span.start_time, end_time=span.end_time, actions=actions)


def glance_at(reader: VideoReader, times: Sequence[float], shelf: ModelShelf) -> list[FrameEvidence]:
    """Detect and label the frames at `times`."""
    glances = []
    for time_s, picture in zip(times, reader.at(times), strict=True):
        image = picture.rgb(max_side=_GLANCE_SIDE)
        labels = {item.label: item.score for item in shelf.labeller.label([image])[0].scores}
        glances.append(FrameEvidence(time_s, shelf.detector.detect([image])[0], labels))
    return glances
