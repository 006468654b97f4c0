"""The table of ImageNet labels."""

from __future__ import annotations

import re

from vidence.models.vision.imagenet import groups, labels, meanings


def test_every_label_has_a_chinese_name_and_a_group() -> None:
    assert len(labels()) == 1000
    for label in labels():
        assert re.search(r"[\u3400-\u9fff]", label.chinese), label
        assert label.group is groups()[label.group.name]


def test_groups_are_counted_with_one_measure_word() -> None:
    assert all(len(group.measure) == 1 and group.chinese for group in groups().values())
    assert {label.group.name for label in labels()} == set(groups())


def test_breeds_are_dogs_and_an_ambiguous_label_has_two_meanings() -> None:
    assert meanings("Brittany spaniel")[0].group.name == "dog"
    assert meanings("tabby")[0].group.chinese == "猫"
    assert [one.group.name for one in meanings("crane")] == ["bird", "crane"]
    assert meanings("no such thing") == ()
