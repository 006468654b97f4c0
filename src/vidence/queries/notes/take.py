"""The notes of a video: what is said, written, seen and heard, as short statements in order of time."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.index.narrate.phases import phases_of
from vidence.index.narrate.voice import Language
from vidence.index.scene.likeness import PlaceScores
from vidence.language.identify import has_han
from vidence.language.phrases import phrase
from vidence.models.speech.speakers import name_speakers
from vidence.queries.notes.names import NamedPerson, captioned_people, name_voices
from vidence.queries.notes.screen import MergedLine, joined_blocks, merge_lines
from vidence.queries.notes.seen import Likely, heard_lines, seen_lines
from vidence.schema.observations import SoundEvent, TextSeen
from vidence.schema.reading import NotedLine
from vidence.schema.speech import Utterance
from vidence.store import Store

__all__ = ["NOTES_ID", "take_notes"]

NOTES_ID = "notes@13"
_MIN_SAID = 0.4
_LONGEST = 160
"""Characters of one note of text on screen; a Chinese character counts twice."""
_NAMED = 0.85
_PAUSE_S = 1.5
_ORDER = ("place", "written", "seen", "action", "said", "heard")
"""Of notes that begin together, what sets the scene comes first."""


def take_notes(
    store: Store,
    video_id: str,
    duration_s: float,
    *,
    language: Language,
    places: PlaceScores | None,
    likely: Likely | None = None,
) -> list[NotedLine]:
    """Return everything the index knows about a video, in an order that no question changes.

    Args:
        likely: how likely words are true of any frame of a span, where that is known.
    """
    load = store.observations.load
    blocks = joined_blocks(merge_lines(load(video_id, "ocr", TextSeen)))
    people = captioned_people(blocks)
    found = [*_written(blocks), *_people(people, language)]
    found += _said(load(video_id, "transcript", Utterance), people)
    found += seen_lines(
        store,
        video_id,
        phases_of(store, video_id, duration_s),
        language=language,
        places=places,
        likely=likely,
    )
    found += heard_lines(load(video_id, "sounds", SoundEvent), language=language)
    return sorted(found, key=lambda one: (round(one.start_time, 1), _ORDER.index(one.kind)))


def _written(blocks: Sequence[Sequence[MergedLine]]) -> list[NotedLine]:
    """Return text on screen; blocks that appear together share a note while it is short."""
    found: list[NotedLine] = []
    for block in blocks:
        text = " ".join(line.text for line in block)
        line = NotedLine(
            kind="written",
            start_time=round(min(one.start_s for one in block), 3),
            end_time=round(max(one.end_s for one in block), 3),
            text=text,
            confidence=round(min(one.confidence for one in block), 3),
        )
        last = found[-1] if found else None
        if last and last.start_time == line.start_time and _length(last.text + text) <= _LONGEST:
            found[-1] = last.model_copy(
                update={
                    "text": f"{last.text} | {text}",
                    "end_time": max(last.end_time, line.end_time),
                    "confidence": min(last.confidence, line.confidence),
                }
            )
        else:
            found.append(line)
    return found


def _length(text: str) -> int:
    return sum(2 if has_han(char) else 1 for char in text)


def _people(people: Sequence[NamedPerson], language: Language) -> list[NotedLine]:
    return [
        NotedLine(
            kind="seen",
            start_time=round(one.start_s, 3),
            end_time=round(one.end_s, 3),
            text=phrase("note_person", language, one.text),
            confidence=_NAMED,
            name=one.name,
        )
        for one in people
    ]


def _said(utterances: Sequence[Utterance], people: Sequence[NamedPerson]) -> list[NotedLine]:
    kept = [one for one in name_speakers(utterances) if one.confidence >= _MIN_SAID and one.text.strip()]
    heard = _whole_sentences(kept)
    return [
        NotedLine(
            kind="said",
            start_time=round(one.start_time, 3),
            end_time=round(one.end_time, 3),
            text=one.text,
            confidence=round(one.confidence, 3),
            speaker=one.speaker,
            name=name,
        )
        for one, name in zip(heard, name_voices(heard, people), strict=True)
    ]


def _whole_sentences(utterances: Sequence[Utterance]) -> list[Utterance]:
    """Join what one voice says without a break, so that a figure stays with the words it belongs to."""
    found: list[Utterance] = []
    for one in utterances:
        text = " ".join(one.text.split())
        last = found[-1] if found else None
        if last is not None and _goes_on(last, one) and _length(last.text + text) <= _LONGEST:
            joiner = "" if has_han(last.text[-1]) and has_han(text[0]) else " "
            merged = {
                "text": f"{last.text}{joiner}{text}",
                "end_time": one.end_time,
                "confidence": min(last.confidence, one.confidence),
            }
            found[-1] = last.model_copy(update=merged)
        else:
            found.append(one.model_copy(update={"text": text}))
    return found


def _goes_on(last: Utterance, one: Utterance) -> bool:
    ended = last.text.rstrip("\"'”’)").endswith((".", "!", "?", "。", "！", "？", "…"))
    return not ended and one.speaker == last.speaker and one.start_time - last.end_time <= _PAUSE_S
