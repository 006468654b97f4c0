"""The content and order of a description, for each level of detail; the voice does the wording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from vidence.index.narrate.facts import Facts, ShotFacts
from vidence.index.narrate.voice import Detail, Order, Voice

__all__ = ["brief", "compose", "detailed", "order_of", "pad", "spoken_shots", "standard"]

_LEAST, _MOST = {"brief": 1, "standard": 2, "detailed": 6}, {"brief": 1, "standard": 3, "detailed": 40}
_PHRASES = 5
_FULL_SHOTS = 3
"""How many shots a detailed description gives in full; of more, only the main things of each."""
_MAX_SHOTS = 12
_TOLD_SHOTS = 2
_QUOTE = {"standard": 24, "detailed": 60}
_READING = (0, 4, 2, 5, 7, 9, 8, 3, 1, 6)
"""The order in which the sentences read best: the picture, who, what, where, how, text, speech, sounds."""
_NEXT: tuple[Order, ...] = ("next", "again", "later")


def compose(facts: Facts, detail: Detail, voice: Voice) -> list[str]:
    """Return the sentences of a description."""
    if detail == "brief":
        return [brief(facts, voice)]
    sentences = standard(facts, voice) if detail == "standard" else detailed(facts, voice)
    return pad(sentences, facts, detail, voice)


def brief(facts: Facts, voice: Voice) -> str:
    """Describe a span in one short sentence."""
    shots = spoken_shots(facts.shots, voice)
    if len(shots) > 1:
        for count in range(min(_PHRASES, len(shots)), 1, -1):
            sentence = voice.sequence(shots[:count], total=len(shots))
            if voice.fits(sentence):
                return sentence
    ways = voice.brief(shots[0])
    return next((way for way in ways if voice.fits(way)), ways[-1])


def standard(facts: Facts, voice: Voice) -> list[str]:
    """Describe what is seen in a sentence or two, and add the most informative other facts."""
    shots = spoken_shots(facts.shots, voice)
    if len(shots) == 1:
        seen = [voice.subject(shots[0])]
    elif len(shots) == 2:
        seen = [voice.subject(shots[0], "first"), voice.subject(shots[1], "next")]
    else:
        seen = [voice.sequence(shots[:_PHRASES], total=len(shots))]
    return [*seen, *_telling(facts, voice)[: 3 - len(seen)]]


def detailed(facts: Facts, voice: Voice) -> list[str]:
    """Describe shot by shot what is seen, read and heard."""
    shots = _chosen(spoken_shots(facts.shots, voice))
    sentences: list[str] = []
    for index, shot in enumerate(shots):
        sentences.append(voice.subject(shot, order_of(index, len(shots))))
        sentences += _full(shot, voice) if len(shots) <= _FULL_SHOTS else _gist(shot, voice)
    # With few shots each has its own sounds; that there are none is said once.
    if len(shots) > _FULL_SHOTS or not facts.has_sound or all(shot.is_silent for shot in facts.shots):
        sentences += _kept([voice.sounds(facts.shots, has_track=facts.has_sound)])
    return [*sentences, voice.extent(facts)]


def pad(sentences: Sequence[str], facts: Facts, detail: Detail, voice: Voice) -> list[str]:
    """Add further facts until the description has the length of its level, without repetitions."""
    said = list(dict.fromkeys(sentences))[: _MOST[detail]]
    for more in _spare(facts, voice):
        if len(said) >= _LEAST[detail]:
            break
        if more not in said:
            said.append(more)
    return said


def spoken_shots(shots: Sequence[ShotFacts], voice: Voice) -> list[ShotFacts]:
    """Return the shots without those that would only repeat the sentence before."""
    kept: list[ShotFacts] = []
    for shot in shots:
        if not kept or voice.subject(shot) != voice.subject(kept[-1]):
            kept.append(shot)
    return kept


def _telling(facts: Facts, voice: Voice) -> list[str]:
    """Return the two most important other sentences, in the order they read best."""
    shots, first = facts.shots, facts.shots[0]
    alone = len(spoken_shots(shots, voice)) == 1
    # With one or two shots, the sentence about each has quoted its title.
    quoted = len(spoken_shots(shots, voice)) <= _TOLD_SHOTS
    texts = _texts(shot for shot in shots if not (quoted and shot.is_title))
    ranked = [
        _shared(shots, voice.kind),
        voice.speech(shots, limit=_QUOTE["standard"]),
        voice.actions(first, again=True) if alone and first.actions else None,
        voice.text(texts, limit=3),
        voice.each_person(first.people) if alone and first.people else None,
        _setting(first, voice) if alone else None,
        voice.sounds(shots, has_track=True),
        voice.camera(first) if alone and first.camera != "static" else None,
        voice.style(first) if alone else None,
        voice.camera(first) if alone else None,
    ]
    best = list(dict.fromkeys(_kept(ranked)))[:2]
    reading = dict.fromkeys(_kept(ranked[index] for index in _READING))
    return [sentence for sentence in reading if sentence in best]


def _full(shot: ShotFacts, voice: Voice) -> list[str]:
    return _kept(
        [
            voice.each_person(shot.people) if shot.people else None,
            voice.where(shot.things[0 if shot.people and shot.people.sure else 1 : 3]),
            voice.more(shot.things[3:]),
            voice.actions(shot, again=True) if shot.actions else None,
            _setting(shot, voice),
            voice.camera(shot),
            voice.kind(shot),
            voice.style(shot),
            None if shot.is_title and len(shot.texts) <= 2 else voice.text(shot.texts, limit=5),
            voice.speech([shot], limit=_QUOTE["detailed"]),
            voice.sounds([shot], has_track=True) if shot.sounds else None,
        ]
    )


def _setting(shot: ShotFacts, voice: Voice) -> str | None:
    """Describe the setting, unless the subject sentence already did."""
    has_subject = shot.people or shot.things or shot.is_title or shot.style.blank
    return voice.setting(shot) if has_subject or not shot.setting.location else None


def _gist(shot: ShotFacts, voice: Voice) -> list[str]:
    moves = shot.camera not in (None, "static")
    read = None if shot.is_title else voice.text(shot.texts, limit=2)
    return _kept(
        [read, voice.speech([shot], limit=16) or (voice.camera(shot) if moves and not read else None)]
    )


def _spare(facts: Facts, voice: Voice) -> Iterable[str]:
    """Yield facts that any span has, the more informative first."""
    shots = facts.shots
    yield from _kept([voice.actions(shots[0]) if len(shots) == 1 and shots[0].actions else None])
    yield from _kept([_shared(shots, lambda shot: _setting(shot, voice))])
    yield from _kept([voice.speech(shots, limit=_QUOTE["standard"])])
    yield from _kept([_shared(shots, voice.style), _shared(shots, voice.camera)])
    yield from _kept([voice.sounds(shots, has_track=facts.has_sound)])
    if not any(shot.people for shot in shots):
        yield voice.absent("people")
    if not any(shot.texts for shot in shots):
        yield voice.absent("text")
    yield voice.extent(facts)
    if not any(shot.things for shot in shots) and any(shot.people for shot in shots):
        yield voice.absent("things")
    if facts.has_sound and not any(shot.said.is_heard or shot.sounds for shot in shots):
        yield voice.absent("speech")
    if not any(thing.kind == "animal" for shot in shots for thing in shot.things):
        yield voice.absent("animals")
    if not any(shot.is_moving for shot in shots):
        yield voice.absent("actions")
    for shot in shots:
        yield from _kept([voice.text(shot.texts, limit=3), voice.actions(shot)])
        yield voice.subject(shot)


def _shared(shots: Sequence[ShotFacts], say: Callable[[ShotFacts], str | None]) -> str | None:
    """Return the sentence that is the same for every shot."""
    said = {say(shot) for shot in shots}
    return said.pop() if len(said) == 1 else None


def _texts(shots: Iterable[ShotFacts]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for shot in shots for text in shot.texts))


def _chosen(shots: Sequence[ShotFacts]) -> list[ShotFacts]:
    """Return the shots to describe: all, or some spread evenly over a long span."""
    if len(shots) <= _MAX_SHOTS:
        return list(shots)
    step = (len(shots) - 1) / (_MAX_SHOTS - 1)
    return [shots[round(index * step)] for index in range(_MAX_SHOTS)]


def order_of(index: int, total: int) -> Order:
    """Return how the sentence about one of several shots begins."""
    if total == 1:
        return "only"
    if index == 0:
        return "first"
    return "last" if index == total - 1 and total > 2 else _NEXT[(index - 1) % len(_NEXT)]


def _kept(sentences: Iterable[str | None]) -> list[str]:
    return [sentence for sentence in sentences if sentence]
