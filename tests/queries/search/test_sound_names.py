"""Any usual word for a sound finds it; a word for none is answered with near ones."""

from __future__ import annotations

import pytest

from vidence.models.sounds.audio_events.labels import CLASSES
from vidence.queries.search.sound_names import known_types, near_types, sound_names


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("Dog Bark", "dog_bark"),
        ("dog barking", "dog_bark"),
        ("clap", "applause"),
        ("hand clapping", "applause"),
        ("people laughing", "laughter"),
        ("knocking on the door", "door_knock"),
        ("glass", "glass_breaking"),
        ("honking", "car_horn"),
        ("ringtone", "phone_ringing"),
        ("police siren", "siren"),
        ("talking", "speech"),
        ("white noise", "noise"),
        ("掌声", "applause"),
        ("狗叫声", "dog_bark"),
        ("敲门声", "door_knock"),
        ("汽车喇叭声", "car_horn"),
        ("电话铃声", "phone_ringing"),
        ("背景音乐", "music"),
        ("婴儿哭声", "baby_cry"),
        ("说话", "speech"),
        ("安静", "silence"),
        ("噪音", "noise"),
    ],
)
def test_a_usual_word_finds_its_sound(asked: str, name: str) -> None:
    assert name in sound_names(asked)


@pytest.mark.parametrize("asked", ["animal", "animals", "动物"])
def test_a_kind_means_all_sounds_of_it(asked: str) -> None:
    found = sound_names(asked)
    assert {"dog_bark", "cat_meow", "cow"} <= found
    assert not found & {"rain", "music", "laughter"}


def test_a_name_of_our_own_means_just_that() -> None:
    for name in (*known_types(), *CLASSES):
        assert sound_names(name) == {name}


@pytest.mark.parametrize("asked", ["xyzzy", "", "gunshot", "枪声", "cheering"])
def test_what_cannot_be_heard_is_not_known(asked: str) -> None:
    assert sound_names(asked) == frozenset()


@pytest.mark.parametrize(
    ("asked", "near"), [("aplause", "applause"), ("musik", "music"), ("lauhgter", "laughter")]
)
def test_a_slip_of_the_pen_is_answered_with_the_near_name(asked: str, near: str) -> None:
    assert near_types(asked)[0] == near


@pytest.mark.parametrize("asked", ["DOG BARK", "  dog-bark ", "dog_bark", "Dog  Bark"])
def test_case_and_separators_do_not_matter(asked: str) -> None:
    assert sound_names(asked) == {"dog_bark"}


def test_all_words_of_a_phrase_narrow_down_what_is_meant() -> None:
    assert sound_names("clock ticking") == {"clock_tick"}
    assert {"clock_tick", "clock_alarm"} <= sound_names("clock")


def test_words_that_share_no_sound_mean_the_sounds_of_any() -> None:
    assert {"dog_bark", "rain"} <= sound_names("barking rain")


def test_the_longest_chinese_word_in_a_phrase_decides() -> None:
    assert sound_names("洗衣机的声音") == {"washing_machine"}
    assert sound_names("火车声") == {"train"}, "neither 火 nor 车"
    assert "cat_meow" in sound_names("小猫叫声")
    assert "dog_bark" not in sound_names("小猫叫声")


def test_near_names_are_at_most_three_known_types() -> None:
    for asked in ("alarn", "dor_knock", "cofgh", "zzzz", "", "bel"):
        near = near_types(asked)
        assert len(near) <= 3
        assert len(set(near)) == len(near)
        assert set(near) <= set(known_types())


def test_a_misspelled_synonym_leads_to_its_type() -> None:
    assert near_types("claping")[0] == "applause"
    assert near_types("zzzz") == []


def test_the_known_types_are_sorted_and_without_repetition() -> None:
    types = known_types()
    assert types == sorted(set(types))
    assert {"music", "applause"} <= set(types)
