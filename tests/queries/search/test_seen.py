"""Evidence from what models named in frames: labels, objects with attributes, actions."""

from __future__ import annotations

import pytest

from tests.queries.made import Films, actions, labels, objects, thing
from vidence.language.objects import parse_query
from vidence.language.question.search import read_search
from vidence.queries.search.material import Material
from vidence.queries.search.seen import actions_seen, attribute_fit, labels_seen, objects_seen
from vidence.schema.observations import NormalBox, SeenObject

LEFT: NormalBox = (0.05, 0.1, 0.2, 0.3)
RIGHT: NormalBox = (0.7, 0.6, 0.2, 0.3)


def _fit(asked: str, one: SeenObject, *others: SeenObject) -> float:
    return attribute_fit(parse_query(asked), one, [one, *others])


@pytest.mark.parametrize("asked", ["dog", "a dog", "狗", "一只狗"])
def test_a_thing_fits_by_its_category_in_either_language(asked: str) -> None:
    assert _fit(asked, thing("dog")) == 1.0
    assert _fit(asked, thing("cat")) == 0.0


def test_a_query_that_names_no_category_fits_nothing() -> None:
    assert _fit("happiness", thing("dog")) == 0.0


@pytest.mark.parametrize("asked", ["red car", "红色的汽车"])
def test_a_colour_fits_fully_nearly_or_hardly(asked: str) -> None:
    fits = [_fit(asked, thing("car", color=colour)) for colour in ("red", "white and red", "green")]
    assert fits == [1.0, 1.0, 0.25]
    assert _fit(asked, thing("car")) == 0.25, "an unmeasured colour is no evidence"


def test_a_kindred_colour_fits_in_part() -> None:
    assert _fit("a pink car", thing("car", color="purple")) == 0.6


def test_two_colours_must_both_be_there() -> None:
    car = thing("car", color="red and white")
    assert _fit("red and white car", car) == 1.0
    assert _fit("red and green car", car) == 0.25


@pytest.mark.parametrize(
    ("asked", "fit"),
    [
        ("person in a red shirt", 1.0),
        ("person in a blue shirt", 0.25),
        ("person in blue trousers", 1.0),
        ("穿红衣服的人", 1.0),
        ("穿蓝裤子的人", 1.0),
        ("穿红裤子的人", 0.25),
    ],
)
def test_clothes_are_told_apart_above_and_below_the_waist(asked: str, fit: float) -> None:
    assert _fit(asked, thing("person", clothing_color="red", lower_clothing_color="blue")) == fit


@pytest.mark.parametrize("asked", ["sitting person", "坐着的人"])
def test_a_posture_that_was_not_seen_is_possible_and_another_is_not_likely(asked: str) -> None:
    assert _fit(asked, thing("person", posture="sitting")) == 1.0
    assert _fit(asked, thing("person")) == 0.6
    assert _fit(asked, thing("person", posture="standing")) == 0.25


@pytest.mark.parametrize(
    ("asked", "box"),
    [("dog on the left", LEFT), ("左边的狗", LEFT), ("dog on the right", RIGHT), ("右边的狗", RIGHT)],
)
def test_the_side_of_the_picture_counts(asked: str, box: NormalBox) -> None:
    other = RIGHT if box == LEFT else LEFT
    assert _fit(asked, thing("dog", bbox=box)) == 1.0
    assert _fit(asked, thing("dog", bbox=other)) == 0.4


def test_a_companion_must_be_in_the_frame_and_of_its_colour() -> None:
    person = thing("person")
    assert _fit("person with a dog", person, thing("dog")) == 1.0
    assert _fit("person with a dog", person, thing("cat")) == 0.35
    assert _fit("person with a black dog", person, thing("dog", color="black")) == 1.0
    assert _fit("person with a black dog", person, thing("dog", color="white")) == 0.25


def test_what_is_denied_lowers_the_fit() -> None:
    assert _fit("person not in red", thing("person", clothing_color="red")) == 0.25
    assert _fit("person not in red", thing("person", clothing_color="green")) == 0.75


