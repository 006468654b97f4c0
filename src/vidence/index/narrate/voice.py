"""What a language must be able to say; `plan` decides what is worth saying, and in what order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from vidence.index.narrate.facts import Facts, People, Person, Place, ShotFacts, Thing
from vidence.schema.time import TimeRange

__all__ = ["Absent", "Detail", "Language", "Order", "Voice"]

Language = Literal["en", "zh"]
Detail = Literal["brief", "standard", "detailed"]
Order = Literal["only", "first", "next", "again", "later", "last"]
Absent = Literal[
    "people", "things", "anything", "text", "speech", "animals", "actions", "named_action", "scene"
]


class Voice(Protocol):
    """Sentences of one language; each method returns one, or None when there is nothing to say."""

    def fits(self, sentence: str) -> bool:
        """Say whether a sentence is short enough for a brief description."""

    def subject(self, shot: ShotFacts, order: Order = "only") -> str:
        """Say what the shot is about."""

    def brief(self, shot: ShotFacts) -> list[str]:
        """Return ways to say the same in one sentence, the richest first; the last always fits."""

    def sequence(self, shots: Sequence[ShotFacts], *, total: int) -> str:
        """Say what is seen one after the other; `total` is how many there are in all."""

    def each_person(self, people: People) -> str | None:
        """Tell several people apart."""

    def more(self, things: Sequence[Thing]) -> str | None:
        """Mention things left out of the subject."""

    def where(self, things: Sequence[Thing]) -> str | None:
        """Say where in the picture things are."""

    def actions(self, shot: ShotFacts, order: Order = "only", *, again: bool = False) -> str | None:
        """Say what goes on; `again`: of people the sentence before has spoken of."""

    def setting(self, shot: ShotFacts, order: Order = "only") -> str | None:
        """Say where and when."""

    def camera(self, shot: ShotFacts) -> str | None:
        """Say how the camera moves."""

    def look(self, shot: ShotFacts) -> str | None:
        """Say how light and of what colour the picture is."""

    def text(self, texts: Sequence[str], *, limit: int) -> str | None:
        """Quote what stands on screen."""

    def speech(self, shots: Sequence[ShotFacts], *, limit: int) -> str | None:
        """Quote what is said, in at most about `limit` words."""

    def sounds(self, shots: Sequence[ShotFacts], *, has_track: bool) -> str | None:
        """Name what else is heard, or that nothing is."""

    def people_focus(self, shot: ShotFacts, order: Order) -> str | None:
        """Speak of the people only."""

    def person_focus(self, person: Person, order: Order, *, sure: bool = True) -> str:
        """Speak of one person only."""

    def nobody(self, place: Place | None, colours: Sequence[str], span: TimeRange) -> str:
        """Say plainly that nobody of that place or in that colour was seen."""

    def things_focus(self, things: Sequence[Thing], order: Order) -> str | None:
        """Speak of these things only."""

    def none_seen(self, asked: str, span: TimeRange, *, is_known: bool) -> str:
        """Say plainly that nothing of the sort was seen, or, of what no model can name, recognised."""

    def absent(self, kind: Absent) -> str:
        """Say what there is none of."""

    def only_mentioned(self, asked: str, quote: str) -> str:
        """Say that something asked for is not seen but spoken or written of."""

    def extent(self, facts: Facts) -> str:
        """Say how long it is, and how much of it was looked at."""

    def alone(self, sentence: str) -> str:
        """Return a first sentence as it stands when no other follows."""

    def focus_name(self, kind: str) -> str:
        """Return the word for one of the fixed focuses, for `none_seen`."""
