from __future__ import annotations

import numpy as np
import pytest

from vidence.models.vision.attributes import clothing_colours, describe, object_colours, posture, size_class
from vidence.models.vision.colours import balance_white, colour_shares
from vidence.models.vision.movenet import KEYPOINTS
from vidence.schema.perception import BodyPose, Box, Detection, Keypoint, Rgb

PAINTS = {
    "red": (200, 30, 40),
    "orange": (240, 120, 20),
    "yellow": (240, 210, 40),
    "green": (40, 140, 60),
    "blue": (40, 80, 180),
    "purple": (120, 40, 150),
    "pink": (250, 150, 180),
    "brown": (110, 70, 40),
    "black": (15, 15, 17),
    "grey": (120, 120, 122),
    "white": (245, 245, 240),
}


def flat(colour: tuple[int, int, int], height: int = 60, width: int = 60) -> Rgb:
    return np.full((height, width, 3), colour, np.uint8)


@pytest.mark.parametrize("name", PAINTS)
def test_paint_is_called_by_its_name(name: str) -> None:
    assert colour_shares(flat(PAINTS[name]))[0].name == name


@pytest.mark.parametrize("name", ["red", "green", "blue", "yellow", "purple", "orange"])
@pytest.mark.parametrize("light", [0.6, 0.8, 1.0])
def test_shade_does_not_change_a_vivid_name(name: str, light: float) -> None:
    rng = np.random.default_rng(3)
    shaded = flat(PAINTS[name]).astype(float) * light + rng.normal(0, 6, (60, 60, 3))
    found = colour_shares(np.clip(shaded, 0, 255).astype(np.uint8))[0].name
    # In deep shade orange is brown and yellow olive, to eyes as well.
    assert found == name or (light < 0.8 and name in ("orange", "yellow"))


def test_a_colour_cast_is_taken_out() -> None:
    scene = np.concatenate([flat((235, 235, 235)), flat((120, 120, 120)), flat(PAINTS["blue"])])
    warm = np.clip(scene * np.array([1.1, 1.0, 0.8]), 0, 255).astype(np.uint8)
    assert colour_shares(balance_white(warm)[:60])[0].name == "white"


def test_a_close_up_of_something_coloured_is_no_cast() -> None:
    cup = flat((190, 50, 30), 100, 100)
    cup[20:40] = (70, 14, 6)
    cup[:12] = (244, 226, 209)
    assert [share.name for share in colour_shares(balance_white(cup)[12:])] == ["red"]
    sunset = flat((252, 180, 90))
    assert np.array_equal(balance_white(sunset), sunset)


@pytest.mark.parametrize(
    ("colour", "expected"),
    [
        ((0, 3, 91), "blue"),
        ((5, 4, 170), "blue"),
        ((6, 82, 255), "blue"),
        ((50, 59, 74), "blue"),
        ((33, 45, 61), "blue"),
        ((89, 101, 109), "grey"),
        ((54, 55, 55), "black"),
        ((95, 95, 96), "grey"),
        ((124, 64, 66), "red"),
        ((77, 13, 5), "red"),
        ((109, 86, 90), "brown"),
        ((101, 55, 0), "brown"),
        ((238, 212, 145), "yellow"),
        ((211, 182, 131), "brown"),
        ((160, 191, 22), "green"),
        ((153, 0, 250), "purple"),
    ],
)
def test_neighbouring_colours_part_where_people_part_them(
    colour: tuple[int, int, int], expected: str
) -> None:
    assert colour_shares(flat(colour))[0].name == expected


def test_weights_choose_the_pixels_that_count() -> None:
    region = np.concatenate([flat(PAINTS["red"]), flat(PAINTS["blue"])])
    weights = np.zeros((120, 60), np.float32)
    assert colour_shares(region, weights) == []
    weights[60:] = 1
    assert [share.name for share in colour_shares(region, weights)] == ["blue"]


def person_scene() -> Rgb:
    """A grey street with a person in a red top and blue trousers."""
    image = flat((110, 112, 110), 200, 200)
    image[50:110, 80:120] = PAINTS["red"]
    image[110:160, 80:120] = PAINTS["blue"]
    image[30:50, 90:110] = (224, 172, 140)
    return image


def body(**joints: tuple[float, float]) -> BodyPose:
    points = [
        Keypoint(name, *joints[key], 0.9)
        if (key := name.split("_")[-1]) in joints
        else Keypoint(name, 0, 0, 0.0)
        for name in KEYPOINTS
    ]
    return BodyPose(tuple(points))


PERSON = Detection("person", 0.9, Box(0.38, 0.13, 0.24, 0.82))
STANDING = body(shoulder=(0.5, 0.27), hip=(0.5, 0.54), knee=(0.5, 0.78))


def portrait(**joints: tuple[float, float]) -> BodyPose:
    """A pose of which only the named joints are seen."""
    return BodyPose(
        tuple(
            Keypoint(name, *joints.get(name, (0.0, 0.0)), 0.9 if name in joints else 0.0)
            for name in KEYPOINTS
        )
    )


def close_up(shirt: tuple[int, int, int], *, from_row: int) -> Rgb:
    """A pale face above a shirt that begins at a row of a hundred."""
    image = flat((224, 172, 145), 100, 160)
    image[from_row:] = shirt
    return image


