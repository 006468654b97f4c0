"""The setting and the action of a shot, from its views, frames and clips."""

from __future__ import annotations

import numpy as np
import pytest

from vidence.index.narrate.facts import Name, Setting
from vidence.index.narrate.scene import actions_in, read_view, setting_of
from vidence.index.scene.pixels import PixelFacts
from vidence.index.scene.place import SceneEvidence
from vidence.media.jpeg import encode_jpeg
from vidence.schema.observations import ActionsSeen, NamedScore, SeenObject
from vidence.schema.perception import Box, Detection, Rgb
from vidence.schema.time import TimeRange

SPAN = TimeRange(start_time=0, end_time=4)
PLAIN = PixelFacts(0.5, 0.05, 0.2, 0.2, 0, 0, 0, 0, 0, 0, 0, 0)


def _object(category: str, confidence: float = 0.9) -> SeenObject:
    return SeenObject(category=category, confidence=confidence, bbox=(0.2, 0.1, 0.5, 0.8))


def _view(*names: str) -> SceneEvidence:
    return SceneEvidence.gather([Detection(n, 0.8, Box(0.1, 0.1, 0.3, 0.3)) for n in names], {}, PLAIN)


KITCHEN, STREET, NOTHING = _view("oven", "refrigerator", "sink"), _view("car", "traffic light"), _view()


def test_a_view_combines_objects_labels_pixels_and_place_scores() -> None:
    image: Rgb = np.full((36, 64, 3), 200, np.uint8)
    view = read_view(
        [_object("oven")],
        [NamedScore(label="stove", score=0.3)],
        encode_jpeg(image, max_side=64, quality=90),
        {"seems_indoor": 0.7},
    )
    assert view is not None
    assert view.signs["oven"] == pytest.approx(1.0)
    assert view.signs["stove"] == pytest.approx(0.6)
    assert view.signs["seems_indoor"] == pytest.approx(0.7)
    assert view.pixels.brightness == pytest.approx(200 / 255, abs=0.02)
    assert view.people == 0


def test_a_damaged_thumbnail_is_no_view() -> None:
    assert read_view([], [], b"no picture at all") is None


def test_a_setting_needs_the_agreement_of_the_views() -> None:
    kitchen = setting_of([KITCHEN, KITCHEN, NOTHING]).location
    assert kitchen is not None
    assert (kitchen.en, kitchen.zh) == ("in a kitchen", "厨房里")
    assert setting_of([KITCHEN, STREET]).location is None
    assert setting_of([NOTHING]) == Setting()
    assert setting_of([]) == Setting()


def test_views_that_agree_on_the_side_only_tell_the_side() -> None:
    office = _view("laptop", "keyboard", "mouse")
    location = setting_of([KITCHEN, office]).location
    assert location is not None
    assert location.en == "indoors"


def test_outdoors_by_day_is_told_and_indoors_has_no_time() -> None:
    street = setting_of([STREET, STREET])
    assert street.time_of_day is not None
    assert street.time_of_day.zh == "白天"
    assert setting_of([KITCHEN]).time_of_day is None


def _clip(start: float, label: str, score: float) -> ActionsSeen:
    return ActionsSeen(
        start_time=start, end_time=start + 1.3, actions=(NamedScore(label=label, score=score),)
    )


def _actions(*clips: ActionsSeen, objects: tuple[str, ...], spoken: bool = False) -> tuple[Name, ...]:
    seen = [_object(name) for name in objects]
    labels: list[NamedScore] = []
    frames = [(time, seen, labels) for time in (1.0, 3.0)]
    return actions_in(SPAN, frames, clips, speech=lambda time_s: spoken)


def test_an_action_that_clips_and_objects_support_is_named() -> None:
    clips = (_clip(0, "training dog", 0.9), _clip(2, "training dog", 0.9))
    (action,) = _actions(*clips, objects=("person", "dog"))
    assert action.en == "training a dog"
    assert action.zh
    assert _actions(*clips, objects=("person",)) == ()


def test_only_the_most_confident_action_is_kept() -> None:
    clips = tuple(
        ActionsSeen(
            start_time=start,
            end_time=start + 1.3,
            actions=(
                NamedScore(label="training dog", score=0.95),
                NamedScore(label="walking the dog", score=0.7),
            ),
        )
        for start in (0.0, 2.0)
    )
    assert [action.en for action in _actions(*clips, objects=("person", "dog"))] == ["training a dog"]


def test_kinds_of_one_thing_are_told_as_that_in_both_languages() -> None:
    kinds = ("tap dancing", "salsa dancing", "zumba")
    clips = [_clip(1.3 * number, label, 0.6) for number, label in enumerate(kinds)]
    (action,) = _actions(*clips, objects=("person",))
    assert (action.en, action.zh) == ("dancing", "跳舞")


def test_objects_together_are_enough_for_a_rule() -> None:
    (action,) = _actions(objects=("person", "dog"))
    assert "dog" in action.en


def test_talking_is_not_named_as_an_action_since_the_voice_may_be_anybodys() -> None:
    assert _actions(objects=("person",), spoken=True) == ()
