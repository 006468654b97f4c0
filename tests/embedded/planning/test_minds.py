"""Who perceived what, and which belief follows from it."""

from __future__ import annotations

import pytest

from vidence.embedded.planning.minds import Minds, same_name
from vidence.embedded.planning.story import read_story
from vidence.schema.beliefs import EventKind, StoryEvent

ENGLISH = (
    "Ann and Ben are in the kitchen. Ann puts the cake on the shelf. Ann leaves the kitchen. "
    "Ben moves the cake to the oven. Cleo enters the kitchen. Cleo moves the cake to the fridge. "
    "Ben leaves the kitchen. Ann enters the kitchen."
)
CHINESE = (
    "小安和小本在厨房里。小安把蛋糕放到架子上。小安离开了厨房。小本把蛋糕放进烤箱里。"
    "小可进入厨房。小可把蛋糕放进冰箱里。小本离开了厨房。小安回到厨房。"
)


def _event(number: int, kind: EventKind, actor: str | None = None, **rest: object) -> StoryEvent:
    return StoryEvent.model_validate({"event_id": f"e{number}", "kind": kind, "actor": actor, **rest})


@pytest.mark.parametrize(
    ("story", "thing", "chain", "place"),
    [
        (ENGLISH, "cake", ("Ann",), "shelf"),
        (ENGLISH, "cake", ("Ben",), "fridge"),
        (ENGLISH, "cake", ("Cleo",), "fridge"),
        (ENGLISH, "cake", ("Ben", "Ann"), "shelf"),
        (ENGLISH, "cake", ("Cleo", "Ben"), "fridge"),
        (ENGLISH, "cake", ("Ann", "Ben"), "shelf"),
        (CHINESE, "蛋糕", ("小安",), "架子"),
        (CHINESE, "蛋糕", ("小本",), "冰箱"),
        (CHINESE, "蛋糕", ("小可",), "冰箱"),
        (CHINESE, "蛋糕", ("小本", "小安"), "架子"),
    ],
)
def test_beliefs_of_first_and_second_order(
    story: str, thing: str, chain: tuple[str, ...], place: str
) -> None:
    held = Minds(read_story(story)).belief(thing, *chain)
    assert held is not None
    assert held.place == place


@pytest.mark.parametrize(("story", "thing"), [(ENGLISH, "cake"), (CHINESE, "蛋糕")])
def test_reality_is_the_last_place_and_origin_the_first(story: str, thing: str) -> None:
    minds = Minds(read_story(story))
    real, origin = minds.reality(thing), minds.origin(thing)
    assert real is not None
    assert origin is not None
    assert real.place in ("fridge", "冰箱")
    assert origin.place in ("shelf", "架子")


def test_those_in_the_room_witness_a_move_and_those_away_do_not() -> None:
    minds = Minds(read_story(ENGLISH))
    moves = {event.place: minds.witnesses(event) for event in minds.events if event.kind == "place"}
    assert moves == {
        "shelf": {"Ann", "Ben"},
        "oven": {"Ben"},
        "fridge": {"Ben", "Cleo"},
    }


def test_somebody_who_comes_later_saw_nothing_before() -> None:
    minds = Minds(read_story("Tom puts the key in the drawer. Mia enters the hall."))
    assert minds.belief("key", "Tom") is not None
    assert minds.belief("key", "Mia") is None


def test_seeing_is_for_the_one_who_sees() -> None:
    minds = Minds(
        read_story("Ann and Ben are in the hall. The cup is on the shelf. Ann saw the cup in the sink.")
    )
    ann, ben = minds.belief("cup", "Ann"), minds.belief("cup", "Ben")
    assert ann is not None
    assert ben is not None
    assert (ann.place, ben.place) == ("sink", "shelf")


def test_a_message_reaches_its_hearer_wherever_they_are() -> None:
    events = [
        _event(1, "place", "Ann", thing="cup", place="shelf"),
        _event(2, "leave", "Ben"),
        _event(3, "place", "Ann", thing="cup", place="sink"),
        _event(4, "say", "Ann", thing="cup", place="box", hearers=("Ben",)),
    ]
    minds = Minds(events)
    ben, ann, real = minds.belief("cup", "Ben"), minds.belief("cup", "Ann"), minds.reality("cup")
    assert ben is not None
    assert ann is not None
    assert real is not None
    assert (ben.place, ann.place, real.place) == ("box", "sink", "sink")


def test_other_rooms_do_not_see_what_happens() -> None:
    events = [
        _event(1, "enter", "Ann", place="kitchen"),
        _event(2, "enter", "Ben", place="garden"),
        _event(3, "place", "Ann", thing="cup", place="sink"),
    ]
    assert Minds(events).belief("cup", "Ben") is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Box", "box", True),
        ("green bucket", "bucket", True),
        ("bucket", "green bucket", True),
        ("box", "basket", False),
        (None, "box", False),
        ("", "", False),
    ],
)
def test_names_are_compared_by_their_last_word(one: str | None, other: str | None, same: bool) -> None:
    assert same_name(one, other) is same


def test_people_and_things_are_listed_once_in_order() -> None:
    minds = Minds(read_story(ENGLISH))
    assert minds.people == ["Ann", "Ben", "Cleo"]
    assert minds.things() == ["cake"]
    assert minds.person("ben") == "Ben"
    assert minds.person("Zoe") is None
