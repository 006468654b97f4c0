"""The focus of a description: one of the fixed focuses, or what free words name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from vidence.index.narrate.facts import Facts, Person, Place, ShotFacts, Thing
from vidence.language.categories import categories
from vidence.language.colours import find_colours
from vidence.language.forms import singular
from vidence.language.identify import HAN, has_han
from vidence.language.objects import parse_query
from vidence.language.tables import read_table
from vidence.language.tokens import stems
from vidence.models.vision.imagenet import groups, labels

__all__ = ["Focus", "Kind", "mention", "parse_focus", "wanted_people", "wanted_things"]

Kind = Literal[
    "people", "actions", "objects", "scene", "animals", "text", "sound", "things", "coloured", "unknown"
]
_PLACES: dict[str, Place] = {
    "left": "left",
    "leftmost": "left",
    "right": "right",
    "rightmost": "right",
    "center": "centre",
}
_MOST_PEOPLE = 2
_WORD = re.compile(rf"[a-z0-9]+|[{HAN}]+")


@dataclass(frozen=True)
class Focus:
    """A parsed focus."""

    kind: Kind
    asked: str
    words: frozenset[str] = frozenset()
    """The models' names that a thing must have to match."""
    colours: tuple[str, ...] = ()
    """Colours they must have."""
    place: Place | None = None
    """Where in the picture they must be."""

    @property
    def is_question(self) -> bool:
        """Whether it is a question, which the visual answerer answers: its words name no thing."""
        return self.asked.rstrip().endswith(("?", "？"))

    @property
    def is_free(self) -> bool:
        """Whether it is not one of the fixed focuses."""
        return self.kind in ("things", "coloured", "unknown")

    @property
    def is_one(self) -> bool:
        """Whether it asks for a particular person."""
        return self.kind in ("people", "actions") and bool(self.colours or self.place)


def parse_focus(text: str) -> Focus:
    """Parse a focus; free words are looked up among everything the models can name."""
    lowered = text.strip().lower()
    fixed = _fixed().get(lowered)
    if fixed:
        return Focus(fixed, fixed if lowered == fixed else text)
    query = parse_query(text)
    named = query.head.categories if query.head else frozenset()
    colours = query.head.colours if query.head else ()
    worn = tuple(colour for _, found in query.garments for colour in found)
    place = next((_PLACES[name] for name in (*query.extremes, *query.positions) if name in _PLACES), None)
    hinted = next((kind for word, kind in _fixed().items() if _holds(lowered, word)), None)
    if named == {"person"}:
        return Focus("actions" if hinted == "actions" else "people", text, named, (*colours, *worn), place)
    words = named | _labels_in(lowered)
    if words:
        return Focus("things", text, frozenset(words), colours, place)
    if hinted in (None, "objects") and (found := find_colours(text)):
        return Focus("coloured", text, colours=tuple(found), place=place)
    if hinted in ("people", "actions", "objects", "animals"):
        return Focus(hinted, text, colours=tuple(find_colours(text)), place=place)
    return Focus(hinted or "unknown", text)


def wanted_things(shot: ShotFacts, focus: Focus) -> list[Thing]:
    """Return the things of a shot that the focus asks for."""
    found = list(shot.things)
    if focus.kind == "animals":
        found = [thing for thing in found if thing.kind == "animal"]
    elif focus.kind == "things":
        found = [thing for thing in found if thing.words & focus.words]
    if focus.place:
        # The place is unknown for several things, and for one that fills the picture.
        found = [thing for thing in found if thing.place in (None, focus.place)]
    if focus.kind == "coloured":
        return [thing for thing in found if thing.colour in focus.colours]
    return [t for t in found if not focus.colours or t.colour is None or t.colour in focus.colours]


def wanted_people(shot: ShotFacts, focus: Focus) -> list[Person]:
    """Return at most two people of a shot who match the clothes and place that the focus asks for."""
    if shot.people is None or not (focus.colours or focus.place):
        return []
    known = dict.fromkeys((*shot.people.each, *shot.people.followed))
    found = [one for one in known if focus.place in (None, one.place) or _ends_at(one, focus.place)]
    if focus.colours:
        found = [one for one in found if {one.upper, one.lower} & set(focus.colours)]
    return found[:_MOST_PEOPLE]


def _ends_at(person: Person, place: Place) -> bool:
    """Tell whether someone who crosses the picture comes from, or goes to, that side of it."""
    return person.moved in ("left_to_right", "right_to_left") and place != "centre"


def mention(facts: Facts, focus: Focus) -> str | None:
    """Return a spoken or written sentence that mentions what is asked for."""
    asked = _topic(focus.asked)
    for shot in facts.shots:
        for line in (*shot.said.quotes, *shot.texts):
            if asked & _topic(line) or (has_han(focus.asked) and focus.asked.strip() in line):
                return line
    return None


@lru_cache(maxsize=1)
def _fixed() -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for kind, words in read_table("focus.tsv"):
        for word in words.split(","):
            kinds[word] = _KINDS[kind]
    return kinds


_KINDS: dict[str, Kind] = {
    "people": "people",
    "actions": "actions",
    "objects": "objects",
    "scene": "scene",
    "animals": "animals",
    "text": "text",
    "sound": "sound",
}


def _holds(text: str, word: str) -> bool:
    return word in text if has_han(word) else bool(re.search(rf"\b{re.escape(word)}\b", text))


def _labels_in(text: str) -> set[str]:
    """Return the labeller's names that the text contains."""
    spoken = " ".join(singular(word) for word in re.findall(r"[a-z0-9'-]+", text))
    found = {names for word, names in _lexicon().items() if _holds(text if has_han(word) else spoken, word)}
    return {name for names in found for name in names}


@lru_cache(maxsize=1)
def _lexicon() -> dict[str, frozenset[str]]:
    """Return every word for a label or group, in either language, with the names it means."""
    known: dict[str, frozenset[str]] = {}
    for label in labels():
        for word in (label.name.lower(), label.chinese):
            known[word] = known.get(word, frozenset()) | {label.name}
    for group in groups().values():
        members = frozenset({group.name})
        for word in (group.name, group.chinese):
            known[word] = known.get(word, frozenset()) | members
    return {word: names for word, names in known.items() if len(word) > 1 or word in _ONE_CHARACTER}


_ONE_CHARACTER = frozenset(
    category.chinese for category in categories().values() if len(category.chinese) == 1
) | {group.chinese for group in groups().values() if group.kind == "animal" and len(group.chinese) == 1}


def _topic(text: str) -> set[str]:
    """Return the stems of the English content words of a text."""
    return {stem for stem in stems(text) if stem.isascii() and len(stem) > 2} - _ASKING


_ASKING = frozenset(stems("many doing colour see look"))
