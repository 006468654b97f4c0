"""Places, light, time and weather from known evidence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vidence.index.scene.pixels import PixelFacts, read_pixels
from vidence.index.scene.place import SceneEvidence, lighting, place, side, time_of_day, weather
from vidence.schema.perception import Box, Detection, Rgb

PLAIN = PixelFacts(0.5, 0.05, 0.2, 0.2, 0, 0, 0, 0, 0, 0, 0, 0)


def _evidence(*names: str, pixels: PixelFacts = PLAIN, **labels: float) -> SceneEvidence:
    objects = [Detection(name, 0.8, Box(0.1, 0.1, 0.3, 0.3)) for name in names]
    return SceneEvidence.gather(objects, {k.replace("_", " "): v for k, v in labels.items()}, pixels)


def _landscape(sky: tuple[int, int, int], ground: tuple[int, int, int]) -> Rgb:
    image = np.zeros((180, 320, 3), np.uint8)
    image[:90], image[90:] = sky, ground
    noise = np.random.default_rng(1).integers(-25, 25, (90, 320, 3))
    image[90:] = np.clip(image[90:].astype(int) + noise, 0, 255).astype(np.uint8)
    return image


@pytest.mark.parametrize(
    ("names", "where"),
    [
        (("oven", "refrigerator", "sink"), "indoor_kitchen"),
        (("laptop", "keyboard", "mouse"), "indoor_office"),
        (("person", "person", "laptop", "dining table"), "indoor_meeting_room"),
        (("couch", "tv"), "indoor_living_room"),
        (("car", "traffic light", "person"), "outdoor_street"),
        (("surfboard", "person"), "outdoor_beach"),
    ],
)
def test_things_tell_the_place(names: tuple[str, ...], where: str) -> None:
    evidence = _evidence(*names)
    assert place(evidence, side(evidence)) == where


def test_nothing_to_go_by_is_not_known() -> None:
    for evidence in (_evidence(), _evidence("person"), _evidence("bottle")):
        assert side(evidence) is None
        assert place(evidence, None) is None
        assert time_of_day(evidence, None) is None
        assert weather(evidence, None) is None
    assert place(_evidence("couch", "bed", "tv", "oven"), "outdoor") == "outdoor"


def test_a_meadow_under_a_blue_sky() -> None:
    pixels = read_pixels(_landscape((90, 150, 230), (70, 130, 40)))
    evidence = _evidence("horse", pixels=pixels)
    where = side(evidence)
    assert where == "outdoor"
    assert place(evidence, where) == "outdoor_field"
    assert time_of_day(evidence, where) == "daytime"
    assert weather(evidence, where) == "sunny"
    assert lighting(evidence, where) == "natural_bright"


def test_a_grey_sky_is_cloudy() -> None:
    evidence = _evidence("car", pixels=read_pixels(_landscape((200, 202, 205), (90, 90, 90))))
    assert weather(evidence, side(evidence)) == "cloudy"


def test_indoors_there_is_no_weather() -> None:
    evidence = _evidence("oven", "sink")
    assert weather(evidence, "indoor") is None
    assert time_of_day(evidence, "indoor") is None
    assert lighting(evidence, "indoor") == "artificial_bright"


def test_darkness() -> None:
    night = replace(PLAIN, brightness=0.06, dark=0.85)
    evidence = _evidence("car", "traffic light", pixels=night)
    assert lighting(evidence, "outdoor") == "dark"
    assert time_of_day(evidence, "outdoor") == "night"
    assert weather(evidence, "outdoor") is None
    assert side(_evidence("car", pixels=replace(PLAIN, brightness=0.01, dark=1.0))) is None


def test_a_texture_is_no_bedroom() -> None:
    bed = Detection("bed", 0.6, Box(0, 0.02, 1, 0.97))
    assert side(SceneEvidence.gather([bed], {}, PLAIN)) is None
    assert side(SceneEvidence.gather([replace(bed, box=Box(0, 0.3, 0.9, 0.7))], {}, PLAIN)) == "indoor"


def test_a_slide_or_a_plain_screen_shows_no_place() -> None:
    slide = np.full((180, 320, 3), 250, np.uint8)
    slide[60:70, 40:200:8] = 20
    looks = {"seems_outdoor": 1.0, "seems_outdoor_field": 0.9}
    for image in (slide, np.full((180, 320, 3), (220, 20, 20), np.uint8)):
        evidence = SceneEvidence.gather([], {}, read_pixels(image), place_scores=looks)
        assert side(evidence) is None
        assert lighting(evidence, None) is None
    filmed = read_pixels(_landscape((120, 170, 235), (70, 140, 50)))
    assert side(SceneEvidence.gather([], {}, filmed, place_scores=looks)) == "outdoor"


def test_faint_guesses_make_no_room() -> None:
    faint = SceneEvidence.gather(
        [], {"washbasin": 0.2, "soap dispenser": 0.2}, PLAIN, place_scores={"seems_indoor": 1}
    )
    assert place(faint, side(faint)) == "indoor"
    plain = SceneEvidence.gather([], {"washbasin": 0.5}, PLAIN, place_scores={"seems_indoor": 1})
    assert place(plain, side(plain)) == "indoor_bathroom"


def test_what_the_frame_looks_like_decides_where_nothing_else_speaks() -> None:
    bare = SceneEvidence.gather([], {}, PLAIN)
    inside = SceneEvidence.gather(
        [], {}, PLAIN, place_scores={"seems_indoor": 0.9, "seems_indoor_studio": 0.85}
    )
    assert side(bare) is None
    assert side(inside) == "indoor"
    assert place(inside, "indoor") == "indoor_studio"
    assert (
        side(SceneEvidence.gather([], {}, PLAIN, place_scores={"seems_indoor": 0.6, "seems_outdoor": 0.4}))
        is None
    )


def test_a_look_does_not_outvote_plain_things() -> None:
    objects = [Detection(name, 0.9, Box(0.1, 0.1, 0.3, 0.3)) for name in ("car", "traffic light", "bus")]
    assert side(SceneEvidence.gather(objects, {}, PLAIN, place_scores={"seems_indoor": 1.0})) == "outdoor"
