"""What is seen and heard, as notes: each phase of a shot with what is known surely enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from vidence.index.narrate.assemble import shot_facts
from vidence.index.narrate.describe import voice_for
from vidence.index.narrate.evidence import gather
from vidence.index.narrate.facts import People, Setting, ShotFacts, Thing
from vidence.index.narrate.naming import sound_name
from vidence.index.narrate.voice import Language, Voice
from vidence.index.scene.likeness import PlaceScores
from vidence.language.phrases import phrase
from vidence.queries.notes.places import told_place
from vidence.schema.observations import SoundEvent
from vidence.schema.reading import NotedLine
from vidence.schema.time import TimeRange
from vidence.store import Store

__all__ = ["Likely", "doubted", "heard_lines", "seen_lines"]

Likely = Callable[[str, TimeRange], float]
"""How likely the words for a thing are true of any frame of a span."""

_UNSAID = frozenset({"speech", "silence", "clipping"})
_SURE_SOUND, _LEAST_SOUND = 0.7, 0.5
_JOINED_S = 3.0
"""Sounds of one kind that are no further apart are one note."""
_PLACE, _ACTION = 0.7, 0.6
"""Confidences of a place and an action in a note; set by hand, not measured."""
_DOUBTED = 0.7
"""What the score of a thing that only may be there is worth."""
_CROWD = 3
_LASTING = 0.5
"""A thing is told as sure where at least this share of the frames shows it."""
_FILLS, _CERTAIN, _LIKELY = 0.4, 0.9, 0.3
"""A thing that fills so much of the picture, with a lower score than this, is told only where the whole
picture is likely to show it: of 52 that filled 400 photographs only the wrong one is left out."""
_READ = 0.9
"""The least confidence of a title: half-read signs look like one."""
_PLACES = frozenset({"place", "building", "landscape"})


def seen_lines(
    store: Store,
    video_id: str,
    phases: Sequence[TimeRange],
    *,
    language: Language,
    places: PlaceScores | None,
    likely: Likely | None = None,
) -> list[NotedLine]:
    """Return what each phase shows; a statement that stays the same is made once, for all its time."""
    voice = voice_for(language)
    found: list[NotedLine] = []
    for phase in phases:
        for evidence in gather(store, video_id, phase, place_scores=places, tracked=True):
            for line in _phase_lines(doubted(shot_facts(evidence), likely), voice, language):
                _add(found, line)
    return found


def heard_lines(sounds: Sequence[SoundEvent], *, language: Language) -> list[NotedLine]:
    """Return the sounds that are not speech, those of one kind that follow one another as one."""
    found: list[NotedLine] = []
    for one in sounds:
        if one.event_type in _UNSAID or one.confidence < _LEAST_SOUND:
            continue
        name = sound_name(one.event_type, one.description)
        said = name.zh if language == "zh" else name.en
        text = said if one.confidence >= _SURE_SOUND else phrase("note_perhaps", language, said)
        line = _line(
            "heard", TimeRange(start_time=one.start_time, end_time=one.end_time), text, one.confidence
        )
        _add(found, line, gap_s=_JOINED_S)
    return found


def _phase_lines(shot: ShotFacts, voice: Voice, language: Language) -> Iterator[NotedLine]:
    sure = replace(
        shot,
        people=shot.people if shot.people and shot.people.sure else None,
        things=tuple(thing for thing in shot.things if thing.sure and not _is_place(thing, shot)),
    )
    is_title = shot.is_title and shot.text_score >= _READ
    if sure.people or sure.things:
        yield _line("seen", shot.span, _subject(sure, voice), _score(sure))
        for extra in (_each(sure.people, voice), voice.more(sure.things[3:]), voice.where(sure.things[1:3])):
            if extra:
                yield _line("seen", shot.span, extra, _score(sure))
    elif shot.people or shot.things:
        yield _line("seen", shot.span, _subject(shot, voice), _DOUBTED * _score(shot))
    elif shot.style.blank or is_title:
        yield _line("seen", shot.span, voice.subject(shot), 0.9)
    if kind := voice.kind(shot):
        yield _line("seen", shot.span, kind, 0.9)
    if sure.people and shot.actions and (done := voice.actions(sure)):
        yield _line("action", shot.span, done, _ACTION)
    if shot.setting.location and (where := voice.setting(_placed(shot))):
        yield _line("place", shot.span, where, _PLACE)
    moves = shot.camera not in (None, "static", "handheld")
    if moves and (camera := voice.camera(shot)):
        yield _line("seen", shot.span, camera, _PLACE)
    is_bare = not (sure.people or sure.things)
    if (is_bare or shot.style.grey) and (style := voice.style(shot)):
        yield _line("seen", shot.span, style, 0.9)


def doubted(shot: ShotFacts, likely: Likely | None) -> ShotFacts:
    """Return a shot without things it does not look like; they are sure where its frames agree on them."""
    kept = (one for one in shot.things if likely is None or not _is_unlike(one, shot.span, likely))
    return replace(shot, things=tuple(replace(one, sure=one.sure and one.share >= _LASTING) for one in kept))


def _is_unlike(thing: Thing, span: TimeRange, likely: Likely) -> bool:
    is_large = thing.area >= _FILLS and thing.score < _CERTAIN
    return is_large and likely(f"a {thing.name.en}", span) < _LIKELY


def _placed(shot: ShotFacts) -> ShotFacts:
    """Return a shot whose place is told as surely as such places are known to be right."""
    setting: Setting = shot.setting
    return replace(shot, setting=replace(setting, location=told_place(setting.location)))


def _is_place(thing: Thing, shot: ShotFacts) -> bool:
    """Tell whether a "thing" only repeats the place: people are not seen with a shop, but in it."""
    return bool(shot.setting.location and shot.people) and thing.kind in _PLACES


def _subject(shot: ShotFacts, voice: Voice) -> str:
    """Describe people and things without the words that only make a frame of them."""
    return voice.subject(replace(shot, texts=(), is_title=False))


def _each(people: People | None, voice: Voice) -> str | None:
    if people is None or people.count > _CROWD:
        return None
    # That all of them look alike and stand in one place tells nobody apart.
    looks = {(one.place, one.upper, one.lower, one.posture, one.moved) for one in people.each}
    return voice.each_person(people) if len(looks) > 1 else None


def _score(shot: ShotFacts) -> float:
    scores = [thing.score for thing in shot.things[:1]] + ([shot.people.score] if shot.people else [])
    return max(scores)


def _line(kind: str, span: TimeRange, text: str, confidence: float) -> NotedLine:
    return NotedLine.model_validate(
        {
            "kind": kind,
            "start_time": round(span.start_time, 3),
            "end_time": round(span.end_time, 3),
            "text": text.strip().rstrip("."),
            "confidence": round(min(confidence, 1.0), 3),
        }
    )


def _add(found: list[NotedLine], line: NotedLine, *, gap_s: float = 0.2) -> None:
    """Add a line, or lengthen the same statement that ends where it begins."""
    for index in range(len(found) - 1, -1, -1):
        old = found[index]
        if old.kind == line.kind and old.text == line.text and line.start_time - old.end_time <= gap_s:
            found[index] = old.model_copy(
                update={"end_time": line.end_time, "confidence": max(old.confidence, line.confidence)}
            )
            return
    found.append(line)
