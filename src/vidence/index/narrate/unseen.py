"""Analysing frames of shots that the index has no frames of, being shorter than its sampling interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vidence.index.narrate.evidence import SampledFrame, ShotEvidence
from vidence.index.pipeline.analysts import labels_row, objects_row
from vidence.index.pipeline.frame import FRAME_SIDE, AnalysedFrame
from vidence.media import VideoReader
from vidence.models.shelf import ModelShelf
from vidence.schema.observations import SeenText, TextSeen

__all__ = ["analyse_unseen", "is_unseen"]

_LATE = 0.6
"""Which frame of a shot to take: past its middle, when a title has faded in."""


def is_unseen(shot: ShotEvidence) -> bool:
    """Tell whether no frame of a shot was analysed, or none was searched for text."""
    return not shot.samples or not shot.texts


def analyse_unseen(
    shots: Sequence[ShotEvidence], reader: VideoReader, shelf: ModelShelf
) -> list[ShotEvidence]:
    """Return the evidence, with one frame analysed now for each shot that the index skipped."""
    unseen = [shot for shot in shots if is_unseen(shot)]
    times = [shot.span.start_time + shot.span.duration_s * _LATE for shot in unseen]
    analysed = {
        id(shot): _completed(
            shot, AnalysedFrame(picture.time_s, picture.rgb(max_side=FRAME_SIDE), shelf), shelf
        )
        for shot, picture in zip(unseen, reader.at(times), strict=True)
    }
    return [analysed.get(id(shot), shot) for shot in shots]


def _completed(shot: ShotEvidence, frame: AnalysedFrame, shelf: ModelShelf) -> ShotEvidence:
    if not shot.samples:
        labels, objects = labels_row(frame).labels, objects_row(frame).objects
        sample = SampledFrame(frame.time_s, shot.span.duration_s, labels=labels, objects=objects)
        shot = replace(shot, samples=(sample,))
    return shot if shot.texts else replace(shot, texts=(_text(frame, shot, shelf),))


def _text(frame: AnalysedFrame, shot: ShotEvidence, shelf: ModelShelf) -> TextSeen:
    lines = tuple(
        SeenText(
            text=line.text, confidence=line.confidence, bbox=(line.box.x, line.box.y, line.box.w, line.box.h)
        )
        for line in shelf.ocr.read([frame.image])[0]
    )
    return TextSeen(start_time=frame.time_s, end_time=max(shot.span.end_time, frame.time_s), lines=lines)
