"""The sentence that says why two spans are similar names only what was measured in both."""

from __future__ import annotations

import pytest

from tests.queries.made import Films, Rows, actions, frame, labels, motion, objects, span, text, thing
from vidence.queries.search.explain import explain
from vidence.queries.search.grid import Grid
from vidence.queries.search.similar import Likeness
from vidence.schema.observations import NormalBox, Observation

FIRST, SECOND = span(0, 5), span(5, 10)
WHOLE: NormalBox = (0.0, 0.0, 0.9, 0.9)
TINY: NormalBox = (0.4, 0.4, 0.1, 0.1)


def _why(films: Films, rows: Rows, likeness: Likeness) -> str:
    return explain(Grid(films.add(rows, cuts=(5.0,))), FIRST, SECOND, likeness)


def _both(first: Observation, second: Observation) -> list[Observation]:
    return [first, second]


@pytest.mark.parametrize(
    ("likeness", "words"),
    [
        ("semantic", "nothing was named in both"),
        ("visual", "no colour or thing stands out in both"),
        ("motion", "move by similar amounts"),
    ],
)
def test_where_nothing_is_shared_the_sentence_says_so(films: Films, likeness: Likeness, words: str) -> None:
    rows: Rows = {
        "motion": _both(motion(0, 5, dx=0.2, activity=0.03), motion(5, 10, dx=-0.2, activity=0.03)),
        "frames": _both(frame(0, 5), frame(5, 10)),
    }
    said = _why(films, rows, likeness)
    assert words in said
    assert said[0].isupper()


def test_things_seen_in_both_are_named_with_an_article(films: Films) -> None:
    rows: Rows = {
        "objects": _both(
            objects(0, thing("dog"), thing("umbrella"), thing("car"), length=5.0),
            objects(5, thing("umbrella"), thing("dog"), thing("bicycle"), length=5.0),
        )
    }
    said = _why(films, rows, "semantic")
    assert said.startswith("Both show a dog and an umbrella")
    assert "car" not in said
    assert "bicycle" not in said


def test_at_most_three_things_are_named(films: Films) -> None:
    many = [thing(name) for name in ("apple", "bottle", "cup", "dog", "fork")]
    rows = {"objects": _both(objects(0, *many, length=5.0), objects(5, *many, length=5.0))}
    assert _why(films, rows, "semantic").startswith("Both show an apple, a bottle and a cup")


def test_a_thing_seen_too_briefly_is_not_named(films: Films) -> None:
    rows = {"objects": [objects(0, thing("dog")), objects(1), objects(5, thing("dog")), objects(6)]}
    assert "dog" not in _why(films, rows, "semantic")


@pytest.mark.parametrize(("box", "words"), [(WHOLE, "close-ups"), (TINY, "wide views")])
def test_the_size_of_the_largest_thing_tells_the_framing(films: Films, box: NormalBox, words: str) -> None:
    rows: Rows = {
        "objects": _both(
            objects(0, thing("dog", bbox=box), length=5.0), objects(5, thing("cat", bbox=box), length=5.0)
        )
    }
    assert f"Both are {words}" in _why(films, rows, "semantic")


def test_framings_that_differ_are_not_mentioned(films: Films) -> None:
    rows: Rows = {
        "objects": _both(
            objects(0, thing("dog", bbox=WHOLE), length=5.0), objects(5, thing("dog", bbox=TINY), length=5.0)
        )
    }
    said = _why(films, rows, "semantic")
    assert "close-ups" not in said
    assert "wide views" not in said


def test_an_action_is_what_both_look_like(films: Films) -> None:
    rows = {"actions": _both(actions(0, 5, juggling_balls=0.9), actions(5, 10, juggling_balls=0.7))}
    assert _why(films, rows, "semantic").startswith("Both look like juggling balls")


def test_a_kind_of_picture_is_what_both_look_like(films: Films) -> None:
    rows = {"labels": _both(labels(0, 5, espresso=0.8), labels(5, 10, espresso=0.8))}
    assert _why(films, rows, "semantic").startswith("Both look like ")


def test_text_in_both_is_quoted_in_its_own_script(films: Films) -> None:
    rows = {"ocr": _both(text(0, 4, "出口", "EXIT 1"), text(6, 9, "出口", "EXIT 2"))}
    said = _why(films, rows, "semantic")
    assert "Both show the text '出口'" in said
    assert "EXIT" not in said


@pytest.mark.parametrize(("brightness", "word"), [(0.1, "dark"), (0.9, "bright")])
def test_colours_and_light_explain_the_looks(films: Films, brightness: float, word: str) -> None:
    rows: Rows = {
        "frames": _both(
            frame(0, 5, brightness=brightness, red=0.5, blue=0.3, green=0.1),
            frame(5, 10, brightness=brightness, red=0.3, blue=0.25, green=0.6),
        )
    }
    assert _why(films, rows, "visual") == f"Both are largely blue and red; both are {word}"


def test_a_middling_light_is_not_mentioned(films: Films) -> None:
    rows = {"frames": _both(frame(0, 5, red=0.5), frame(5, 10, red=0.5))}
    assert _why(films, rows, "visual") == "Both are largely red"


@pytest.mark.parametrize(
    ("move", "words"),
    [
        ({"dx": 0.1}, "In both the camera pans right"),
        ({"dx": -0.1, "dy": 0.05}, "In both the camera pans left"),
        ({"dy": 0.1}, "In both the camera tilts down"),
        ({"dy": -0.1}, "In both the camera tilts up"),
        ({"zoom": 0.1, "dx": 0.04}, "In both the camera zooms in"),
        ({"zoom": -0.1}, "In both the camera zooms out"),
        ({"dx": 0.02, "zoom": 0.01}, "The camera is still in both"),
    ],
)
def test_the_strongest_move_of_the_camera_is_named(films: Films, move: dict[str, float], words: str) -> None:
    rows = {"motion": [motion(0, 10, activity=0.03, **move)]}
    assert _why(films, rows, "motion") == words


@pytest.mark.parametrize(
    ("activity", "words"), [(0.2, "much moves in both"), (0.0, "hardly anything moves in either")]
)
def test_how_much_moves_is_said_after_the_camera(films: Films, activity: float, words: str) -> None:
    said = _why(films, {"motion": [motion(0, 10, activity=activity)]}, "motion")
    assert said == f"The camera is still in both; {words}"


def test_a_sentence_has_at_most_three_parts(films: Films) -> None:
    both = [thing("dog", bbox=WHOLE)]
    rows: Rows = {
        "objects": _both(objects(0, *both, length=5.0), objects(5, *both, length=5.0)),
        "actions": _both(actions(0, 5, juggling_balls=0.9), actions(5, 10, juggling_balls=0.9)),
        "ocr": [text(0, 10, "EXIT")],
        "motion": [motion(0, 10)],
    }
    assert _why(films, rows, "semantic") == (
        "Both show a dog; both look like juggling balls; both are close-ups"
    )
