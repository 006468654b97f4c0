"""Chinese sentences from facts: measure words, numbers, doubt, places and what is left out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.index.narrate.made import SPAN, make_thing
from vidence.index.narrate.chinese import Chinese
from vidence.index.narrate.chinese_nouns import (
    joined,
    people_phrase,
    person_clothes,
    shot_phrase,
    thing_phrase,
    things_phrase,
    view_words,
)
from vidence.index.narrate.facts import (
    Facts,
    Heard,
    Name,
    People,
    Person,
    PictureStyle,
    Said,
    Setting,
    ShotFacts,
    Thing,
)
from vidence.index.scene.kind import MadeKind
from vidence.language.labels import chinese_number

VOICE = Chinese()
BARE = ShotFacts(SPAN)
DAY, SUN = Name("in daylight", "", "白天"), Name("sunny", "", "天气晴朗")
KITCHEN = Setting(Name("in a kitchen", "", "厨房里"), DAY, SUN)
DOG, CAT, CUP = make_thing("dog"), make_thing("cat"), make_thing("cup")
ONE = People(1, 1, 0.9, True, (Person("left", posture="sitting"),))


def test_two_is_liang_before_a_measure_word_and_large_numbers_are_digits() -> None:
    assert [chinese_number(count) for count in (1, 2, 10, 11)] == ["一", "两", "十", "11"]


def test_parts_are_joined_with_an_enumeration_comma_and_he() -> None:
    assert joined(["猫"]) == "猫"
    assert joined(["猫", "狗", "马"]) == "猫、狗和马"


def test_things_take_their_measure_word_and_colour() -> None:
    assert thing_phrase(DOG) == "一只狗"
    assert thing_phrase(replace(DOG, count=2, colour="black")) == "两只黑色的狗"
    assert thing_phrase(replace(DOG, colour="black"), bare=True) == "一只狗"
    assert thing_phrase(replace(DOG, count=7)) == "许多狗"


def test_what_a_vessel_holds_is_counted_by_the_vessel() -> None:
    soup = Name("soup", "soups", "汤", "份")
    assert thing_phrase(replace(make_thing("bowl"), contents=soup)) == "一碗汤"
    assert thing_phrase(replace(CUP, contents=soup, count=2)) == "两杯汤"
    assert thing_phrase(replace(CUP, contents=soup, count=9)) == "许多汤"


def test_doubtful_things_come_last() -> None:
    unsure = replace(CAT, sure=False)
    assert things_phrase([unsure, DOG]) == "一只狗，可能还有一只猫"
    assert things_phrase([unsure]) == "一只猫"


@pytest.mark.parametrize(
    ("count", "phrase"),
    [(1, "一个人"), (3, "三个人"), (4, "大约四个人"), (10, "大约十个人"), (11, "一大群人")],
)
def test_more_people_are_counted_less_exactly(count: int, phrase: str) -> None:
    assert people_phrase(People(count, count, 0.9, True)) == phrase


def test_clothes_are_told_as_far_as_they_are_known() -> None:
    assert person_clothes(Person("left")) == ""
    assert person_clothes(Person("left", upper="red")) == "穿着红色上衣"
    assert person_clothes(Person("left", lower="blue")) == "下身穿蓝色"
    assert person_clothes(Person("left", upper="red", lower="red")) == "穿着红色衣服"
    assert person_clothes(Person("left", upper="white", lower="blue")) == "上身穿白色，下身穿蓝色"


def test_a_shot_is_named_by_people_then_things_then_place_then_title_then_colour() -> None:
    plain = replace(BARE, style=PictureStyle(colours=("green",), light="dark"))
    assert shot_phrase(plain) == "一幅较暗的以绿色为主的画面"
    assert shot_phrase(replace(plain, setting=KITCHEN)) == "厨房里的景象"
    assert shot_phrase(replace(plain, texts=("今晚发射",), is_title=True)) == "标题“今晚发射”"
    assert shot_phrase(replace(plain, things=(DOG,))) == "一只狗"
    assert shot_phrase(replace(plain, things=(replace(DOG, sure=False),))) == "疑似一只狗"
    assert shot_phrase(replace(plain, things=(DOG,), people=ONE)) == "一个人"
    assert shot_phrase(replace(plain, people=People(2, 2, 0.5, False))) == "疑似两个人"


def test_a_picture_without_things_is_named_by_its_light_and_colours() -> None:
    assert view_words(PictureStyle(blank=True, colours=("black",))) == "一片黑色"
    assert view_words(PictureStyle(blank=True)) == "一片灰色"
    assert view_words(PictureStyle(grey=True)) == "一幅黑白画面"
    assert view_words(PictureStyle()) == "一幅画面"


@pytest.mark.parametrize(
    ("thing", "sentence"),
    [
        (replace(DOG, moved="left_to_right"), "一只狗从左向右穿过画面。"),
        (replace(DOG, area=0.55), "一只狗占据了大部分画面。"),
        (replace(DOG, place="right"), "画面右侧有一只狗。"),
        (replace(DOG, place="right", sure=False), "画面中可能有一只狗。"),
        (replace(DOG, place="right", count=3), "画面中有三只狗。"),
    ],
)
def test_one_certain_thing_is_told_by_its_motion_then_size_then_place(thing: Thing, sentence: str) -> None:
    assert VOICE.subject(replace(BARE, things=(thing,))) == sentence


def test_the_subject_puts_a_certain_thing_before_a_doubtful_person() -> None:
    shot = replace(BARE, people=People(1, 1, 0.55, False), things=(replace(DOG, place="left"),))
    assert VOICE.subject(shot) == "画面左侧有一只狗，可能还有一个人。"
    assert VOICE.subject(replace(shot, people=ONE)) == "画面左侧坐着一个人，旁边有一只狗。"
    beside = replace(shot, people=ONE, things=(replace(DOG, sure=False),))
    assert VOICE.subject(beside) == "画面左侧坐着一个人，旁边可能有一只狗。"


@pytest.mark.parametrize(
    ("person", "sentence"),
    [
        (Person("left", upper="red", posture="standing"), "画面左侧站着一个人，穿着红色上衣。"),
        (Person("centre"), "画面中央有一个人。"),
        (Person("centre", area=0.6), "近景中有一个人。"),
        (Person("right", posture="bending"), "画面右侧有一个人，弯着腰。"),
        (Person("left", posture="walking"), "一个人在画面左侧走动。"),
        (Person("left", posture="walking", moved="right_to_left"), "一个人从右向左走过画面。"),
    ],
)
def test_one_person_is_told_with_clothes_posture_and_place(person: Person, sentence: str) -> None:
    shot = replace(BARE, people=People(1, 1, 0.9, True, (person,)))
    assert VOICE.people_focus(shot, "only") == sentence


def test_a_doubtful_person_is_hedged_standing_or_walking() -> None:
    def told(person: Person) -> str | None:
        return VOICE.people_focus(replace(BARE, people=People(1, 1, 0.5, False, (person,))), "next")

    assert told(Person("left", posture="standing")) == "随后，画面左侧可能站着一个人。"
    assert told(Person("left", moved="nearer")) == "随后，看起来像一个人的身影向镜头靠近。"
    assert VOICE.person_focus(Person("left"), "only", sure=False) == "可能有一人在画面左侧。"


def test_only_groups_of_three_or_more_stir() -> None:
    def told(count: int, *, walking: bool = False) -> str | None:
        people = People(count, count, 0.9, True, walking=walking)
        return VOICE.people_focus(replace(BARE, people=people, is_moving=True), "only")

    assert told(2, walking=True) == "画面中有两个人。"
    assert told(3) == "画面中有三个人，正在活动。"
    assert told(12, walking=True) == "画面中有一大群人，多数在走动。"


def test_people_are_told_apart_from_two_on() -> None:
    each = (Person("left", upper="red"), Person("right", posture="sitting"))
    assert (
        VOICE.each_person(People(2, 2, 0.9, True, each))
        == "一人在画面左侧，穿着红色上衣；另一人在画面右侧坐着。"
    )
    assert VOICE.each_person(People(1, 1, 0.9, True, each[:1])) is None


def test_further_things_are_added_with_their_doubt() -> None:
    assert VOICE.more(()) is None
    assert VOICE.more((DOG,)) == "画面中还有一只狗。"
    assert VOICE.more((replace(DOG, sure=False),)) == "画面中可能还有一只狗。"


def test_only_certain_things_that_stay_are_placed() -> None:
    things = (replace(DOG, place="left"), replace(CAT, place="right", sure=False), CUP)
    assert VOICE.where(things) == "狗在画面左侧。"
    assert VOICE.where(things[1:]) is None


def test_a_title_is_written_on_its_background() -> None:
    title = replace(BARE, texts=("今晚发射",), is_title=True)
    assert VOICE.subject(title) == "画面上写着“今晚发射”。"
    assert (
        VOICE.subject(replace(title, style=PictureStyle(colours=("blue",)))) == "蓝色背景上写着“今晚发射”。"
    )


def test_a_picture_in_which_nothing_can_be_named_is_told_by_what_is_known() -> None:
    assert VOICE.subject(BARE) == "无法确认画面中有什么。"
    assert (
        VOICE.subject(replace(BARE, style=PictureStyle(grey=True))) == "画面是黑白的，但无法确认其中有什么。"
    )
    green = replace(BARE, style=PictureStyle(colours=("green",)))
    assert VOICE.subject(green) == "画面以绿色为主，但无法确认其中有什么。"
    blank = replace(BARE, style=PictureStyle(blank=True, colours=("black",)))
    assert VOICE.subject(blank) == "画面是一片黑色。"
    placed = replace(BARE, setting=KITCHEN)
    assert VOICE.subject(placed) == "场景看起来是在厨房里，白天，但无法确认其中有什么。"
    assert VOICE.subject(placed, "last") == "最后，场景看起来是在厨房里，白天。"


def test_the_setting_is_told_with_and_without_a_place() -> None:
    assert VOICE.setting(BARE) is None
    assert VOICE.setting(replace(BARE, setting=KITCHEN)) == "场景看起来是在厨房里，白天，天气晴朗。"
    assert VOICE.setting(replace(BARE, setting=Setting(time_of_day=DAY))) == "看起来是白天。"
    assert VOICE.setting(replace(BARE, setting=Setting(weather=SUN))) == "看起来天气晴朗。"


def test_an_action_is_given_to_people_only_when_they_are_certain() -> None:
    sure = replace(BARE, people=ONE, actions=(Name("running", "", "跑步"),))
    assert VOICE.actions(sure) == "一个人看起来是在跑步。"
    assert VOICE.actions(sure, again=True) == "看起来是在跑步。"
    assert VOICE.actions(replace(sure, people=People(1, 1, 0.5, False))) == "看起来是在跑步。"


def test_without_a_named_action_motion_posture_and_speech_are_told() -> None:
    assert VOICE.actions(BARE) is None
    moving = replace(BARE, things=(replace(CAT, moved="away", sure=False),))
    assert VOICE.actions(moving) == "看起来像一只猫渐渐远去。"
    assert VOICE.actions(replace(BARE, people=ONE)) == "画面左侧坐着一个人。"
    still = People(2, 2, 0.9, True)
    assert VOICE.actions(replace(BARE, people=still)) is None
    spoken = replace(BARE, people=still, said=Said(is_heard=True))
    assert VOICE.actions(spoken) == "画面中有两个人，同时有人在说话。"


def test_the_style_names_light_and_colours_unless_the_subject_did() -> None:
    style = PictureStyle(light="bright", colours=("blue", "white"))
    assert VOICE.style(replace(BARE, style=style)) is None
    assert VOICE.style(replace(BARE, style=style, things=(DOG,))) == "画面明亮，以蓝色和白色为主。"
    grey = replace(BARE, style=PictureStyle(grey=True, light="dark"), things=(DOG,))
    assert VOICE.style(grey) == "画面是黑白的，较暗。"


def test_texts_and_speech_are_quoted_within_their_limits() -> None:
    assert VOICE.text((), limit=2) is None
    assert VOICE.text(("甲乙", "丙丁", "戊己"), limit=2) == "画面上的文字是“甲乙”和“丙丁”等。"
    said = replace(BARE, said=Said(("请看小马走到右边", "谢谢大家的观看"), True))
    assert VOICE.speech([said], limit=24) == "有人说：“请看小马走到右边”，又说：“谢谢大家的观看”。"
    assert VOICE.speech([said], limit=6) == "有人说：“请看小马走到右边”，之后还在继续说。"
    assert VOICE.speech([replace(BARE, said=Said(is_heard=True))], limit=9) == "有人在说话，但听不清内容。"
    assert VOICE.speech([BARE], limit=9) is None


def test_sounds_are_named_once_and_silence_only_where_every_shot_is_silent() -> None:
    music = Heard("music", "音乐")
    one, silent = replace(BARE, sounds=(music,)), replace(BARE, is_silent=True)
    assert VOICE.sounds([one, one], has_track=True) == "可以听到音乐。"
    assert VOICE.sounds([silent], has_track=True) == "没有声音。"
    assert VOICE.sounds([silent, BARE], has_track=True) is None
    assert VOICE.sounds([one], has_track=False) == "视频没有音轨。"


def test_what_is_asked_for_and_not_seen_is_denied_within_the_span() -> None:
    assert VOICE.none_seen("狗？", SPAN, is_known=True) == "在3秒到5秒之间没有看到狗。"
    assert VOICE.none_seen("gadget", SPAN, is_known=False) == "在3秒到5秒之间没有识别出“gadget”。"
    assert VOICE.nobody(None, (), SPAN) == "在3秒到5秒之间，画面中没有识别出人。"
    assert VOICE.nobody("left", ("red",), SPAN) == "在3秒到5秒之间，画面左侧没有识别出穿红色衣服的人。"


def test_the_extent_counts_shots_and_frames() -> None:
    assert VOICE.extent(Facts(SPAN, (BARE, BARE), frames=12)) == "这一段长2.0秒，共两个镜头，为此查看了12帧。"


def test_a_sequence_says_whether_it_is_complete() -> None:
    dog, cat, cup = (replace(BARE, things=(thing,)) for thing in (DOG, CAT, make_thing("horse")))
    assert VOICE.sequence([dog, cat], total=2) == "先是一只狗，随后是一只猫。"
    assert VOICE.sequence([dog, cat, cup], total=3) == "先是一只狗，随后是一只猫，最后是一匹马。"
    assert VOICE.sequence([dog, cat], total=4) == "画面先是一只狗，随后是一只猫，等等。"


def test_brief_ways_go_from_the_richest_to_one_that_fits() -> None:
    shot = replace(BARE, things=(replace(DOG, place="left"),), camera="pan_left", texts=("今晚发射",))
    ways = VOICE.brief(shot)
    assert ways[0] == "画面左侧有一只狗，镜头向左摇动，画面上有“今晚发射”字样。"
    assert ways[-1] == "画面中是一只狗。"
    assert VOICE.fits(ways[-1])


def test_a_sentence_fits_up_to_thirty_characters_and_latin_words_count_more() -> None:
    assert VOICE.fits("狗" * 30 + "。，“”")
    assert not VOICE.fits("狗" * 31)
    assert VOICE.fits("word " * 18)
    assert not VOICE.fits("word " * 19)


def test_a_sentence_loses_its_lead_when_it_stands_alone() -> None:
    first = VOICE.subject(replace(BARE, things=(DOG,)), "first")
    assert first == "起初，画面中有一只狗。"
    assert VOICE.alone(first) == "画面中有一只狗。"


@pytest.mark.parametrize(("kind", "words"), [("screen", "录屏或幻灯片"), ("graphic", "图形或绘画")])
def test_what_was_not_filmed_is_said_to_be_so(kind: MadeKind, words: str) -> None:
    shot = replace(BARE, style=PictureStyle(kind=kind, colours=("white",)))
    assert VOICE.kind(shot) == f"画面是{words}。"
    assert VOICE.subject(shot) == f"画面是{words}。"
    assert shot_phrase(shot) == words
    assert VOICE.kind(BARE) is None
