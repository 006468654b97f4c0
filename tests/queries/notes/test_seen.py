"""What is seen, as notes: things and places are told as surely as they are right."""

from __future__ import annotations

import pytest

from vidence.index.narrate.facts import Name, ShotFacts, Thing
from vidence.queries.notes.places import told_place
from vidence.queries.notes.seen import doubted
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=0.0, end_time=6.0)


def thing(name: str, score: float, *, area: float = 0.1, share: float = 1.0) -> Thing:
    return Thing(
        Name(name, f"{name}s", name),
        "thing",
        frozenset({name}),
        score,
        sure=score >= 0.65,
        area=area,
        share=share,
    )


@pytest.mark.parametrize(
    ("place", "told", "chinese"),
    [
        (Name("in the snow", "in the snow", "雪地里"), "in the snow", "雪地里"),
        (Name("in a park", "in a park", "公园里"), "outdoors, perhaps in a park", "室外，可能在公园里"),
        (Name("in a forest", "in a forest", "树林里"), "outdoors", "室外"),
        (Name("indoors", "indoors", "室内"), "indoors", "室内"),
    ],
)
def test_a_place_is_told_as_surely_as_it_is_right(place: Name, told: str, chinese: str) -> None:
    found = told_place(place)
    assert found is not None
    assert (found.en, found.zh) == (told, chinese)
    assert told_place(None) is None


def test_what_few_frames_show_is_a_guess() -> None:
    shot = ShotFacts(SPAN, things=(thing("dog", 0.97), thing("bear", 0.88, share=0.2)))
    assert [one.sure for one in doubted(shot, None).things] == [True, False]


@pytest.mark.parametrize(
    ("score", "area", "likely", "kept"),
    [(0.74, 0.53, 0.18, False), (0.74, 0.53, 0.5, True), (0.97, 0.53, 0.1, True), (0.74, 0.1, 0.1, True)],
)
def test_what_fills_the_picture_must_look_like_it(
    score: float, area: float, likely: float, kept: bool
) -> None:
    shot = ShotFacts(SPAN, things=(thing("suitcase", score, area=area),))
    asked: list[str] = []

    def chance(words: str, span: TimeRange) -> float:
        asked.append(words)
        return likely

    assert bool(doubted(shot, chance).things) is kept
    assert set(asked) <= {"a suitcase"}