def test_a_close_up_is_dressed_in_what_is_below_the_shoulders_not_in_its_face() -> None:
    image = close_up(PAINTS["blue"], from_row=55)
    pose = portrait(nose=(0.5, 0.3), left_shoulder=(0.7, 0.6), right_shoulder=(0.3, 0.6))
    upper, lower = clothing_colours(image, Box(0.1, 0.0, 0.8, 1.0), pose=pose)
    assert [share.name for share in upper] == ["blue"]
    assert lower == []


def test_of_a_face_alone_no_clothes_are_told() -> None:
    image = close_up(PAINTS["blue"], from_row=97)
    pose = portrait(nose=(0.5, 0.4), left_shoulder=(0.9, 0.95), right_shoulder=(0.1, 0.95))
    assert clothing_colours(image, Box(0.0, 0.0, 1.0, 1.0), pose=pose) == ([], [])


def test_clothes_are_told_apart_with_and_without_joints() -> None:
    for pose in (STANDING, None):
        upper, lower = clothing_colours(person_scene(), PERSON.box, pose=pose)
        assert upper[0].name == "red"
        assert lower[0].name == "blue"


def test_trousers_behind_a_desk_are_not_guessed() -> None:
    _, lower = clothing_colours(person_scene(), PERSON.box, pose=body(shoulder=(0.5, 0.27), hip=(0.5, 0.54)))
    assert lower == []


def test_a_person_is_described() -> None:
    told = describe(person_scene(), PERSON, pose=STANDING)
    assert told == {
        "size": "large",
        "clothing_color": "red",
        "lower_clothing_color": "blue",
        "posture": "standing",
    }


def test_a_thing_is_not_the_colour_of_its_background() -> None:
    image = flat((235, 235, 232), 100, 100)
    image[30:70, 42:58] = PAINTS["green"]
    assert object_colours(image, Box(0.3, 0.25, 0.4, 0.5))[0].name == "green"
    assert describe(image, Detection("bottle", 0.8, Box(0.3, 0.25, 0.4, 0.5)))["color"].startswith("green")


def test_what_shows_between_the_legs_is_no_second_colour() -> None:
    meadow = flat(PAINTS["green"], 100, 100)
    meadow[36:52, 28:72] = PAINTS["black"]
    meadow[52:70, 30:36] = meadow[52:70, 64:70] = PAINTS["black"]
    assert [share.name for share in object_colours(meadow, Box(0.27, 0.28, 0.46, 0.44))] == ["black"]
    meadow[36:52, 28:50] = PAINTS["white"]
    names = [share.name for share in object_colours(meadow, Box(0.27, 0.28, 0.46, 0.44))]
    assert sorted(names) == ["black", "white"]


def test_a_thing_on_something_of_its_own_colour_keeps_it() -> None:
    saucer = flat(PAINTS["red"], 100, 100)
    saucer[45:62, 30:70] = PAINTS["brown"]
    assert object_colours(saucer, Box(0.2, 0.2, 0.6, 0.6))[0].name == "red"


def test_jeans_are_blue_though_their_folds_are_black() -> None:
    image = flat((240, 240, 240), 200, 100)
    image[:, 30:70] = (14, 14, 18)
    image[:, 30:47] = (52, 66, 98)
    _, lower = clothing_colours(image, Box(0.2, 0.0, 0.6, 1.0))
    assert [share.name for share in lower] == ["blue", "black"]


def test_a_thing_like_its_background_still_has_a_colour() -> None:
    assert object_colours(flat(PAINTS["white"], 80, 80), Box(0.2, 0.2, 0.5, 0.5))[0].name == "white"


@pytest.mark.parametrize(
    ("pose", "expected"),
    [
        (STANDING, "standing"),
        (body(shoulder=(0.5, 0.3), hip=(0.5, 0.55), knee=(0.6, 0.6)), "sitting"),
        (body(shoulder=(0.2, 0.7), hip=(0.5, 0.72), knee=(0.7, 0.72)), "lying"),
        (body(shoulder=(0.3, 0.4), hip=(0.5, 0.45), knee=(0.5, 0.7)), "bending"),
        (body(shoulder=(0.5, 0.3)), None),
        (body(shoulder=(0.5, 0.3), hip=(0.5, 0.6)), None),
    ],
)
def test_posture_follows_the_joints(pose: BodyPose, expected: str | None) -> None:
    assert posture(pose, aspect=1.0) == expected


def test_knees_that_are_guessed_seat_nobody() -> None:
    seated = body(shoulder=(0.5, 0.3), hip=(0.5, 0.55), knee=(0.6, 0.6))
    guessed = BodyPose(
        tuple(
            Keypoint(one.name, one.x, one.y, 0.38 if one.name.endswith("knee") else one.score)
            for one in seated.keypoints
        )
    )
    assert posture(seated, aspect=1.0) == "sitting"
    assert posture(guessed, aspect=1.0) is None


def test_sizes() -> None:
    assert size_class(Box(0, 0, 0.1, 0.1)) == "small"
    assert size_class(Box(0, 0, 0.3, 0.3)) == "medium"
    assert size_class(Box(0, 0, 0.5, 0.5)) == "large"
