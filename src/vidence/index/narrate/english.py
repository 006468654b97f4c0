"""The voice of English: its sentences."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.index.narrate.english_nouns import (
    capital,
    joined,
    people_phrase,
    person_clothes,
    shot_phrase,
    thing_phrase,
    things_phrase,
    view_words,
)
from vidence.index.narrate.facts import Facts, People, Person, Place, ShotFacts, Thing
from vidence.index.narrate.voice import Absent, Order, phrases, quotes_within, rank_ways
from vidence.index.narrate.words import quoted, shorten
from vidence.language.forms import is_plural
from vidence.language.identify import has_han
from vidence.schema.time import TimeRange

__all__ = ["English"]

_MOST_WORDS = 19
_CLOSE = 0.55


class English:
    """Writes facts in English."""

    def fits(self, sentence: str) -> bool:
        return len(sentence.split()) <= _MOST_WORDS

    def subject(self, shot: ShotFacts, order: Order = "only") -> str:
        alone = order == "only"
        return _led(order, _subject(shot, shot.things[:3], place=True, alone=alone)) + "."

    def brief(self, shot: ShotFacts) -> list[str]:
        cores = [
            _subject(shot, shot.things[:2], place=True),
            _subject(shot, shot.things[:1], place=True),
            *([f"{_people_clause(shot.people, shot.is_moving)}"] if shot.people else []),
            f"we see {shot_phrase(shot)}",
            f"we see {shot_phrase(shot, bare=True)}",
        ]
        return [f"{capital(way)}." for way in rank_ways(cores, _tails(shot))]

    def sequence(self, shots: Sequence[ShotFacts], *, total: int) -> str:
        phrases = [shot_phrase(shot) for shot in shots]
        if len(phrases) == total == 2:
            return f"First we see {phrases[0]}, and then {phrases[1]}."
        if len(phrases) == total and total > 1:
            return f"First we see {', then '.join(phrases[:-1])}, and finally {phrases[-1]}."
        return f"We see {', then '.join(phrases)}{', and more' if total > len(phrases) else ''}."

    def each_person(self, people: People) -> str | None:
        if len(people.each) < 2:
            return None
        names = ["one", "the other"] if len(people.each) == 2 else ["one", "another", "the third"]
        told = [_told(name, person) for name, person in zip(names, people.each, strict=False)]
        return f"{capital('; '.join(told))}."

    def more(self, things: Sequence[Thing]) -> str | None:
        if not things:
            return None
        is_one = len(things) == 1 and things[0].count == 1
        return f"{capital(things_phrase(things[:4]))} {'is' if is_one else 'are'} also in view."

    def where(self, things: Sequence[Thing]) -> str | None:
        placed = [thing for thing in things if thing.place and thing.sure and not thing.moved][:3]
        told = [f"the {thing.name.en} is {_words('place')[thing.place or 'centre']}" for thing in placed]
        return f"{capital(joined(told))}." if told else None

    def actions(self, shot: ShotFacts, order: Order = "only", *, again: bool = False) -> str | None:
        clause = _action_clause(shot, again=again)
        return f"{_led(order, clause)}." if clause else None

    def setting(self, shot: ShotFacts, order: Order = "only") -> str | None:
        setting = shot.setting
        parts = (setting.location, setting.time_of_day, setting.weather)
        told = ", ".join(part.en for part in parts if part)
        return f"{_led(order, f'the scene seems to be {told}')}." if told else None

    def camera(self, shot: ShotFacts) -> str | None:
        return f"The camera {_words('camera')[shot.camera]}." if shot.camera else None

    def style(self, shot: ShotFacts) -> str | None:
        style = shot.style
        if shot.is_named_by_colour:
            return None
        if style.grey and not style.blank:
            return f"The picture is black and white{' and ' + style.light if style.light else ''}."
        words: list[str] = [style.light] if style.light else []
        words += [f"mostly {joined(style.colours)}"] if style.colours else []
        return f"The picture is {joined(words)}." if words else None

    def kind(self, shot: ShotFacts) -> str | None:
        return f"The picture is {_words('kind')[shot.style.kind]}." if shot.style.kind else None

    def text(self, texts: Sequence[str], *, limit: int) -> str | None:
        if not texts:
            return None
        shown = [quoted(shorten(text, 12)) for text in texts[:limit]]
        more = ["more"] if len(texts) > limit else []
        return f"Text on screen reads {joined([*shown, *more])}."

    def speech(self, shots: Sequence[ShotFacts], *, limit: int) -> str | None:
        shown, is_all = quotes_within(shots, limit, lambda quote: len(quote.split()))
        if not shown:
            heard = any(shot.said.is_heard for shot in shots)
            return "Someone speaks, but the words cannot be made out." if heard else None
        return f"A voice says {joined(shown)}{'' if is_all else ', and goes on'}."

    def sounds(self, shots: Sequence[ShotFacts], *, has_track: bool) -> str | None:
        if not has_track:
            return "The video has no sound track."
        names = list(dict.fromkeys(sound.en for shot in shots for sound in shot.sounds))
        if names:
            return f"{capital(joined(names[:4]))} can be heard."
        return "There is no sound." if all(shot.is_silent for shot in shots) else None

    def people_focus(self, shot: ShotFacts, order: Order) -> str | None:
        return _led(order, _people_clause(shot.people, shot.is_moving)) + "." if shot.people else None

    def person_focus(self, person: Person, order: Order, *, sure: bool = True) -> str:
        who = people_phrase(People(1, 1, 1.0, sure))
        return f"{_led(order, _told(who, person))}."

    def nobody(self, place: Place | None, colours: Sequence[str], span: TimeRange) -> str:
        worn = f" in {joined(colours)}" if colours else ""
        where = f" {_words('place')[place]}" if place else ""
        return f"Nobody{worn} is recognised{where} between {_seconds(span)}."

    def things_focus(self, things: Sequence[Thing], order: Order) -> str | None:
        return _led(order, _things_clause(things[:4], place=True)) + "." if things else None

    def none_seen(self, asked: str, span: TimeRange, *, is_known: bool) -> str:
        verb = "seen" if is_known else "recognised"
        what = shorten(asked.strip().rstrip(".?!"), 8)
        bare = what.isascii() and len(what.split()) <= 3
        subject = f"No {_without_article(what)} is" if bare else f"Nothing like {quoted(what)} is"
        if bare and is_plural(what.lower()):
            subject = subject.removesuffix("is") + "are"
        return f"{subject} {verb} between {_seconds(span)}."

    def absent(self, kind: Absent) -> str:
        return _words("absent")[kind]

    def only_mentioned(self, asked: str, quote: str) -> str:
        return f"The words do come up, though: {quoted(shorten(quote, 20))}."

    def extent(self, facts: Facts) -> str:
        shots = "one shot" if len(facts.shots) == 1 else f"{len(facts.shots)} shots"
        frames = "one frame" if facts.frames == 1 else f"{facts.frames} frames"
        was = "was" if facts.frames == 1 else "were"
        lasts = f"The passage lasts {facts.span.duration_s:.1f} seconds in {shots}"
        return f"{lasts}; {frames} {was} examined for it."

    def alone(self, sentence: str) -> str:
        return capital(sentence.removeprefix(_words("order")["first"] + " "))

    def focus_name(self, kind: str) -> str:
        return _words("focus").get(kind, kind)


def _seconds(span: TimeRange) -> str:
    return f"{span.start_time:.4g} s and {span.end_time:.4g} s"


def _action_clause(shot: ShotFacts, *, again: bool) -> str | None:
    people = shot.people
    if shot.actions:
        return _activity(shot, again=again)
    moving = [thing for thing in shot.things if thing.moved]
    if moving:
        return f"{thing_phrase(moving[0])} {_words('moved')[moving[0].moved or 'nearer']}"
    if people and len(people.each) == 1 and _does(people.each[0]):
        return _people_clause(people, shot.is_moving)
    if people and people.count > 2 and (shot.is_moving or people.walking):
        return _people_clause(people, shot.is_moving)
    if people and people.sure and shot.said.is_heard:
        return f"{people_phrase(people)} {'is' if people.count == 1 else 'are'} in view while a voice speaks"
    return None


def _activity(shot: ShotFacts, *, again: bool) -> str:
    done, people = shot.actions[0].en, shot.people
    if people is None or not people.sure:
        return f"the activity looks like {done}"
    if again:
        return f"{'this person seems' if people.count == 1 else 'they seem'} to be {done}"
    return f"{people_phrase(people)} {'seems' if people.count == 1 else 'seem'} to be {done}"


def _led(order: Order, clause: str) -> str:
    lead = _words("order").get(order)
    return f"{lead} {clause}" if lead else capital(clause)


def _subject(shot: ShotFacts, things: Sequence[Thing], *, place: bool, alone: bool = True) -> str:
    unnamed = ", but nothing in it can be named with confidence" if alone else ""
    if shot.people and not shot.people.sure and things and things[0].sure:
        return f"{_things_clause(things, place=place)}, and {people_phrase(shot.people)}"
    if shot.people:
        clause = _people_clause(shot.people, shot.is_moving)
        return f"{clause}, with {things_phrase(things)}" if things else clause
    if things:
        return _things_clause(things, place=place)
    if shot.is_title:
        background = f" on a {shot.style.colours[0]} background" if shot.style.colours else ""
        return f"a title reads {joined([quoted(shorten(text, 6)) for text in shot.texts[:2]])}{background}"
    if shot.style.blank:
        plain = "" if shot.texts else "plain "
        return f"the screen is {plain}{shot.style.colours[0] if shot.style.colours else 'grey'}"
    setting = shot.setting
    if setting.location:
        told = ", ".join(part.en for part in (setting.location, setting.time_of_day) if part)
        return f"the scene seems to be {told}{unnamed}"
    if shot.style.kind:
        return f"the picture is {view_words(shot.style)}"
    view = view_words(shot.style).removeprefix("a ").removeprefix("an ")
    return f"nothing in the {view} can be named with confidence"


def _people_clause(people: People, is_moving: bool) -> str:
    who = people_phrase(people)
    if len(people.each) == 1:
        person = people.each[0]
        return f"{who}{person_clothes(person)} {_does(person) or _is(person)} {_where(person)}".rstrip()
    verb = "is" if people.count == 1 else "are"
    if people.count > 2 and people.walking:
        return f"{who} {verb} in view, most of them walking"
    stir = " and moving about" if is_moving and people.count > 2 else ""
    return f"{who} {verb} in view{stir}"


def _is(person: Person) -> str:
    return "is seen" if person.area >= _CLOSE else "is"


def _where(person: Person) -> str:
    if person.moved:
        return ""
    if person.area >= _CLOSE:
        return "close up"
    return _words("place")[person.place]


def _does(person: Person) -> str | None:
    if person.moved:
        done = _words("moved")[person.moved]
        return done.replace("moves", "walks") if person.posture == "walking" else done
    return _words("posture").get(person.posture or "")


def _told(name: str, person: Person) -> str:
    clothes = person_clothes(person)
    does = _does(person) or "is"
    return f"{name}{f',{clothes},' if clothes else ''} {does} {_where(person)}".rstrip()


def _things_clause(things: Sequence[Thing], *, place: bool) -> str:
    first, rest = things[0], things[1:]
    also = f", with {things_phrase(rest)}" if rest else ""
    if not first.sure or first.count > 1:
        return f"the picture shows {things_phrase(things)}"
    if first.moved:
        return f"{thing_phrase(first)} {_words('moved')[first.moved]}{also}"
    if first.area >= _CLOSE:
        return f"{thing_phrase(first)} fills most of the picture{also}"
    if place and first.place:
        return f"{thing_phrase(first)} is {_words('place')[first.place]}{also}"
    return f"the picture shows {things_phrase(things)}"


def _tails(shot: ShotFacts) -> list[str]:
    tails = []
    if shot.camera and shot.camera not in ("static", "handheld"):
        tails.append(f" as the camera {_words('camera')[shot.camera]}")
    if shot.texts and not shot.is_title:
        tails.append(
            f"; the text reads {quoted(shorten(shot.texts[0], 12 if has_han(shot.texts[0]) else 5))}"
        )
    return tails


def _without_article(what: str) -> str:
    for article in ("a ", "an ", "the ", "any "):
        if what.lower().startswith(article):
            return what[len(article) :]
    return what


def _words(kind: str) -> dict[str, str]:
    return phrases(kind, "en")
