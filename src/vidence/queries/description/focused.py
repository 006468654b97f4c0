"""The description of a span that answers a focus first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from vidence.index.narrate.describe import Description, confidence_of, describe, voice_for
from vidence.index.narrate.facts import Facts, ShotFacts, Thing
from vidence.index.narrate.plan import brief, detailed, order_of, pad, spoken_shots
from vidence.index.narrate.voice import Detail, Language, Order, Voice
from vidence.queries.description.focus import Focus, mention, parse_focus, wanted_people, wanted_things

__all__ = ["describe_focus"]

_NOT_SEEN, _NOT_KNOWN = 0.6, 0.35
"""The confidence of a "no": about a thing the models know, and about one they cannot name."""


def describe_focus(
    facts: Facts, focus: str | None, *, detail: Detail = "standard", language: Language = "en"
) -> Description:
    """Describe a span, what the focus asks for first."""
    if focus is None:
        return describe(facts, detail=detail, language=language)
    sentences, confidence = _focused(facts, detail, parse_focus(focus), voice_for(language))
    joiner = " " if language == "en" else ""
    return Description(joiner.join(sentences), round(confidence, 3))


def _focused(facts: Facts, detail: Detail, focus: Focus, voice: Voice) -> tuple[list[str], float]:
    """Answer the focus first; other facts fill up the length that the level of detail asks for."""
    answers, confidence, about = _answers(facts, focus, voice)
    if detail == "brief":
        ways = [voice.alone(answers[0]), *answers[1:], *_shorter(about, focus, voice)]
        return [next((way for way in ways if voice.fits(way)), min(ways, key=len))], confidence
    if detail == "standard":
        return pad(answers[:3], about, detail, voice), confidence
    return pad([*answers, *detailed(facts, voice)], facts, detail, voice), confidence


def _shorter(facts: Facts, focus: Focus, voice: Voice) -> list[str]:
    """Return shorter answers, for when none is brief enough."""
    ways: list[str | None] = []
    if focus.kind == "text":
        ways = [voice.text(shot.texts, limit=1) for shot in facts.shots]
    elif focus.kind == "sound":
        ways = [voice.sounds(facts.shots, has_track=facts.has_sound), voice.speech(facts.shots, limit=8)]
    bare = [way for shot in facts.shots for way in voice.brief(shot)]
    return [way for way in ways if way] + bare


def _answers(facts: Facts, focus: Focus, voice: Voice) -> tuple[list[str], float, Facts]:
    """Return the sentences that answer, their confidence, and the shots they are about."""
    if focus.is_one or focus.kind == "coloured":
        return _particular(facts, focus, voice)
    if focus.kind in ("people", "animals", "objects", "things"):
        return _seen(facts, focus, voice)
    told: list[str | None] = []
    if focus.kind == "actions":
        told = _in_order(facts.shots, voice.actions)
    elif focus.kind == "scene":
        told = _scene(facts, voice)
    elif focus.kind == "text":
        told = [voice.text(tuple(dict.fromkeys(t for s in facts.shots for t in s.texts)), limit=8)]
    elif focus.kind == "sound":
        told = [voice.speech(facts.shots, limit=40), voice.sounds(facts.shots, has_track=facts.has_sound)]
    found = list(dict.fromkeys(sentence for sentence in told if sentence))
    if found:
        return found, confidence_of(facts), facts
    return _nothing(facts, focus, voice)


def _in_order(shots: Sequence[ShotFacts], say: Callable[[ShotFacts, Order], str | None]) -> list[str | None]:
    """Say one thing of each shot, without repetitions; several sentences say which comes first."""
    told: list[ShotFacts] = []
    for shot in shots:
        sentence = say(shot, "only")
        if sentence and (not told or sentence != say(told[-1], "only")):
            told.append(shot)
    return [say(shot, order_of(index, len(told))) for index, shot in enumerate(told)]


def _scene(facts: Facts, voice: Voice) -> list[str | None]:
    """Say where it is, and how it looks and is filmed."""
    settings = _in_order(facts.shots, voice.setting)
    if len(facts.shots) > 1:
        return settings or _in_order(facts.shots, lambda shot, _: voice.style(shot))
    shot = facts.shots[0]
    return [*settings, voice.style(shot), voice.camera(shot)]


def _particular(facts: Facts, focus: Focus, voice: Voice) -> tuple[list[str], float, Facts]:
    """Describe the people or things of a certain place or colour and, where asked, their actions."""
    found = [shot for shot in facts.shots if wanted_people(shot, focus) or _wanted(shot, focus)]
    found = found or [shot for shot in facts.shots if _is_of_colour(shot, focus)]
    if not found:
        return _nothing(facts, focus, voice)
    sentences: list[str | None] = []
    for index, shot in enumerate(found):
        order = order_of(index, len(found))
        people, things = wanted_people(shot, focus), _wanted(shot, focus)
        if things:
            sentences += [voice.things_focus(things, order)]
        # Of several who would fit, the one longest in view is meant.
        for person in people[: 1 if focus.place else None]:
            sure = shot.people is not None and shot.people.sure
            sentences += [voice.person_focus(person, "only" if things else order, sure=sure)]
        if not people and not things:
            sentences += [voice.style(shot) or voice.subject(shot, order)]
        if focus.kind == "actions":
            sentences += [voice.actions(shot, again=shot.people is not None and shot.people.count == 1)]
    about = replace(facts, shots=tuple(found))
    return list(dict.fromkeys(s for s in sentences if s)), confidence_of(about), about


def _is_of_colour(shot: ShotFacts, focus: Focus) -> bool:
    return focus.kind == "coloured" and bool(set(shot.style.colours) & set(focus.colours))


def _wanted(shot: ShotFacts, focus: Focus) -> list[Thing]:
    return wanted_things(shot, focus) if focus.kind == "coloured" else []


def _seen(facts: Facts, focus: Focus, voice: Voice) -> tuple[list[str], float, Facts]:
    """Describe what is asked for, shot by shot."""
    found: list[tuple[ShotFacts, float]] = []
    for shot in facts.shots:
        if focus.kind == "people":
            if shot.people:
                found.append((shot, shot.people.score))
        elif things := wanted_things(shot, focus):
            found.append((replace(shot, things=tuple(things), people=None), things[0].score))
    if not found:
        return _nothing(facts, focus, voice)
    shots = spoken_shots([shot for shot, _ in found], voice)
    sentences: list[str | None] = []
    for index, shot in enumerate(shots):
        order = order_of(index, len(shots))
        if focus.kind == "people" and shot.people:
            sentences += [voice.people_focus(shot, order), voice.each_person(shot.people)]
            if shot.actions and len(shots) == 1:
                sentences += [voice.actions(shot, again=True)]
        else:
            sentences += [voice.things_focus(shot.things, order)]
    about = replace(facts, shots=tuple(shot for shot, _ in found))
    return [s for s in sentences if s], sum(score for _, score in found) / len(found), about


def _nothing(facts: Facts, focus: Focus, voice: Voice) -> tuple[list[str], float, Facts]:
    """Say that it was not seen, that it was mentioned, and what is seen instead."""
    answers = [] if focus.is_question and focus.is_free else [_denied(facts, focus, voice)]
    spoken = mention(facts, focus) if focus.is_free else None
    if spoken:
        answers.append(voice.only_mentioned(focus.asked, spoken))
    answers.append(brief(facts, voice))
    unsure = focus.kind in ("unknown", "coloured") or focus.is_one
    return answers, _NOT_KNOWN if unsure else _NOT_SEEN, facts


def _denied(facts: Facts, focus: Focus, voice: Voice) -> str:
    """Say that what was asked for is not seen."""
    shots = facts.shots
    if focus.is_one:
        return voice.nobody(focus.place, focus.colours, facts.span)
    if focus.kind == "scene":
        return voice.absent("scene")
    if focus.kind == "objects":
        return voice.absent("things" if any(shot.people for shot in shots) else "anything")
    if focus.kind == "actions":
        return voice.absent("named_action" if any(shot.is_moving for shot in shots) else "actions")
    asked = focus.asked if focus.is_free else voice.focus_name(focus.kind)
    return voice.none_seen(asked, facts.span, is_known=focus.kind not in ("unknown", "coloured"))
