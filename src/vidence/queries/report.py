"""A report of a video shot by shot: caption, objects, speech, sounds, text on screen."""

from __future__ import annotations

from collections.abc import Iterator

from vidence.index.narrate.assemble import facts_of
from vidence.index.narrate.chinese_nouns import people_phrase as chinese_people
from vidence.index.narrate.chinese_nouns import thing_phrase as chinese_thing
from vidence.index.narrate.english_nouns import people_phrase, thing_phrase
from vidence.index.narrate.evidence import gather
from vidence.index.narrate.facts import ShotFacts
from vidence.index.narrate.voice import Language
from vidence.schema.frozen import Frozen
from vidence.schema.observations import Caption
from vidence.schema.time import TimeRange
from vidence.store import Store

__all__ = ["ShotReport", "report_shots"]

_DOUBT = {"en": "perhaps ", "zh": "可能有"}


class ShotReport(Frozen):
    """The contents of one shot."""

    segment_id: str
    start_time: float
    end_time: float
    caption: str | None
    objects: list[str]
    words: list[str]
    sounds: list[str]
    text: list[str]


def report_shots(store: Store, video_id: str, *, language: Language) -> Iterator[ShotReport]:
    """Yield the shots of an indexed video in order; the part of a missing stage stays empty."""
    captions = {row.segment_id: row for row in store.observations.load(video_id, "captions", Caption)}
    has_sound = bool(store.catalogue.get(video_id).info.audio)
    for segment in store.segments.load(video_id, "fine"):
        span = TimeRange(start_time=segment.start_time, end_time=segment.end_time)
        facts = facts_of(span, gather(store, video_id, span), has_sound=has_sound)
        shot, caption = facts.shots[0], captions.get(segment.segment_id)
        yield ShotReport(
            segment_id=segment.segment_id,
            start_time=round(segment.start_time, 3),
            end_time=round(segment.end_time, 3),
            caption=None if caption is None else caption.en if language == "en" else caption.zh,
            objects=_objects(shot, language),
            words=list(shot.said.quotes),
            sounds=[sound.en if language == "en" else sound.zh for sound in shot.sounds],
            text=list(shot.texts),
        )


def _objects(shot: ShotFacts, language: Language) -> list[str]:
    found = []
    if shot.people:
        found.append(people_phrase(shot.people) if language == "en" else chinese_people(shot.people))
    for thing in shot.things:
        phrase = thing_phrase(thing) if language == "en" else chinese_thing(thing)
        doubt = "" if thing.sure else _DOUBT[language]
        found.append(doubt + phrase.removeprefix("what may be "))
    return found
