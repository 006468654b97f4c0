"""Who perceived which event of a story, and what each person can therefore believe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidence.schema.beliefs import StoryEvent

__all__ = ["Minds", "same_name"]

_HERE = "here"
_AWAY = "away"


@dataclass(frozen=True)
class _Seen:
    """An event and who took part in it or perceived it."""

    event: StoryEvent
    witnesses: frozenset[str]


class Minds:
    """The people of a story and the events each of them perceived."""

    def __init__(self, events: Sequence[StoryEvent]) -> None:
        self.people = _people(events)
        self._seen: list[_Seen] = []
        rooms = {person: _AWAY if _comes_later(events, person) else _HERE for person in self.people}
        here = _HERE
        for event in events:
            if event.kind in ("enter", "leave") and event.actor is not None:
                before = rooms[event.actor]
                rooms[event.actor] = _room_after(event, before, here)
                here = before if event.kind == "leave" else rooms[event.actor]
            elif event.actor is not None:
                here = rooms[event.actor]
            self._seen.append(_Seen(event, self._witnesses(event, rooms, here)))

    @property
    def events(self) -> list[StoryEvent]:
        return [one.event for one in self._seen]

    def things(self) -> list[str]:
        """Return the things of the story, in order."""
        return list(dict.fromkeys(one.event.thing for one in self._seen if one.event.thing))

    def reality(self, thing: str) -> StoryEvent | None:
        """Return the last event that put the thing somewhere."""
        return next((event for event in reversed(self._placings(thing)) if event.kind != "say"), None)

    def origin(self, thing: str) -> StoryEvent | None:
        """Return the first event that put the thing somewhere."""
        return next((event for event in self._placings(thing) if event.kind != "say"), None)

    def belief(self, thing: str, *chain: str) -> StoryEvent | None:
        """Return the event a belief rests on; `Anne, Sally` is what Anne thinks that Sally thinks."""
        found = None
        for one in self._seen:
            event = one.event
            if event.place is None or event.kind in ("enter", "leave") or not same_name(event.thing, thing):
                continue
            if not all(person in one.witnesses for person in chain):
                continue
            # Saying something does not make the speaker believe it.
            if event.kind != "say" or chain[-1] != event.actor:
                found = event
        return found

    def witnesses(self, event: StoryEvent) -> frozenset[str]:
        """Return who perceived an event."""
        return next(one.witnesses for one in self._seen if one.event is event)

    def person(self, name: str) -> str | None:
        """Return a person of the story by the name a question gives."""
        return next((person for person in self.people if same_name(person, name)), None)

    def _placings(self, thing: str) -> list[StoryEvent]:
        kinds = ("place", "state", "see", "say")
        return [
            one.event
            for one in self._seen
            if one.event.kind in kinds and one.event.place and same_name(one.event.thing, thing)
        ]

    def _witnesses(self, event: StoryEvent, rooms: dict[str, str], here: str) -> frozenset[str]:
        took_part = {name for name in (event.actor, *event.hearers) if name is not None}
        if event.witnesses is not None:
            return frozenset(took_part.union(event.witnesses))
        if event.kind == "see":
            return frozenset(took_part)
        present = {person for person, room in rooms.items() if room == here and room != _AWAY}
        return frozenset(took_part | present)


def same_name(one: str | None, other: str | None) -> bool:
    """Return whether two names mean the same: equal, or one is the other's last word."""
    if not one or not other:
        return False
    left, right = one.casefold(), other.casefold()
    return left == right or left.split()[-1] == right or right.split()[-1] == left


def _people(events: Sequence[StoryEvent]) -> list[str]:
    named = (name for event in events for name in (event.actor, *event.hearers, *(event.witnesses or ())))
    return list(dict.fromkeys(name for name in named if name))


def _comes_later(events: Sequence[StoryEvent], person: str) -> bool:
    """Return whether a person's first event is to come in, so that they were away before."""
    own = next((event for event in events if event.actor == person), None)
    return own is not None and own.kind == "enter"


def _room_after(event: StoryEvent, before: str, here: str) -> str:
    if event.kind == "leave":
        return _AWAY
    if event.place is not None:
        return event.place.casefold()
    # Someone who "comes back" joins the others in the current room.
    return here if before == _AWAY else before
