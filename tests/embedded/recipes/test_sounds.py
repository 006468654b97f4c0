"""Which sound is heard: by scene, by kind, by time."""

from __future__ import annotations

from tests.embedded.recipes.seen import VIDEO, ask
from tests.embedded.recipes.told import Told, line, sound

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
