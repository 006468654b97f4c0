"""Labels have names in both languages, and Chinese ones their measure words."""

from __future__ import annotations

import pytest

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
        ("music", "音乐声"),
        ("indoor_kitchen", "厨房里"),
        ("medium_shot", "中景"),
    ],
)
def test_actions_sounds_and_places_have_chinese_names(label: str, chinese: str) -> None:
    assert label_in(label, "zh") == chinese
    assert "_" not in label_in(label, "en")


def test_every_label_of_the_models_has_a_chinese_name() -> None:
    labels = [one.name for one in categories().values()]
    labels += [
        row[0] for table in ("imagenet.tsv", "kinetics400.tsv", "sounds.tsv") for row in read_table(table)
    ]
    labels += [row[1] for row in read_table("scene_names.tsv")]
    assert [label for label in labels if not has_han(label_in(label, "zh"))] == []
