"""Changes over time: what appears, disappears, is absent or most numerous, and cuts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.queries.made import Films, frame, objects, thing
from vidence.language.question.search import read_search
from vidence.queries.search.changes import changes_seen
from vidence.queries.search.material import Hit, Material


def _counted(films: Films, counts: Sequence[int], *, cuts: Sequence[float] = ()) -> Material:
    """Return a video with so many dogs in each of its seconds."""
    seen = [objects(float(start), *[thing("dog")] * count) for start, count in enumerate(counts)]
    return films.add({"objects": seen}, duration_s=float(len(counts)), cuts=cuts)


def _spans(hits: Sequence[Hit], least: float = 0.0) -> list[tuple[float, float]]:
    return [(round(hit.start_s, 3), round(hit.end_s, 3)) for hit in hits if hit.score >= least]


def _changes(asked: str, material: Material, least: float = 0.0) -> list[tuple[float, float]]:
    return _spans(list(changes_seen(read_search(asked), material)), least)


@pytest.mark.parametrize("asked", ["a dog appears", "the dog enters", "一只狗进入画面"])
def test_an_appearance_lies_in_the_step_before_the_first_sight(films: Films, asked: str) -> None:
    assert _changes(asked, _counted(films, [0, 0, 0, 1, 1, 1])) == [(2, 3)]


@pytest.mark.parametrize("asked", ["the dog leaves", "the dog disappears", "狗离开了"])
def test_a_disappearance_lies_in_the_step_after_the_last_sight(films: Films, asked: str) -> None:
    assert _changes(asked, _counted(films, [1, 1, 1, 0, 0, 0])) == [(2, 3)]


def test_what_is_there_from_the_start_may_have_appeared_then(films: Films) -> None:
    [hit] = changes_seen(read_search("a dog appears"), _counted(films, [1, 1, 1, 1]))
    assert (hit.start_s, hit.end_s) == (0, 1)
    assert hit.score < 0.5


def test_a_flicker_of_the_detector_is_a_weaker_change(films: Films) -> None:
    material = _counted(films, [0, 0, 0, 1, 0, 0, 0, 1, 1, 1])
    assert _changes("a dog appears", material) == [(2, 3), (6, 7)]
    assert _changes("a dog appears", material, 0.8) == [(6, 7)]


def test_one_more_of_several_is_an_appearance_too(films: Films) -> None:
    assert _changes("a dog appears", _counted(films, [1, 1, 1, 2, 2, 2]), 0.8) == [(2, 3)]


@pytest.mark.parametrize("asked", ["two dogs appear", "两只狗出现"])
def test_fewer_than_asked_for_is_a_weaker_change(films: Films, asked: str) -> None:
    one, two = _counted(films, [0, 0, 0, 1, 1, 1]), _counted(films, [0, 0, 0, 2, 2, 2])
    [weak], [strong] = (list(changes_seen(read_search(asked), material)) for material in (one, two))
    assert weak.score < 0.6 < strong.score


def test_a_change_at_a_cut_begins_with_the_new_shot(films: Films) -> None:
    assert _changes("a dog appears", _counted(films, [0, 0, 0, 1, 1, 1], cuts=(2.6,))) == [(2.6, 3.5)]


def test_a_thing_that_is_never_seen_does_not_change(films: Films) -> None:
    for asked in ("a cat appears", "the cat leaves", "no cat: it is out of the picture", "the most cats"):
        assert _changes(asked, _counted(films, [0, 1, 0])) == []


def test_a_query_about_no_change_finds_none(films: Films) -> None:
    assert _changes("a dog", _counted(films, [0, 1, 0])) == []
    assert _changes("something appears", _counted(films, [0, 1, 0])) == []


@pytest.mark.parametrize("asked", ["the dog is out of the picture", "狗不在画面里"])
def test_absence_is_the_time_of_the_frames_without_it(films: Films, asked: str) -> None:
    assert _changes(asked, _counted(films, [1, 0, 0, 1])) == [(0.5, 1.5), (1.5, 2.5)]


@pytest.mark.parametrize("asked", ["the most dogs", "最多的狗"])
def test_the_most_is_every_frame_with_the_highest_number(films: Films, asked: str) -> None:
    assert _changes(asked, _counted(films, [1, 3, 0, 3, 2])) == [(0.5, 1.5), (2.5, 3.5)]


@pytest.mark.parametrize("asked", ["the fewest dogs", "最少的狗"])
def test_the_fewest_is_at_least_one(films: Films, asked: str) -> None:
    assert _changes(asked, _counted(films, [2, 1, 0, 3])) == [(0.5, 1.5)]


def test_only_things_that_fit_the_description_are_counted(films: Films) -> None:
    seen = [
        objects(0, thing("dog", color="white")),
        objects(1, thing("dog", color="white"), thing("dog", color="black")),
        objects(2, thing("dog", color="white"), thing("dog", color="black")),
    ]
    material = films.add({"objects": seen}, duration_s=3.0)
    assert _changes("a black dog appears", material, 0.8) == [(0, 1)]
    assert _changes("a white dog appears", material, 0.8) == []


@pytest.mark.parametrize("asked", ["a hard cut", "镜头切换"])
def test_every_cut_is_found_with_a_little_time_around_it(films: Films, asked: str) -> None:
    assert _changes(asked, films.add(cuts=(3.0, 7.0))) == [(2.85, 3.15), (6.85, 7.15)]


def test_a_video_of_one_shot_has_no_cut(films: Films) -> None:
    assert _changes("a hard cut", films.add()) == []


@pytest.mark.parametrize("asked", ["a cut to black", "切换到黑色画面"])
def test_a_cut_to_black_is_one_after_which_it_is_dark(films: Films, asked: str) -> None:
    frames = [frame(0, 3), frame(3, 7, brightness=0.5), frame(7, 10, brightness=0.02)]
    assert _changes(asked, films.add({"frames": frames}, cuts=(3.0, 7.0)), 0.8) == [(6.85, 7.15)]
