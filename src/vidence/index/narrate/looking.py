"""Looking at frames now, where the index has none: moments shorter than its sampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vidence.index.narrate.evidence import Glimpse, ShotEvidence
from vidence.index.pipeline.analysts import LabelsAnalyst, ObjectsAnalyst
from vidence.index.pipeline.look import LOOK_SIDE, Look
from vidence.media import VideoReader
from vidence.models.shelf import ModelShelf
from vidence.schema.observations import LabelsSeen, ObjectsSeen, SeenText, TextSeen

__all__ = ["is_unseen", "look_where_unseen"]

_LATE = 0.6
"""Where in a shot to look: past its middle, when a title has faded in."""


def is_unseen(shot: ShotEvidence) -> bool:
    """Say whether no frame of a shot was looked at, or none was searched for text."""
    return not shot.glimpses or not shot.texts


def look_where_unseen(
    shots: Sequence[ShotEvidence], reader: VideoReader, shelf: ModelShelf
) -> list[ShotEvidence]:
    """Return the evidence with one frame looked at of each shot the index passed over."""
    blind = [shot for shot in shots if is_unseen(shot)]
    times = [shot.span.start_time + shot.span.duration_s * _LATE for shot in blind]
    seen = {
        id(shot): _looked(shot, Look(picture.time_s, picture.rgb(max_side=LOOK_SIDE), shelf), shelf)
        for shot, picture in zip(blind, reader.at(times), strict=True)
    }
    return [seen.get(id(shot), shot) for shot in shots]


def _looked(shot: ShotEvidence, look: Look, shelf: ModelShelf) -> ShotEvidence:
    if not shot.glimpses:
        shot = replace(shot, glimpses=(_glimpse(look, shot),))
    return shot if shot.texts else replace(shot, texts=(_text(look, shot, shelf),))


def _glimpse(look: Look, shot: ShotEvidence) -> Glimpse:
    rows = (*LabelsAnalyst().look(look).rows, *ObjectsAnalyst().look(look).rows)
    return Glimpse(
        look.time_s,
        shot.span.duration_s,
        labels=next((row.labels for row in rows if isinstance(row, LabelsSeen)), ()),
        objects=next((row.objects for row in rows if isinstance(row, ObjectsSeen)), ()),
    )


def _text(look: Look, shot: ShotEvidence, shelf: ModelShelf) -> TextSeen:
    lines = tuple(
        SeenText(
            text=line.text, confidence=line.confidence, bbox=(line.box.x, line.box.y, line.box.w, line.box.h)
        )
        for line in shelf.ocr.read([look.image])[0]
    )
    return TextSeen(start_time=look.time_s, end_time=max(shot.span.end_time, look.time_s), lines=lines)
