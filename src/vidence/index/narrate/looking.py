"""Looking at frames now, where the index has none: moments shorter than its sampling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vidence.index.analysts import LabelsAnalyst, ObjectsAnalyst
from vidence.index.look import LOOK_SIDE, Look
from vidence.index.narrate.evidence import Glimpse, ShotEvidence
from vidence.media import VideoReader
from vidence.models.shelf import ModelShelf
from vidence.schema.observations import LabelsSeen, ObjectsSeen

__all__ = ["look_where_unseen"]


def look_where_unseen(
    shots: Sequence[ShotEvidence], reader: VideoReader, shelf: ModelShelf
) -> list[ShotEvidence]:
    """Return the evidence with one frame, from the middle, of each shot nothing was sampled from."""
    blind = [shot for shot in shots if not shot.glimpses]
    middles = [(shot.span.start_time + shot.span.end_time) / 2 for shot in blind]
    pictures = list(reader.at(middles)) if middles else []
    looks = [Look(picture.time_s, picture.rgb(max_side=LOOK_SIDE), shelf) for picture in pictures]
    found = {id(shot): _glimpse(look, shot) for shot, look in zip(blind, looks, strict=True)}
    return [replace(shot, glimpses=(found[id(shot)],)) if id(shot) in found else shot for shot in shots]


def _glimpse(look: Look, shot: ShotEvidence) -> Glimpse:
    rows = (*LabelsAnalyst().look(look).rows, *ObjectsAnalyst().look(look).rows)
    return Glimpse(
        look.time_s,
        shot.span.duration_s,
        labels=next((row.labels for row in rows if isinstance(row, LabelsSeen)), ()),
        objects=next((row.objects for row in rows if isinstance(row, ObjectsSeen)), ()),
    )