def _material(films: Films, *rows: tuple[SeenObject, ...]) -> Material:
    seen = [objects(float(start), *things) for start, things in enumerate(rows)]
    return films.add({"objects": seen}, duration_s=float(len(rows)))


def test_the_best_fitting_thing_of_a_frame_is_its_score(films: Films) -> None:
    material = _material(films, (thing("dog", confidence=0.5), thing("dog", confidence=0.8)), ())
    [hit] = objects_seen(read_search("a dog"), material)
    assert (hit.score, hit.source) == (0.8, "objects")


def test_a_doubtful_detection_is_no_evidence(films: Films) -> None:
    assert list(objects_seen(read_search("a dog"), _material(films, (thing("dog", confidence=0.34),)))) == []


@pytest.mark.parametrize("asked", ["two dogs", "两只狗"])
def test_the_least_sure_of_as_many_as_asked_for_decides(films: Films, asked: str) -> None:
    pair = (thing("dog", confidence=0.9), thing("dog", confidence=0.6))
    [hit] = objects_seen(read_search(asked), _material(films, (thing("dog"),), pair, ()))
    assert hit.score == pytest.approx(0.6, rel=0.3)
    assert hit.start_s == 0.5


@pytest.mark.parametrize(
    ("asked", "source"), [("a red car", "described"), ("红色的汽车", "described"), ("a car", "objects")]
)
def test_a_described_thing_is_evidence_of_its_own_kind(films: Films, asked: str, source: str) -> None:
    [hit] = objects_seen(read_search(asked), _material(films, (thing("car", color="red"),)))
    assert hit.source == source


def test_words_that_cannot_be_checked_weaken_the_evidence(films: Films) -> None:
    material = _material(films, (thing("dog"),))
    [plain], [unsure] = (list(objects_seen(read_search(q), material)) for q in ("a dog", "a friendly dog"))
    assert 0 < unsure.score < plain.score


@pytest.mark.parametrize("asked", ["espresso", "浓缩咖啡"])
def test_a_label_is_found_by_its_names_in_either_language(films: Films, asked: str) -> None:
    material = films.add({"labels": [labels(0, 5, espresso=0.6), labels(5, 10, volcano=0.9)]})
    hits = list(labels_seen(read_search(asked), material))
    best = max(hits, key=lambda hit: hit.score)
    assert (best.start_s, best.source) == (0.0, "labels")
    assert best.score > 0.4


def test_the_surest_fitting_label_of_a_frame_counts(films: Films) -> None:
    material = films.add({"labels": [labels(0, 10, espresso=0.2, volcano=0.7)]})
    weak, strong = (next(labels_seen(read_search(q), material)).score for q in ("espresso", "volcano"))
    assert (weak, strong) == pytest.approx((0.5, 1.0))


def test_words_besides_the_label_make_it_count_less(films: Films) -> None:
    material = films.add({"labels": [labels(0, 10, volcano=0.7)]})
    alone, beside = (
        next(labels_seen(read_search(q), material)).score for q in ("volcano", "volcano bicycle ladder")
    )
    assert beside < alone


@pytest.mark.parametrize(
    ("asked", "found"), [("someone juggling balls", True), ("杂耍球", True), ("someone swimming", False)]
)
def test_an_action_is_found_by_its_name_in_either_language(films: Films, asked: str, found: bool) -> None:
    material = films.add({"actions": [actions(2, 4, juggling_balls=0.9, archery=0.05)]})
    hits = list(actions_seen(read_search(asked), material))
    assert [(hit.start_s, hit.end_s, hit.source) for hit in hits] == ([(2, 4, "actions")] if found else [])


def test_an_improbable_action_is_no_evidence(films: Films) -> None:
    assert (
        list(actions_seen(read_search("archery"), films.add({"actions": [actions(0, 2, archery=0.02)]})))
        == []
    )
