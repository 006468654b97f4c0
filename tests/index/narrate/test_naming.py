"""Names in both languages for what the models report."""

from __future__ import annotations

import pytest

from vidence.index.narrate.facts import Heard, Name
from vidence.index.narrate.naming import (
    category_kind,
    category_name,
    group_name,
    groups_like,
    label_name,
    sound_name,
)
from vidence.language.categories import categories
from vidence.language.identify import has_han
from vidence.models.vision.imagenet import groups, labels


def test_every_category_of_the_detector_has_a_name_in_both_languages() -> None:
    for category in categories().values():
        name = category_name(category.name)
        assert name.en
        assert name.plural
        assert has_han(name.zh), category.name
        assert has_han(name.measure), category.name


def test_an_unknown_category_keeps_its_own_name_and_gets_a_plural() -> None:
    assert category_name("gadget") == Name("gadget", "gadgets", "gadget")
    assert category_kind("gadget") == "thing"
    assert groups_like("gadget") == frozenset()


@pytest.mark.parametrize(
    ("category", "kind"), [("dog", "animal"), ("car", "vehicle"), ("chair", "furniture")]
)
def test_a_category_has_a_kind(category: str, kind: str) -> None:
    assert category_kind(category) == kind


def test_the_labellers_groups_that_mean_a_category_exist() -> None:
    known = groups()
    for category in categories().values():
        assert groups_like(category.name) <= known.keys(), category.name
    assert "dog" in groups_like("dog")


def test_a_label_takes_the_measure_word_of_its_group() -> None:
    for label in labels()[::50]:
        name = label_name(label)
        assert (name.en, name.zh, name.measure) == (label.name, label.chinese, label.group.measure)
        assert name.plural != ""
    dog = group_name(groups()["dog"])
    assert (dog.en, dog.plural, dog.zh) == ("dog", "dogs", "狗")


def test_the_finer_name_of_a_sound_is_preferred() -> None:
    music = sound_name("music")
    assert has_han(music.zh)
    assert sound_name("music", "no_such_sound") == music
    assert sound_name("no_such_sound", "music") == music


def test_an_unknown_sound_is_named_by_its_type() -> None:
    assert sound_name("glass_breaking_far") == Heard(
        "the sound of glass breaking far", "“glass breaking far”声"
    )
