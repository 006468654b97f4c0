"""Which sound is heard: by scene, by kind, by time."""

from __future__ import annotations

import pytest

from tests.embedded.recipes.seen import VIDEO, ask, prove
from tests.embedded.recipes.told import Told, line, sound
from vidence.embedded.recipes.sounds import asked_kinds, asked_sounds, fits_kinds, sound_words

_SOUNDS = [sound("rain", 1, 4), sound("cough", 2, 3), sound("train", 11, 15)]


def test_the_scene_is_found_first_and_only_its_sounds_count() -> None:
    world = Told(heard=_SOUNDS, found=[(12.0, 13.0, 0.8)], cuts=(0.0, 10.0))
    assert "train" in ask("What sound is heard during the bridge scene?", world).answer.lower()


def test_a_kind_restricts_the_sounds() -> None:
    assert (
        "cough" in ask("What human sound is heard at about 2-3 seconds?", Told(heard=_SOUNDS)).answer.lower()
    )
    assert (
        "rain"
        in ask("Which natural sound is heard at about 2-3 seconds?", Told(heard=_SOUNDS)).answer.lower()
    )


def test_chinese_names_are_given_to_chinese_questions() -> None:
    assert "咳嗽" in ask("第2秒到第3秒能听到什么人的声音？", Told(heard=[sound("cough", 2, 3)])).answer


def test_silence_is_told_as_silence() -> None:
    assert "silent" in ask("Which sound can be heard at 5 seconds?", Told()).answer
    mute = VIDEO.model_copy(update={"has_audio": False})
    assert "no sound track" in ask("Which sound can be heard at 5 seconds?", Told(), video=mute).answer


def test_a_voice_is_named_where_nothing_else_is_heard() -> None:
    finding = ask("What can be heard at 5 seconds?", Told(said=[line(4, 6, "Mind the gap.")]))
    assert "Mind the gap" in finding.answer


def test_a_sound_of_another_kind_is_not_passed_off() -> None:
    finding = ask("Which animal sound is heard at about 2-3 seconds?", Told(heard=_SOUNDS))
    assert finding.probability < 0.5
    assert "no such sound" in finding.answer.lower()


SOUNDS = Told(heard=[sound("dog_bark", 2, 4, 0.9), sound("siren", 10, 12, 0.8), sound("rain", 0, 20, 0.5)])


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which animal sound is heard?", "A barking dog (2.0–4.0 s)."),
        ("What is heard at 11 seconds?", "A siren and rain (10.0–12.0 s)."),
        ("11秒时有什么声音？", "警笛声和雨声（10.0–12.0 秒）。"),
        ("结尾有什么声音？", "雨声（0.0–20.0 秒）。"),
    ],
)
def test_sounds_are_named_with_their_time_and_proof(question: str, answer: str) -> None:
    finding = prove(question, SOUNDS)
    assert finding.answer == answer
    assert all(claim.citations[0].quote for claim in finding.claims)


def test_a_whole_video_full_of_sounds_is_answered_with_less_trust() -> None:
    kinds = ("dog_bark", "siren", "applause", "music", "thunder")
    many = Told(heard=[sound(kind, 2 * place, 2 * place + 1) for place, kind in enumerate(kinds)])
    assert (
        prove("What is heard in the video?", many).probability
        < prove("What is heard in the video?", Told(heard=[sound("siren", 2, 4)])).probability
    )


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("Which animal sound is heard?", {"animal"}),
        ("What water sound can be heard?", {"water"}),
        ("Which sound of a person is heard?", set()),
        ("Which human noise is heard?", {"human"}),
        ("What sound is heard while the animal runs?", set()),
        ("有什么动物的声音？", {"animal"}),
        ("What is heard?", set()),
    ],
)
def test_the_kind_of_sound_is_read_before_the_word_sound(question: str, kinds: set[str]) -> None:
    assert asked_kinds(question) == kinds


@pytest.mark.parametrize(
    ("event", "kinds", "fits"),
    [
        ("dog_bark", {"animal"}, True),
        ("siren", {"animal"}, False),
        ("singing", {"music"}, True),
        ("siren", set(), True),
    ],
)
def test_a_sound_fits_the_kinds_it_belongs_to(event: str, kinds: set[str], fits: bool) -> None:
    assert fits_kinds(sound(event, 0, 1), frozenset(kinds)) is fits


def test_sounds_are_found_by_their_names_in_a_question() -> None:
    assert "dog_bark" in asked_sounds("Can a bark be heard?")
    assert "applause" in asked_sounds("有掌声吗？")
    assert not asked_sounds("What is on the table?")
    assert sound_words(sound("dog_bark", 0, 1), "zh") != sound_words(sound("dog_bark", 0, 1), "en")
