"""What a language must be able to say; `plan` decides what is said, and in what order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal, Protocol

from vidence.index.narrate.facts import Facts, People, Person, Place, ShotFacts, Thing
from vidence.index.narrate.words import quoted, shorten
from vidence.language.tables import read_table
from vidence.schema.time import TimeRange

__all__ = ["Absent", "Detail", "Language", "Order", "Voice", "phrases", "quotes_within", "rank_ways"]

Language = Literal["en", "zh"]
Detail = Literal["brief", "standard", "detailed"]
Order = Literal["only", "first", "next", "again", "later", "last"]
Absent = Literal[
    "people", "things", "anything", "text", "speech", "animals", "actions", "named_action", "scene"
]
_SHORTEST_QUOTE = 4
"""No quote is begun with fewer words left."""


class Voice(Protocol):
    """The sentences of one language; each method returns one, or None without facts for it."""

    def fits(self, sentence: str) -> bool:
        """Tell whether a sentence is short enough for a brief description: about twenty words."""

    def subject(self, shot: ShotFacts, order: Order = "only") -> str:
        """Describe the main content of a shot."""

    def brief(self, shot: ShotFacts) -> list[str]:
        """Return alternatives for a one-sentence description, the richest first; the last always fits."""

    def sequence(self, shots: Sequence[ShotFacts], *, total: int) -> str:
        """Describe shots one after the other; `total` is how many there are in all."""

    def each_person(self, people: People) -> str | None:
        """Distinguish several people by place and clothes."""

    def more(self, things: Sequence[Thing]) -> str | None:
        """Mention things left out of the subject."""

    def where(self, things: Sequence[Thing]) -> str | None:
        """Describe where in the picture things are."""

    def actions(self, shot: ShotFacts, order: Order = "only", *, again: bool = False) -> str | None:
        """Describe the actions; `again`: of people mentioned in the sentence before."""

    def setting(self, shot: ShotFacts, order: Order = "only") -> str | None:
        """Describe place, time and weather."""

    def camera(self, shot: ShotFacts) -> str | None:
        """Describe the camera's motion."""

    def style(self, shot: ShotFacts) -> str | None:
        """Describe the light and colours of the picture."""

    def kind(self, shot: ShotFacts) -> str | None:
        """Say that the picture was not filmed: that it is a screen or a graphic."""

    def text(self, texts: Sequence[str], *, limit: int) -> str | None:
        """Quote the text on screen."""

    def speech(self, shots: Sequence[ShotFacts], *, limit: int) -> str | None:
        """Quote the speech, in at most about `limit` words."""

    def sounds(self, shots: Sequence[ShotFacts], *, has_track: bool) -> str | None:
        """Name the other sounds, or say that there are none."""

    def people_focus(self, shot: ShotFacts, order: Order) -> str | None:
        """Describe the people only."""

    def person_focus(self, person: Person, order: Order, *, sure: bool = True) -> str:
        """Describe one person only."""

    def nobody(self, place: Place | None, colours: Sequence[str], span: TimeRange) -> str:
        """Say that nobody in that place or colour was seen."""

    def things_focus(self, things: Sequence[Thing], order: Order) -> str | None:
        """Describe these things only."""

    def none_seen(self, asked: str, span: TimeRange, *, is_known: bool) -> str:
        """Say that it was not seen; if no model can name it, that it was not recognised."""

    def absent(self, kind: Absent) -> str:
        """Say that something is absent."""

    def only_mentioned(self, asked: str, quote: str) -> str:
        """Say that something asked for is not seen but mentioned in speech or text."""

    def extent(self, facts: Facts) -> str:
        """State the length, and how many frames were analysed."""

    def alone(self, sentence: str) -> str:
        """Return a first sentence in its form when no other follows."""

    def focus_name(self, kind: str) -> str:
        """Return the word for one of the fixed focuses, for `none_seen`."""


@cache
def phrases(kind: str, language: Language) -> dict[str, str]:
    """Return the words of a language for one kind of value, such as the moves of the camera."""
    column = 2 if language == "en" else 3
    return {row[1]: row[column] for row in read_table("narrator.tsv", "index") if row[0] == kind}


def quotes_within(
    shots: Sequence[ShotFacts], limit: float, length: Callable[[str], float]
) -> tuple[list[str], bool]:
    """Return the quotes of the speech that fit into `limit` words, and whether those are all."""
    quotes = [quote for shot in shots for quote in shot.said.quotes]
    shown: list[str] = []
    for quote in quotes:
        if limit < _SHORTEST_QUOTE:
            break
        shown.append(quoted(shorten(quote, round(limit))))
        limit -= length(quote)
    return shown, len(shown) == len(quotes)


def rank_ways(cores: Sequence[str], tails: Sequence[str]) -> list[str]:
    """Return the sentences made of a core and some tails, the richest first: cores count before tails."""
    ways = [core + "".join(tails[:count]) for core in cores for count in range(len(tails), -1, -1)]
    ways += [core + tail for core in cores[:2] for tail in tails[1:]]

    def worth(way: str) -> float:
        core = max((len(cores) - index for index, one in enumerate(cores) if way.startswith(one)), default=0)
        return core + 0.4 * sum(tail in way for tail in tails)

    return sorted(dict.fromkeys(ways), key=lambda way: -worth(way))
