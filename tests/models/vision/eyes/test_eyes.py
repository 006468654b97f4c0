"""Eyes: answers to questions about real photographs, in both languages, and weights that must be ours."""

from __future__ import annotations

import re

import numpy as np
import pytest

from vidence.errors import BackendError, UserError
from vidence.language.categories import categories
from vidence.models.cache import ModelCache
from vidence.models.catalogue import open_model
from vidence.models.manifest import load_manifest
from vidence.models.vision.eyes import EyesAnswerer
from vidence.models.vision.eyes.features import (
    BOXES,
    REGIONS,
    box_means,
    box_rows,
    named_categories,
    region_means,
    resampled,
)
from vidence.models.vision.eyes.weights import SHA256, load_weights, parse_weights
from vidence.queries.visual import answer_words
from vidence.schema.perception import Box, Detection, Rgb


@pytest.fixture(scope="module")
def eyes(model_cache: ModelCache) -> EyesAnswerer:
    found: EyesAnswerer = open_model("visual_answers", model_cache)
    return found


@pytest.mark.parametrize("question", ["What animal is this?", "这是什么动物？"])
def test_a_cat_is_a_cat_in_both_languages(eyes: EyesAnswerer, cat: Rgb, question: str) -> None:
    [answers] = eyes.answer([cat], question)
    assert answers[0].text == "cat"
    assert answers[0].probability > 0.2


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Is there a cat?", {"yes", "no"}),
        ("这里有猫吗？", {"yes", "no"}),
        ("How many cats are there?", {str(n) for n in range(20)}),
        ("有几只猫？", {str(n) for n in range(20)}),
    ],
)
def test_the_answer_is_of_the_kind_asked_for(
    eyes: EyesAnswerer, cat: Rgb, question: str, answers: set[str]
) -> None:
    [found] = eyes.answer([cat], question)
    assert found[0].text in answers


def test_a_picture_gets_the_same_answer_alone_and_among_others(
    eyes: EyesAnswerer, cat: Rgb, noise: Rgb
) -> None:
    together = eyes.answer([noise, cat, noise], "What animal is this?")[1]
    [alone] = eyes.answer([cat], "What animal is this?")
    assert [one.text for one in together] == [one.text for one in alone]
    np.testing.assert_allclose(
        [one.probability for one in together], [one.probability for one in alone], atol=1e-4
    )


def test_an_empty_question_is_refused(eyes: EyesAnswerer, noise: Rgb) -> None:
    with pytest.raises(UserError, match="question is empty"):
        eyes.answer([noise], "  ")


def test_a_box_is_the_mean_of_the_cells_it_covers() -> None:
    cells = np.arange(81, dtype=np.float32).reshape(1, 81, 1)
    found = [Detection("cat", 0.9, Box(0, 0, 1, 1)), Detection("dog", 0.5, Box(1 / 9, 0, 2 / 9, 1 / 9))]
    rows = box_rows(found, {"cat": 0, "dog": 1})
    assert rows.shape == (BOXES, 6)
    assert list(rows[:3, 0]) == [0, 1, -1]
    means = box_means(cells, rows[None])[0, :2, 0]
    np.testing.assert_allclose(means, [40, 1.5])


def test_a_grid_of_another_size_keeps_its_mean_and_its_sides() -> None:
    grid = np.zeros((1, 10, 10, 1), np.float32)
    grid[:, :, 5:] = 1
    cells = resampled(grid).reshape(9, 9)
    assert cells.mean() == pytest.approx(0.5)
    np.testing.assert_allclose(cells[0], [0, 0, 0, 0, 0.5, 1, 1, 1, 1], atol=1e-6)


def test_regions_are_windows_then_boxes() -> None:
    head = np.zeros((1, 9, 9, 2), np.float32)
    head[0, :3, :3] = 1
    boxes = np.zeros((1, BOXES, 6), np.float32)
    boxes[0, 0] = (0, 0.9, 0, 0, 1, 1)
    means = region_means(head, boxes)[0, :, 0]
    assert len(means) == REGIONS + BOXES
    assert means[0] == pytest.approx(1)
    assert means[REGIONS] == pytest.approx(1 / 9)
    assert means.min() >= 0


@pytest.mark.parametrize("question", ["How many dogs are there?", "图中有几只狗？"])
def test_a_question_names_categories_in_both_languages(question: str) -> None:
    names = [one.name for one in categories().values()]
    assert [names[k] for k in np.flatnonzero(named_categories(question))] == ["dog"]


def test_a_picture_is_looked_at_once_for_several_questions(
    eyes: EyesAnswerer, cat: Rgb, monkeypatch: pytest.MonkeyPatch
) -> None:
    [before] = eyes.answer([cat], "Is there a dog?")
    monkeypatch.setattr(eyes, "_labeller", None)
    monkeypatch.setattr(eyes, "_detector", None)
    assert eyes.answer([cat], "Is there a dog?") == [before]
    assert eyes.answer([cat.copy()], "What animal is this?")[0][0].text == "cat"


def test_every_answer_has_a_chinese_form_or_is_left_out_knowingly() -> None:
    unknown = [text for text in load_weights().answers if answer_words(text, "zh") is None]
    assert len(unknown) <= 10
    for text in load_weights().answers:
        words = answer_words(text, "zh")
        assert words is None or not re.search(r"[a-z]{4}", words)


def test_the_shipped_weights_are_those_of_the_manifest() -> None:
    file = load_manifest("eyes").file("weights")
    assert file.sha256 == SHA256
    assert file.size_bytes < 15_000_000


def test_weights_that_are_no_weights_are_refused() -> None:
    with pytest.raises(BackendError, match="cannot be read"):
        parse_weights(b"not an archive")


@pytest.mark.parametrize(
    ("question", "choices"),
    [("Is this a cat or a dog?", ["cat", "dog"]), ("这是猫还是狗？", ["猫", "狗"])],
)
def test_a_question_that_offers_choices_is_answered_with_one(
    eyes: EyesAnswerer, cat: Rgb, question: str, choices: list[str]
) -> None:
    (found,) = eyes.answer([cat], question)
    assert found[0].text == choices[0]
    assert {one.text for one in found} == set(choices)
    assert sum(one.probability for one in found) == pytest.approx(1.0)
