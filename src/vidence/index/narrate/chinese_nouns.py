"""Chinese noun phrases: measure words, numbers, doubt."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.index.narrate.facts import People, Person, PictureStyle, ShotFacts, Thing
from vidence.index.narrate.voice import phrases
from vidence.index.narrate.words import quoted, shorten
from vidence.language.colours import colour_word
from vidence.language.labels import chinese_number

__all__ = [
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
_VESSELS = {"杯子": "杯", "酒杯": "杯", "碗": "碗", "瓶子": "瓶"}


def joined(parts: Sequence[str]) -> str:
    """List parts with 、 and a final 和."""
    if len(parts) <= 1:
        return "".join(parts)
    return f"{'、'.join(parts[:-1])}和{parts[-1]}"


def thing_phrase(thing: Thing, *, bare: bool = False) -> str:
    """Return the noun phrase of a thing; the sentence adds the doubt."""
    colour = f"{colour_word(thing.colour, 'zh')}的" if thing.colour and not bare else ""
    many = thing.count > _MANY
    if thing.contents:
        vessel = _VESSELS.get(thing.name.zh, thing.name.measure)
        return f"{'许多' if many else chinese_number(thing.count) + vessel}{thing.contents.zh}"
    if many:
        return f"许多{colour}{thing.name.zh}"
    return f"{chinese_number(thing.count)}{thing.name.measure}{colour}{thing.name.zh}"


def things_phrase(things: Sequence[Thing]) -> str:
    """List things, the doubtful ones together at the end."""
    sure = [thing_phrase(thing) for thing in things if thing.sure]
    doubtful = [thing_phrase(thing) for thing in things if not thing.sure]
    if not doubtful:
        return joined(sure)
    return f"{joined(sure)}，可能还有{joined(doubtful)}" if sure else joined(doubtful)


def people_phrase(people: People) -> str:
    """Return the noun phrase for a number of people."""
    if people.count <= 3:
        return f"{chinese_number(people.count)}个人"
    return f"大约{chinese_number(people.count)}个人" if people.count <= _CROWD else "一大群人"


def person_clothes(person: Person) -> str:
    """Return what a person wears, as far as it is known."""
    upper = colour_word(person.upper, "zh") if person.upper else None
    lower = colour_word(person.lower, "zh") if person.lower else None
    if upper and lower:
        return f"穿着{upper}衣服" if upper == lower else f"上身穿{upper}，下身穿{lower}"
    if upper:
        return f"穿着{upper}上衣"
    return f"下身穿{lower}" if lower else ""


def shot_phrase(shot: ShotFacts, *, bare: bool = False) -> str:
    """Return what a shot shows as one short noun phrase."""
    if shot.people:
        return people_phrase(shot.people) if shot.people.sure else f"疑似{people_phrase(shot.people)}"
    if shot.things:
        thing = shot.things[0]
        return f"{'' if thing.sure else '疑似'}{thing_phrase(thing, bare=bare)}"
    if shot.setting.location and not shot.is_title and not shot.style.blank:
        return f"{shot.setting.location.zh}的景象"
    if shot.is_title:
        return f"标题{quoted(shorten(shot.texts[0], 4 if bare else 6))}"
    return view_words(shot.style)


def view_words(style: PictureStyle) -> str:
    """Return words for a picture in which nothing can be named."""
    if style.blank:
        return f"一片{colour_word(style.colours[0], 'zh') if style.colours else '灰色'}"
    if style.kind:
        return phrases("kind", "zh")[style.kind]
    if style.grey:
        return "一幅黑白画面"
    light = {"dark": "较暗的", "bright": "明亮的"}.get(style.light or "", "")
    colour = f"以{colour_word(style.colours[0], 'zh')}为主的" if style.colours else ""
    return f"一幅{light}{colour}画面"
