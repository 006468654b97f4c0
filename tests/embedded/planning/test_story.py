"""Stories are read into events, clause by clause, in both languages."""

from __future__ import annotations

import pytest

from vidence.embedded.planning.story import plain_noun, read_story
from vidence.schema.beliefs import StoryEvent


def _events(story: str) -> list[tuple[str, str | None, str | None, str | None]]:
    return [(event.kind, event.actor, event.thing, event.place) for event in read_story(story)]


@pytest.mark.parametrize(
    ("sentence", "event"),
    [
        ("Sally puts her marble in the basket.", ("place", "Sally", "marble", "basket")),
        ("Tom hides the keys under the sofa.", ("place", "Tom", "keys", "sofa")),
        ("Max carried the letter to the office.", ("place", "Max", "letter", "office")),
        ("Anne moves the ball from the bag to the box.", ("place", "Anne", "ball", "box")),
        ("Anne takes the marble out of the basket.", ("other", "Anne", "marble", None)),
        ("Emma exited the kitchen.", ("leave", "Emma", None, "kitchen")),
        ("Emma goes to the shop.", ("leave", "Emma", None, None)),
        ("The girl falls asleep.", ("leave", "girl", None, None)),
        ("The girl wakes up.", ("enter", "girl", None, None)),
        ("Oliver entered the kitchen.", ("enter", "Oliver", None, "kitchen")),
        ("Sally comes back.", ("enter", "Sally", None, None)),
        ("Mia is in the hall.", ("enter", "Mia", None, "hall")),
        ("The melon is in the green bucket.", ("state", None, "melon", "green bucket")),
        ("There is a cake in the fridge.", ("state", None, "cake", "fridge")),
        ("Jill saw the hat in the shed.", ("see", "Jill", "hat", "shed")),
        ("Tom told Mia that the key is in the vase.", ("say", "Tom", "key", "vase")),
        ("小红把球放进篮子里。", ("place", "小红", "球", "篮子")),
        ("小明将球从篮子里拿出来，放到了盒子里。", ("place", "小明", "球", "盒子")),
        ("小红离开了房间。", ("leave", "小红", None, "房间")),
        ("奶奶去超市买东西了。", ("leave", "奶奶", None, None)),
        ("小刚醒了。", ("enter", "小刚", None, None)),
        ("爸爸回到客厅。", ("enter", "爸爸", None, "客厅")),
        ("桌子上有一本书。", ("state", None, "书", "桌子")),
        ("球在篮子里。", ("state", None, "球", "篮子")),
        ("同学看到粉笔在盒子里。", ("see", "同学", "粉笔", "盒子")),
        ("小刚告诉妈妈糖果在冰箱里。", ("say", "小刚", "糖果", "冰箱")),
    ],
)
def test_a_sentence_is_one_event(
    sentence: str, event: tuple[str, str | None, str | None, str | None]
) -> None:
    assert event in _events(sentence)


def test_everyone_who_is_named_gets_an_event_of_their_own() -> None:
    assert [event.actor for event in read_story("Jack, Jill and Bob are in the garden.")] == [
        "Jack",
        "Jill",
        "Bob",
    ]
    assert [event.actor for event in read_story("小红和小明在房间里玩。")] == ["小红", "小明"]


def test_a_clause_goes_on_with_the_one_who_acted_before() -> None:
    english = _events("Emma puts the keys on the table and leaves the room.")
    assert english == [("place", "Emma", "keys", "table"), ("leave", "Emma", None, "room")]
    chinese = _events("小红把球放进篮子里，然后离开了房间。")
    assert chinese == [("place", "小红", "球", "篮子"), ("leave", "小红", None, "房间")]


def test_pronouns_stand_for_the_person_and_the_thing_last_named() -> None:
    events = _events("Anne takes the marble. She puts it into the box.")
    assert events[-1] == ("place", "Anne", "marble", "box")


def test_lines_may_be_numbered() -> None:
    assert _events("1 Oliver entered the kitchen.\n2) Emma entered the kitchen.") == [
        ("enter", "Oliver", None, "kitchen"),
        ("enter", "Emma", None, "kitchen"),
    ]


@pytest.mark.parametrize(
    ("story", "witnesses"),
    [
        ("Ann puts the cup on the shelf. Ben secretly moves the cup to the sink.", ("Ben",)),
        (
            "Ann sees Ben. Ann puts the cup on the shelf. Behind Ann's back, Ben moves the cup to the sink.",
            (),
        ),
        ("妈妈把糖果放进抽屉里。小刚偷偷把糖果藏到了柜子里。", ("小刚",)),
    ],
)
def test_a_secret_names_its_only_witnesses(story: str, witnesses: tuple[str, ...]) -> None:
    move: StoryEvent = read_story(story)[-1]
    assert move.kind == "place"
    assert move.witnesses == witnesses


def test_an_open_event_leaves_its_witnesses_to_who_is_there() -> None:
    assert read_story("Ann puts the cup on the shelf.")[0].witnesses is None


def test_the_hearer_of_a_message_is_kept() -> None:
    assert read_story("Tom told Mia that the key is in the vase.")[0].hearers == ("Mia",)
    assert read_story("小丽对爸爸说：“书在书房里”。")[0].hearers == ("爸爸",)


@pytest.mark.parametrize("story", ["", "It rained all day.", "天气很好。"])
def test_sentences_without_people_and_places_are_left_out(story: str) -> None:
    assert read_story(story) == ()


@pytest.mark.parametrize(
    ("phrase", "noun"),
    [
        ("the marble", "marble"),
        ("her old hat", "old hat"),
        ("一本书", "书"),
        ("那个球", "球"),
        ("  ", None),
        (None, None),
    ],
)
def test_a_noun_loses_its_article_or_measure_word(phrase: str | None, noun: str | None) -> None:
    assert plain_noun(phrase) == noun
