"""English sentences."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.index.narrate.english_nouns import (
    capital,
    joined,
    people_phrase,
    person_clothes,
    quoted,
    shot_phrase,
    thing_phrase,
    things_phrase,
    view_words,
)
from vidence.index.narrate.facts import Facts, People, Person, Place, ShotFacts, Thing
from vidence.index.narrate.voice import Absent, Order
from vidence.index.narrate.words import shorten
from vidence.language.forms import is_plural
from vidence.language.identify import has_han
from vidence.schema.time import TimeRange

__all__ = ["English"]

_MOST_WORDS = 19
_CLOSE = 0.55
_PLACES = {"left": "on the left", "centre": "in the middle", "right": "on the right"}
_MOVED = {
    "left_to_right": "moves across the picture from left to right",
    "right_to_left": "moves across the picture from right to left",
    "nearer": "comes nearer",
    "away": "moves away",
}
_POSTURES = {
    "standing": "stands",
    "walking": "walks",
    "sitting": "sits",
    "lying": "lies",
    "bending": "bends down",
}
_CAMERA = {
    "static": "stays still",
    "pan_left": "pans to the left",
    "pan_right": "pans to the right",
    "tilt_up": "tilts up",
    "tilt_down": "tilts down",
    "zoom_in": "zooms in",
    "zoom_out": "zooms out",
    "tracking": "follows along",
    "handheld": "is held by hand and shakes",
}
_ORDER = {
    "only": "",
    "first": "At first, ",
    "next": "Then ",
    "again": "Next, ",
    "later": "After that, ",
    "last": "Finally, ",
}
_ABSENT = {
    "people": "Nobody is seen.",
    "things": "Apart from people, nothing can be named with confidence.",
    "anything": "No object can be named with confidence.",
    "text": "No text is seen on screen.",
    "speech": "Nobody is heard speaking.",
    "animals": "No animal is recognised.",
    "actions": "Nothing much happens before the camera.",
    "named_action": "Something moves before the camera, but what goes on cannot be told.",
    "scene": "Where the scene is cannot be told.",
}
_FOCUS = {"people": "people", "objects": "objects", "animals": "animals", "text": "text", "actions": "action"}


class English:
    """Says facts in English."""

    def fits(self, sentence: str) -> bool:
        """Allow fewer than twenty words."""
        return len(sentence.split()) <= _MOST_WORDS

    def subject(self, shot: ShotFacts, order: Order = "only") -> str:
        """Say what the shot is about."""
        alone = order == "only"
        return _led(order, _subject(shot, shot.things[:3], place=True, alone=alone)) + "."

    def brief(self, shot: ShotFacts) -> list[str]:
        """Return ways to say it, from rich to bare."""
        cores = [
            _subject(shot, shot.things[:2], place=True),
            _subject(shot, shot.things[:1], place=True),
            *([f"{_people_clause(shot.people, shot.is_moving)}"] if shot.people else []),
            f"we see {shot_phrase(shot)}",
            f"we see {shot_phrase(shot, bare=True)}",
        ]
        tails = _tails(shot)
        ways = [core + "".join(tails[:count]) for core in cores for count in range(len(tails), -1, -1)]
        ways += [core + tail for core in cores[:2] for tail in tails[1:]]
        fitting = sorted(dict.fromkeys(ways), key=lambda way: -_worth(way, cores, tails))
        return [f"{capital(way)}." for way in fitting]

    def sequence(self, shots: Sequence[ShotFacts], *, total: int) -> str:
        """Say what is seen one after the other."""
        phrases = [shot_phrase(shot) for shot in shots]
        if len(phrases) == total == 2:
            return f"First we see {phrases[0]}, and then {phrases[1]}."
        if len(phrases) == total and total > 1:
            return f"First we see {', then '.join(phrases[:-1])}, and finally {phrases[-1]}."
        return f"We see {', then '.join(phrases)}{', and more' if total > len(phrases) else ''}."

    def each_person(self, people: People) -> str | None:
        """Tell several people apart by place and clothes."""
        if len(people.each) < 2:
            return None
        names = ["one", "the other"] if len(people.each) == 2 else ["one", "another", "the third"]
        told = [_told(name, person) for name, person in zip(names, people.each, strict=False)]
        return f"{capital('; '.join(told))}."

    def more(self, things: Sequence[Thing]) -> str | None:
        """Mention the rest."""
        if not things:
            return None
        is_one = len(things) == 1 and things[0].count == 1
        return f"{capital(things_phrase(things[:4]))} {'is' if is_one else 'are'} also in view."

    def where(self, things: Sequence[Thing]) -> str | None:
        """Say where each of several things is."""
        placed = [thing for thing in things if thing.place and thing.sure and not thing.moved][:3]
        told = [f"the {thing.name.en} is {_PLACES[thing.place or 'centre']}" for thing in placed]
        return f"{capital(joined(told))}." if told else None

    def actions(self, shot: ShotFacts, order: Order = "only", *, again: bool = False) -> str | None:
        """Say what goes on."""
        clause = _action_clause(shot, again=again)
        return f"{_led(order, clause)}." if clause else None

    def setting(self, shot: ShotFacts, order: Order = "only") -> str | None:
        """Say where and when."""
        setting = shot.setting
        parts = (setting.location, setting.time_of_day, setting.weather)
        told = ", ".join(part.en for part in parts if part)
        return f"{_led(order, f'the scene seems to be {told}')}." if told else None

    def camera(self, shot: ShotFacts) -> str | None:
        """Say how the camera moves."""
        return f"The camera {_CAMERA[shot.camera]}." if shot.camera else None

    def look(self, shot: ShotFacts) -> str | None:
        """Say how light and of what colour the picture is."""
        look = shot.look
        if not shot.people and not shot.things and not shot.setting.location and (look.colours or look.grey):
            # The subject has said so already.
            return None
        if look.grey and not look.blank:
            return f"The picture is black and white{' and ' + look.light if look.light else ''}."
        words: list[str] = [look.light] if look.light else []
        words += [f"mostly {joined(look.colours)}"] if look.colours else []
        return f"The picture is {joined(words)}." if words else None

    def text(self, texts: Sequence[str], *, limit: int) -> str | None:
        """Quote what stands on screen."""
        if not texts:
            return None
        shown = [quoted(shorten(text, 12)) for text in texts[:limit]]
        more = ["more"] if len(texts) > limit else []
        return f"Text on screen reads {joined([*shown, *more])}."

    def speech(self, shots: Sequence[ShotFacts], *, limit: int) -> str | None:
        """Quote what is said."""
        quotes = [quote for shot in shots for quote in shot.said.quotes]
        if not quotes:
            heard = any(shot.said.is_heard for shot in shots)
            return "Someone speaks, but the words cannot be made out." if heard else None
        shown, left = [], limit
        for quote in quotes:
            if left < 4:
                break
            shown.append(quoted(shorten(quote, left)))
            left -= len(quote.split())
        tail = ", and goes on" if len(shown) < len(quotes) else ""
        return f"A voice says {joined(shown)}{tail}."

    def sounds(self, shots: Sequence[ShotFacts], *, has_track: bool) -> str | None:
        """Name what else is heard, or that nothing is."""
        if not has_track:
            return "The video has no sound track."
        names = list(dict.fromkeys(sound.en for shot in shots for sound in shot.sounds))
        if names:
            return f"{capital(joined(names[:4]))} can be heard."
        return "There is no sound." if all(shot.is_silent for shot in shots) else None

    def people_focus(self, shot: ShotFacts, order: Order) -> str | None:
        """Speak of the people only."""
        return _led(order, _people_clause(shot.people, shot.is_moving)) + "." if shot.people else None

    def person_focus(self, person: Person, order: Order, *, sure: bool = True) -> str:
        """Speak of one person only."""
        who = people_phrase(People(1, 1, 1.0, sure))
        return f"{_led(order, _told(who, person))}."

    def nobody(self, place: Place | None, colours: Sequence[str], span: TimeRange) -> str:
        """Say plainly that nobody of that place or in that colour was seen."""
        worn = f" in {joined(colours)}" if colours else ""
        where = f" {_PLACES[place]}" if place else ""
        return f"Nobody{worn} is recognised{where} between {_seconds(span)}."

    def things_focus(self, things: Sequence[Thing], order: Order) -> str | None:
        """Speak of these things only."""
        return _led(order, _things_clause(things[:4], place=True)) + "." if things else None

    def none_seen(self, asked: str, span: TimeRange, *, is_known: bool) -> str:
        """Say plainly that nothing of the sort was seen."""
        verb = "seen" if is_known else "recognised"
        what = shorten(asked.strip().rstrip(".?!"), 8)
        bare = what.isascii() and len(what.split()) <= 3
        subject = f"No {_without_article(what)} is" if bare else f"Nothing like {quoted(what)} is"
        if bare and is_plural(what.lower()):
            subject = subject.removesuffix("is") + "are"
        return f"{subject} {verb} between {_seconds(span)}."

    def absent(self, kind: Absent) -> str:
        """Say what there is none of."""
        return _ABSENT[kind]

    def only_mentioned(self, asked: str, quote: str) -> str:
        """Say that something asked for is only spoken or written of."""
        return f"The words do come up, though: {quoted(shorten(quote, 20))}."

    def extent(self, facts: Facts) -> str:
        """Say how long it is, and how much of it was looked at."""
        shots = "one shot" if len(facts.shots) == 1 else f"{len(facts.shots)} shots"
        frames = "one frame" if facts.frames == 1 else f"{facts.frames} frames"
        was = "was" if facts.frames == 1 else "were"
        lasts = f"The passage lasts {facts.span.duration_s:.1f} seconds in {shots}"
        return f"{lasts}; {frames} {was} examined for it."

    def alone(self, sentence: str) -> str:
        """Return a first sentence as it stands when no other follows."""
        return capital(sentence.removeprefix(_ORDER["first"]))

    def focus_name(self, kind: str) -> str:
        """Return the word for one of the fixed focuses."""
        return _FOCUS.get(kind, kind)


def _seconds(span: TimeRange) -> str:
    return f"{span.start_time:.4g} s and {span.end_time:.4g} s"


def _action_clause(shot: ShotFacts, *, again: bool) -> str | None:
    people = shot.people
    if shot.actions:
        return _activity(shot, again=again)
    moving = [thing for thing in shot.things if thing.moved]
    if moving:
        return f"{thing_phrase(moving[0])} {_MOVED[moving[0].moved or 'nearer']}"
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
    return _ORDER[order] + clause if _ORDER[order] else capital(clause)


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
        background = f" on a {shot.look.colours[0]} background" if shot.look.colours else ""
        return f"a title reads {joined([quoted(shorten(text, 6)) for text in shot.texts[:2]])}{background}"
    if shot.look.blank:
        plain = "" if shot.texts else "plain "
        return f"the screen is {plain}{shot.look.colours[0] if shot.look.colours else 'grey'}"
    setting = shot.setting
    if setting.location:
        told = ", ".join(part.en for part in (setting.location, setting.time_of_day) if part)
        return f"the scene seems to be {told}{unnamed}"
    view = view_words(shot.look).removeprefix("a ").removeprefix("an ")
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
    return _PLACES[person.place]


def _does(person: Person) -> str | None:
    if person.moved:
        done = _MOVED[person.moved]
        return done.replace("moves", "walks") if person.posture == "walking" else done
    return _POSTURES.get(person.posture or "")


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
        return f"{thing_phrase(first)} {_MOVED[first.moved]}{also}"
    if first.area >= _CLOSE:
        return f"{thing_phrase(first)} fills most of the picture{also}"
    if place and first.place:
        return f"{thing_phrase(first)} is {_PLACES[first.place]}{also}"
    return f"the picture shows {things_phrase(things)}"


def _tails(shot: ShotFacts) -> list[str]:
    tails = []
    if shot.camera and shot.camera not in ("static", "handheld"):
        tails.append(f" as the camera {_CAMERA[shot.camera]}")
    if shot.texts and not shot.is_title:
        tails.append(
            f"; the text reads {quoted(shorten(shot.texts[0], 12 if has_han(shot.texts[0]) else 5))}"
        )
    return tails


def _worth(way: str, cores: Sequence[str], tails: Sequence[str]) -> float:
    """Prefer a rich core, then each tail that is in it."""
    core = max((len(cores) - index for index, core in enumerate(cores) if way.startswith(core)), default=0)
    return core + 0.4 * sum(tail in way for tail in tails)


def _without_article(what: str) -> str:
    for article in ("a ", "an ", "the ", "any "):
        if what.lower().startswith(article):
            return what[len(article) :]
    return what
