"""How the evidence of one frame is combined into signs, light, time and weather."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vidence.index.scene.likeness import vector_places
from vidence.index.scene.pixels import PixelFacts
from vidence.index.scene.place import SceneEvidence, lighting, place, side, time_of_day, weather
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.schema.perception import Box, Detection

PLAIN = PixelFacts(0.5, 0.05, 0.2, 0.2, 0, 0, 0, 0, 0, 0, 0, 0)
SKY = replace(PLAIN, sky=0.5)


def _found(category: str, confidence: float = 0.8, height: float = 0.3) -> Detection:
    return Detection(category, confidence, Box(0.1, 0.1, 0.3, height))


def _gather(*objects: Detection, pixels: PixelFacts = PLAIN, **labels: float) -> SceneEvidence:
    return SceneEvidence.gather(objects, labels, pixels)


def test_an_object_counts_from_its_least_confidence_and_the_best_one_counts() -> None:
    evidence = _gather(_found("oven", 0.34), _found("sink", 0.4), _found("sink", 0.6))
    assert "oven" not in evidence.signs
    assert evidence.signs["sink"] == pytest.approx(0.72)
    assert _gather(_found("oven", 0.95)).signs["oven"] == 1.0


def test_a_label_counts_double_up_to_one() -> None:
    evidence = _gather(stove=0.3, toaster=0.8)
    assert evidence.signs["stove"] == pytest.approx(0.6)
    assert evidence.signs["toaster"] == 1.0


def test_people_are_counted_from_their_least_confidence() -> None:
    assert _gather(_found("person"), _found("person", 0.3), _found("dog")).people == 1


def test_greenery_is_a_park_with_people_and_woods_without() -> None:
    green = replace(PLAIN, greenery=0.4)
    alone, together = _gather(pixels=green), _gather(_found("person"), pixels=green)
    assert (alone.signs["park"], alone.signs["woods"]) == pytest.approx((0.0, 0.8))
    assert (together.signs["park"], together.signs["woods"]) == pytest.approx((0.8, 0.0))
    dog = _gather(_found("dog"), pixels=green)
    assert dog.signs["park"] == pytest.approx(0.8)


def test_white_ground_is_snow_only_with_something_of_winter() -> None:
    white = replace(PLAIN, white_ground=0.6)
    assert _gather(pixels=white).signs["snow"] == 0
    assert _gather(_found("skis"), pixels=white).signs["snow"] == pytest.approx(0.9)


def test_grey_ground_is_pavement_only_under_several_distant_people() -> None:
    grey = replace(PLAIN, grey_ground=0.7)
    assert _gather(*[_found("person")] * 2, pixels=grey).signs["pavement"] == 0
    assert _gather(*[_found("person")] * 3, pixels=grey).signs["pavement"] == pytest.approx(0.7)
    near = [_found("person", height=0.8)] * 3
    assert _gather(*near, pixels=grey).signs["pavement"] == 0


def test_a_laptop_is_a_meeting_from_two_people_on() -> None:
    assert _gather(_found("person"), _found("laptop")).signs["meeting"] == 0
    assert _gather(_found("person"), _found("person"), _found("laptop")).signs["meeting"] > 0.9


def test_a_slide_has_no_sky() -> None:
    assert _gather(pixels=SKY).sky == pytest.approx(0.5)
    assert _gather(pixels=replace(SKY, flat=0.8)).sky == 0


@pytest.mark.parametrize(
    ("pixels", "light"),
    [
        (replace(PLAIN, brightness=0.1), "dark"),
        (replace(PLAIN, dark=0.9), "dark"),
        (replace(PLAIN, flat=0.9), None),
        (replace(PLAIN, brightness=0.25), "artificial_dim"),
        (replace(PLAIN, brightness=0.25, contrast=0.3), "artificial_bright"),
    ],
)
def test_light_is_told_by_brightness_and_contrast(pixels: PixelFacts, light: str | None) -> None:
    assert lighting(_gather(pixels=pixels), "indoor") == light


def test_light_has_a_source_only_where_the_side_is_known() -> None:
    evidence = _gather()
    assert [lighting(evidence, where) for where in ("indoor", "outdoor", None)] == [
        "artificial_bright",
        "natural_bright",
        "bright",
    ]


@pytest.mark.parametrize(
    ("pixels", "time"),
    [
        (replace(PLAIN, brightness=0.1), "night"),
        (replace(PLAIN, dark=0.7), "night"),
        (replace(PLAIN, dark=0.7, sky=0.2), "daytime"),
        (replace(PLAIN, brightness=0.4, warm_sky=0.2), "dusk"),
        (replace(PLAIN, brightness=0.4, warm_sky=0.2, blue_sky=0.3), "daytime"),
        (replace(PLAIN, brightness=0.26, blue_sky=0.4), "dusk"),
        (replace(PLAIN, brightness=0.2), None),
    ],
)
def test_the_time_outdoors_is_told_by_light_and_sky(pixels: PixelFacts, time: str | None) -> None:
    assert time_of_day(_gather(pixels=pixels), "outdoor") == time


@pytest.mark.parametrize(
    ("pixels", "found"),
    [
        (replace(SKY, blue_sky=0.4), "sunny"),
        (replace(SKY, blue_sky=0.4, brightness=0.2), None),
        (SKY, "cloudy"),
        (replace(SKY, warm_sky=0.3), None),
        (replace(PLAIN, sky=0.05), None),
    ],
)
def test_the_weather_is_told_by_the_sky(pixels: PixelFacts, found: str | None) -> None:
    assert weather(_gather(pixels=pixels), "outdoor") == found


def test_snow_and_umbrellas_tell_the_weather_without_any_sky() -> None:
    winter = _gather(_found("skis"), pixels=replace(PLAIN, white_ground=0.6))
    assert weather(winter, "outdoor") == "snowy"
    umbrella = _gather(_found("umbrella"))
    assert weather(umbrella, "outdoor") == "rainy"
    sunshade = _gather(_found("umbrella"), pixels=replace(SKY, blue_sky=0.4))
    assert weather(sunshade, "outdoor") == "sunny"


def test_a_black_picture_has_no_side_and_a_place_needs_its_side() -> None:
    kitchen = (_found("oven"), _found("sink"), _found("refrigerator"))
    assert side(_gather(*kitchen)) == "indoor"
    assert side(_gather(*kitchen, pixels=replace(PLAIN, brightness=0.02))) is None
    assert place(_gather(*kitchen), None) is None
    assert place(_gather(*kitchen), "indoor") == "indoor_kitchen"


def test_vectors_of_another_model_say_nothing_about_places(tmp_path: Path) -> None:
    cache = ModelCache(tmp_path)
    assert vector_places(ModelShelf(cache, chosen={"image_text": "clip-onnx"})) is None
    assert vector_places(ModelShelf(cache)) is not None
