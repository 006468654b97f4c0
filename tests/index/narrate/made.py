"""Facts made up for tests, by hand and by Hypothesis."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from hypothesis import strategies as st

from vidence.index.narrate.facts import (
    Facts,
    Heard,
    Moved,
    Name,
    People,
    Person,
    PictureStyle,
    Place,
    Said,
    Setting,
    ShotFacts,
    Thing,
)
from vidence.index.narrate.naming import category_kind, category_name, group_name, label_name, sound_name
from vidence.index.narrate.voice import Language
from vidence.language.categories import categories
from vidence.models.vision.imagenet import groups, labels
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=3, end_time=5)
COLOURS = ("black", "grey", "white", "red", "blue", "brown")
SENTENCES = (
    "This is a cat",
    "Is anybody there?",
    "Well, on the whole the weather has been remarkably kind to all of us this year",
    "请看，小马走到右边",
    "No",
)
TEXTS = (
    "LAUNCH TONIGHT",
    "宇航员艾琳·科林斯",
    "Copyright © 2013 Somebody With A Very Long Name Indeed",
    "42",
)

places: st.SearchStrategy[Place] = st.sampled_from(["left", "centre", "right"])
some_place: st.SearchStrategy[Place | None] = st.one_of(st.none(), places)
moves: st.SearchStrategy[Moved | None] = st.sampled_from(
    [None, "left_to_right", "right_to_left", "nearer", "away"]
)
colours = st.none() | st.sampled_from(COLOURS)
scores = st.floats(0.5, 0.97)
areas = st.floats(0.01, 1)


@lru_cache(maxsize=1)
def _names() -> list[tuple[Name, str]]:
    detected = [(category_name(c.name), category_kind(c.name)) for c in categories().values() if c.id > 1]
    grouped = [(group_name(group), group.kind) for group in groups().values()]
    return detected + grouped + [(label_name(label), label.group.kind) for label in labels()[::9]]


@st.composite
def things(draw: st.DrawFn) -> Thing:
    name, kind = draw(st.sampled_from(_names()))
    return Thing(
        name=name,
        kind=kind,
        words=frozenset({name.en}),
        score=draw(scores),
        sure=draw(st.booleans()),
        count=draw(st.integers(1, 12)),
        area=draw(areas),
        colour=draw(colours),
        place=draw(some_place),
        moved=draw(moves),
        contents=draw(st.none() | st.just(Name("coffee", "coffees", "咖啡", "杯"))),
    )


persons = st.builds(
    Person,
    place=places,
    upper=colours,
    lower=colours,
    posture=st.sampled_from([None, "standing", "walking", "sitting", "lying", "bending"]),
    moved=moves,
    area=areas,
)
people = st.builds(
    People,
    count=st.integers(1, 20),
    most=st.integers(1, 25),
    score=scores,
    sure=st.booleans(),
    each=st.lists(persons, max_size=3).map(tuple),
    walking=st.booleans(),
    followed=st.lists(persons, max_size=4).map(tuple),
)


@st.composite
def shots(draw: st.DrawFn, start: float = 0.0) -> ShotFacts:
    texts = tuple(draw(st.lists(st.sampled_from(TEXTS), max_size=4, unique=True)))
    who = draw(st.none() | people)
    what = tuple(draw(st.lists(things(), max_size=6)))
    quotes = tuple(draw(st.lists(st.sampled_from(SENTENCES), max_size=5)))
    return ShotFacts(
        span=TimeRange(start_time=start, end_time=start + draw(st.floats(0.3, 30))),
        people=who,
        things=what,
        camera=draw(
            st.sampled_from([None, "static", "pan_left", "tilt_up", "zoom_in", "tracking", "handheld"])
        ),
        is_moving=draw(st.booleans()),
        style=PictureStyle(
            draw(st.booleans()),
            draw(st.sampled_from([None, "dark", "bright"])),
            tuple(draw(st.lists(st.sampled_from(COLOURS), max_size=2, unique=True))),
            draw(st.booleans()),
        ),
        setting=draw(
            st.sampled_from(
                [Setting(), Setting(Name("in a kitchen", "", "厨房里"), Name("in daylight", "", "白天"))]
            )
        ),
        texts=texts,
        is_title=bool(texts) and who is None and not what,
        text_score=0.9,
        said=Said(quotes, draw(st.booleans())),
        sounds=tuple(draw(st.lists(st.sampled_from(["music", "alarm", "zzz"]), max_size=2).map(_heard))),
        is_silent=draw(st.booleans()),
    )


def _heard(kinds: list[str]) -> list[Heard]:
    return [sound_name(kind) for kind in kinds]


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    found: list[ShotFacts] = []
    for _ in range(draw(st.integers(1, 5)) if draw(st.booleans()) else 1):
        found.append(draw(shots(start=found[-1].span.end_time if found else 0.0)))
    return Facts(
        TimeRange(start_time=0, end_time=found[-1].span.end_time),
        tuple(found),
        frames=draw(st.integers(0, 300)),
        has_sound=draw(st.booleans()),
    )


def count_sentences(text: str, language: Language) -> int:
    """Count sentences: full stops outside quotation marks."""
    outside = re.sub(r"“[^”]*”", "“”", text)
    ends = r"[.!?](?=\s|$)" if language == "en" else r"[。！？]"
    return len(re.findall(ends, outside))


def count_words(text: str) -> int:
    """Count words, taking one and a half Chinese characters for one."""
    latin = re.findall(r"[A-Za-z0-9'’.-]+", text)
    return len(latin) + round(len(re.findall(r"[\u3400-\u9fff]", text)) / 1.6)


def one_shot(**parts: object) -> Facts:
    return Facts(SPAN, (replace(ShotFacts(SPAN), **parts),), frames=2)  # type: ignore[arg-type]


def make_thing(category: str, **parts: object) -> Thing:
    base = Thing(category_name(category), "animal", frozenset({category}), 0.9, sure=True)
    return replace(base, **parts)  # type: ignore[arg-type]
