"""Labels have names in both languages, and Chinese ones their measure words."""

from __future__ import annotations

import pytest

from vidence.language.actions import action_families, action_in
from vidence.language.categories import categories
from vidence.language.identify import has_han
from vidence.language.labels import counted_label, label_in
from vidence.language.tables import read_table


@pytest.mark.parametrize(
    ("label", "count", "english", "chinese"),
    [
        ("car", 1, "car", "一辆汽车"),
        ("car", 2, "2 cars", "两辆汽车"),
        ("cat", 3, "3 cats", "三只猫"),
        ("goldfish", 1, "goldfish", "一条金鱼"),
        ("dining_table", 12, "12 dining tables", "12张餐桌"),
        ("blorp", 1, "blorp", "一个blorp"),
    ],
)
def test_things_are_counted_as_people_say_it(label: str, count: int, english: str, chinese: str) -> None:
    assert counted_label(label, count, "en") == english
    assert counted_label(label, count, "zh") == chinese


@pytest.mark.parametrize(
    ("label", "chinese"),
    [
        ("having_a_meeting", "开会"),
        ("standing", "站着"),
        ("applauding", "鼓掌"),
        ("playing_an_instrument", "演奏乐器"),
        ("music", "音乐声"),
        ("indoor_kitchen", "厨房里"),
        ("medium_shot", "中景"),
    ],
)
def test_actions_sounds_and_places_have_chinese_names(label: str, chinese: str) -> None:
    assert label_in(label, "zh") == chinese
    assert "_" not in label_in(label, "en")


_TOLD = {
    "imagenet.tsv": 0,
    "imagenet_groups.tsv": 0,
    "kinetics400.tsv": 0,
    "sounds.tsv": 0,
    "audio_event_classes.tsv": 1,
    "scene_names.tsv": 1,
    "events.tsv": 0,
}
"""Every table whose rows can be told, and its column of labels."""
_LATIN_NAMES = {"CD player", "dancing gangnam style", "jumpstyle dancing"}
"""What is written so in Chinese too."""


@pytest.mark.parametrize("table", _TOLD)
def test_every_label_of_the_models_has_a_chinese_name(table: str) -> None:
    labels = {row[_TOLD[table]] for row in read_table(table)} - _LATIN_NAMES
    assert [label for label in labels if _is_foreign(label_in(label, "zh"))] == []


def test_every_category_and_every_measured_sound_has_a_chinese_name() -> None:
    labels = [one.name for one in categories().values()]
    labels += ["silence", "speech", "impact", "beep", "alarm", "clipping", "noise", "hum", "tone"]
    assert [label for label in labels if _is_foreign(label_in(label, "zh"))] == []


def _is_foreign(name: str) -> bool:
    return not has_han(name) or any(char.isascii() and (char.isalpha() or char == "_") for char in name)


def test_families_hold_labels_of_the_action_model_and_have_two_names() -> None:
    known = {row[0] for row in read_table("kinetics400.tsv")}
    for family in action_families():
        assert family.labels <= known, family.name
        assert len(family.labels) > 1
        assert has_han(family.chinese)
        assert not has_han(family.english)
    assert [len(one.labels) for one in action_families()] == sorted(
        len(one.labels) for one in action_families()
    )


def test_an_action_is_found_in_a_sentence() -> None:
    assert action_in("A person seems to be tap dancing", "en") == "tap dancing"
    assert action_in("两个人看起来是在跳舞", "zh") == "跳舞"
    assert action_in("A grey wall", "en") is None
