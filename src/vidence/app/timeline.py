"""A video along its time, for the lanes of a page: what the index knows, without computing anything."""

from __future__ import annotations

from vidence.app.speakers import named_speakers
from vidence.app.workspace import Workspace
from vidence.index.narrate.naming import sound_name
from vidence.index.narrate.phases import shot_captions
from vidence.language.categories import categories
from vidence.queries.entities.identities import load_identities
from vidence.schema.frozen import Frozen
from vidence.schema.observations import Caption, SoundEvent, TextSeen
from vidence.schema.speech import Utterance

__all__ = ["IdentityLane", "LaneSpan", "ShotSpan", "VideoLanes", "lanes_of"]

_MOST_LANES = 24
_MOST_TEXTS = 2000
_NO_EVENTS = ("silence", "speech")
"""Kinds of sound that are no events; speech has a lane of its own."""
_JOIN_S = 1.5
"""The same text read again within this time is one span."""


class LaneSpan(Frozen):
    """Something that holds for a span."""

    start_time: float
    end_time: float
    text: str
    zh: str = ""
    """The name of a sound in Chinese."""
    group: str = ""
    """The speaker or the kind of sound."""
    confidence: float | None = None


class ShotSpan(Frozen):
    """A shot or a scene, with its caption in both languages."""

    segment_id: str
    start_time: float
    end_time: float
    en: str = ""
    zh: str = ""


class IdentityLane(Frozen):
    """One person or thing, and when it is in the picture."""

    identity_id: str
    category: str
    zh: str = ""
    """The category in Chinese."""
    spans: tuple[tuple[float, float], ...]


class VideoLanes(Frozen):
    """All lanes of a video."""

    video_id: str
    duration_s: float
    scenes: tuple[ShotSpan, ...] = ()
    shots: tuple[ShotSpan, ...] = ()
    speech: tuple[LaneSpan, ...] = ()
    sounds: tuple[LaneSpan, ...] = ()
    texts: tuple[LaneSpan, ...] = ()
    identities: tuple[IdentityLane, ...] = ()
    """People first, then the rest, each by its time in the picture."""


def lanes_of(workspace: Workspace, video_id: str) -> VideoLanes:
    """Return what the index knows of a video, lane by lane; a missing stage leaves its lane empty."""
    store = workspace.store
    record = store.catalogue.get(video_id)
    load = store.observations.load
    captions = shot_captions(load(video_id, "captions", Caption))
    shots = store.segments.load(video_id, "fine")
    names = named_speakers(workspace, video_id)
    return VideoLanes(
        video_id=video_id,
        duration_s=record.info.duration_s,
        scenes=tuple(
            ShotSpan(segment_id=one.segment_id, start_time=one.start_time, end_time=one.end_time)
            for one in store.segments.load(video_id, "coarse")
        ),
        shots=tuple(
            ShotSpan(
                segment_id=one.segment_id,
                start_time=one.start_time,
                end_time=one.end_time,
                en=captions[one.segment_id].en if one.segment_id in captions else "",
                zh=captions[one.segment_id].zh if one.segment_id in captions else "",
            )
            for one in shots
        ),
        speech=tuple(
            LaneSpan(
                start_time=one.start_time,
                end_time=one.end_time,
                text=one.text,
                group=names.get(one.speaker or "", one.speaker or ""),
                confidence=one.confidence,
            )
            for one in load(video_id, "transcript", Utterance)
        ),
        sounds=tuple(
            LaneSpan(
                start_time=one.start_time,
                end_time=one.end_time,
                text=(one.description or one.event_type).replace("_", " "),
                zh=sound_name(one.event_type, one.description).zh,
                group=one.event_type,
                confidence=one.confidence,
            )
            for one in load(video_id, "sounds", SoundEvent)
            if one.event_type not in _NO_EVENTS
        ),
        texts=tuple(_texts(load(video_id, "ocr", TextSeen))[:_MOST_TEXTS]),
        identities=tuple(_identities(workspace, video_id)[:_MOST_LANES]),
    )


def _texts(rows: list[TextSeen]) -> list[LaneSpan]:
    """Return each text once for as long as it stays on screen."""
    open_spans: dict[str, LaneSpan] = {}
    found: list[LaneSpan] = []
    for row in rows:
        for line in row.lines:
            before = open_spans.get(line.text)
            if before is not None and row.start_time - before.end_time <= _JOIN_S:
                open_spans[line.text] = before.model_copy(update={"end_time": row.end_time})
                continue
            if before is not None:
                found.append(before)
            open_spans[line.text] = LaneSpan(
                start_time=row.start_time, end_time=row.end_time, text=line.text, confidence=line.confidence
            )
    return sorted([*found, *open_spans.values()], key=lambda one: (one.start_time, one.text))


def _identities(workspace: Workspace, video_id: str) -> list[IdentityLane]:
    shots = workspace.store.segments.load(video_id, "fine")
    chinese = {one.name: one.chinese for one in categories().values()}
    lanes = [
        IdentityLane(
            identity_id=one.identity_id,
            category=one.category,
            zh=chinese.get(one.category, one.category),
            spans=tuple((round(part.start_s, 3), round(part.end_s, 3)) for part in one.appearances(shots)),
        )
        for one in load_identities(workspace.store, video_id)
    ]
    shown = [lane for lane in lanes if lane.spans]
    return sorted(shown, key=lambda lane: (lane.category != "person", -_length(lane)))


def _length(lane: IdentityLane) -> float:
    return sum(end - start for start, end in lane.spans)
