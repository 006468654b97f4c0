"""English noun phrases: articles, numbers, doubt."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.index.narrate.facts import People, Person, PictureStyle, ShotFacts, Thing
from vidence.index.narrate.voice import phrases
from vidence.index.narrate.words import quoted, shorten
from vidence.language.numbers import number_word

__all__ = [
    "an",
    "capital",
    "joined",
    "people_phrase",
    "person_clothes",
    "shot_phrase",
    "thing_phrase",
    "things_phrase",
    "view_words",
]

_MANY = 6
_CROWD = 10
_UNCOUNTED = frozenset(
    {"clothing", "food", "soup", "coffee", "pasta", "dough", "hay", "corn", "bread", "swimwear", "armour"}
    | {"skis", "trousers", "sunglasses", "binoculars", "hay", "toilet paper", "fabric"}
)
_SILENT_U = ("uni", "use", "eu", "one")


def an(noun: str) -> str:
    """Put the right article before a noun; none before a mass noun."""
    if (noun.split()[-1] in _UNCOUNTED and " of " not in noun) or noun in _UNCOUNTED:
        return noun
    lowered = noun.lower()
    vowel = lowered[:1] in tuple("aeiou") and not lowered.startswith(_SILENT_U)
    return f"{'an' if vowel else 'a'} {noun}"


def capital(text: str) -> str:
    """Capitalise the first letter."""
    return text[:1].upper() + text[1:]


def joined(parts: Sequence[str]) -> str:
    """List parts with commas and a final `and`."""
    if len(parts) <= 1:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def thing_phrase(thing: Thing, *, bare: bool = False) -> str:
    """Return the noun phrase of a thing, with its doubt unless `bare`."""
    colour = f"{thing.colour} " if thing.colour and not bare else ""
    contents = f" of {thing.contents.en}" if thing.contents else ""
    if thing.count == 1:
        phrase = an(f"{colour}{thing.name.en}") + contents
    else:
        number = number_word(thing.count) if thing.count <= _MANY else "many"
        phrase = f"{number} {colour}{thing.name.plural}{contents}"
    return phrase if thing.sure else f"what may be {phrase}"


def things_phrase(things: Sequence[Thing]) -> str:
    """List things, the doubtful ones together at the end."""
    sure = [thing_phrase(thing) for thing in things if thing.sure]
    doubtful = [thing_phrase(thing).removeprefix("what may be ") for thing in things if not thing.sure]
    return joined([*sure, f"what may be {joined(doubtful)}"] if doubtful else sure)


def people_phrase(people: People) -> str:
    """Return the noun phrase for a number of people."""
    if people.count == 1:
        phrase = "a person"
    elif people.count <= 3:
        phrase = f"{number_word(people.count)} people"
    elif people.count <= _CROWD:
        phrase = f"about {number_word(people.count)} people"
    else:
        phrase = "a crowd of people"
    return phrase if people.sure else f"what may be {phrase}"


def person_clothes(person: Person) -> str:
    """Return ` wearing white on top and blue below`, as far as it is known."""
    if person.upper and person.lower:
        same = person.upper == person.lower
        return (
            f" dressed in {person.upper}"
            if same
            else f" wearing {person.upper} on top and {person.lower} below"
        )
    if person.upper:
        return f" in {an(f'{person.upper} top')}"
    return f" wearing {person.lower} below the waist" if person.lower else ""


def shot_phrase(shot: ShotFacts, *, bare: bool = False) -> str:
    """Return what a shot shows as one short noun phrase."""
    if shot.people:
        return people_phrase(shot.people)
    if shot.things:
        return thing_phrase(shot.things[0], bare=bare)
    if shot.setting.location and not shot.is_title and not shot.style.blank:
        return f"a scene {shot.setting.location.en}"
    if shot.is_title:
        return f"the title {quoted(shorten(shot.texts[0], 3 if bare else 4))}"
    return view_words(shot.style)


def view_words(style: PictureStyle) -> str:
    """Return words for a picture in which nothing can be named."""
    if style.blank:
        return f"a plain {style.colours[0] if style.colours else 'grey'} screen"
    if style.kind:
        return phrases("kind", "en")[style.kind]
    if style.grey:
        return "a black-and-white picture"
    words = f"mostly {style.colours[0]}" if style.colours else ""
    light = f"{style.light} " if style.light else ""
    return an(f"{light}{words + ' ' if words else ''}picture")
