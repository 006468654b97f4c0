"""A story in plain words, read into events: who came and went, moved, saw and said what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from vidence.embedded.planning.story_chinese import chinese_clauses, read_chinese
from vidence.embedded.planning.story_english import english_clauses, read_english
from vidence.embedded.planning.story_parts import Part
from vidence.language.identify import has_han
from vidence.language.tokens import sentences
from vidence.schema.beliefs import StoryEvent

__all__ = ["read_story"]

_SHE = re.compile(r"^(?:he|she|they|him|her|them|他|她|他们|她们)$", re.IGNORECASE)
_IT = re.compile(r"^(?:it|them|this|that|它|它们|这个|那个|东西)$", re.IGNORECASE)


@dataclass
class _Reader:
    """Reads on with whom and what was last spoken of."""

    events: list[StoryEvent] = field(default_factory=list)
    actors: list[str] = field(default_factory=list)
    thing: str | None = None

    def take(self, part: Part, text: str) -> None:
        actors = [self._person(name) for name in part.actors] or self.actors
        if part.actors:
            self.actors = [name for name in actors if name]
        thing = self.thing if part.thing is None or _IT.match(part.thing) else part.thing
        self.thing = thing or self.thing
        hearers = tuple(name for name in map(self._person, part.hearers) if name)
        for actor in actors or [None]:
            self.events.append(
                StoryEvent(
                    event_id=f"e{len(self.events) + 1}",
                    kind=part.kind,
                    text=text,
                    actor=None if part.kind == "state" else actor,
                    thing=None if part.kind in ("enter", "leave") else thing,
                    place=part.place,
                    hearers=hearers,
                    witnesses=self._only(part, actor),
                )
            )

    def _only(self, part: Part, actor: str | None) -> tuple[str, ...] | None:
        """Return who alone saw it, where the story says that nobody else did."""
        if not part.is_secret:
            return None
        hidden = {name for name in map(self._person, part.hidden_from) if name}
        if not hidden:
            return (actor,) if actor else ()
        everyone = dict.fromkeys(event.actor for event in self.events if event.actor)
        return tuple(name for name in everyone if name not in hidden)

    def _person(self, name: str) -> str | None:
        if _SHE.match(name):
            return self.actors[-1] if self.actors else None
        return name


def read_story(text: str) -> tuple[StoryEvent, ...]:
    """Return the events a story tells, in order; sentences that tell none are left out."""
    reader = _Reader()
    for line in text.splitlines():
        for sentence in sentences(re.sub(r"^\s*\d+[.)、]?\s+", "", line)):
            for clause, part in _parts(sentence):
                reader.take(part, clause)
    return tuple(reader.events)


def _parts(sentence: str) -> Iterator[tuple[str, Part]]:
    chinese = has_han(sentence)
    split: Callable[[str], list[str]] = chinese_clauses if chinese else english_clauses
    read: Callable[[str], Part | None] = read_chinese if chinese else read_english
    for clause in split(sentence):
        part = read(clause)
        if part is not None:
            yield clause.strip(), part
