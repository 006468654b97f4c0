"""Which words of a query the user's own detectors have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.models import tiny
from vidence.language.objects import parse_query
from vidence.models.cache import ModelCache
from vidence.models.shelf import ModelShelf
from vidence.queries.objects.open_names import open_words, own_category, own_names

ANCHORS = np.array([[[32], [32], [32], [16], [0.9], [0.1]]], np.float32)


def shelf(folder: Path, capability: str, model: str, path: Path) -> ModelShelf:
    return ModelShelf(
        ModelCache(folder), chosen={capability: model}, options={capability: {"path": str(path)}}
    )


def test_a_category_of_the_users_detector_can_be_asked_for(tmp_path: Path) -> None:
    path = tiny.yolo(tmp_path / "y.onnx", anchors=ANCHORS, names="{0: 'Forklift', 1: 'person'}")
    own = shelf(tmp_path, "objects", "yolo-onnx", path)
    assert own_names(own) == ["Forklift", "person"]
    assert own_category("a forklift", own) == frozenset({"Forklift"})
    assert own_category("forklift or crane", own) is None
    assert own_category("forklift", ModelShelf(ModelCache(tmp_path))) is None


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("a red balloon", "red balloon"),
        ("Red balloon", "red balloon"),
        ("人", "person"),
        ("person", "person"),
        ("person wearing red", None),
        ("unicorn", None),
    ],
)
def test_only_words_of_the_export_go_to_a_fixed_vocabulary(
    tmp_path: Path, query: str, words: str | None
) -> None:
    path = tiny.yolo(tmp_path / "w.onnx", anchors=ANCHORS, names="{0: 'red balloon', 1: 'person'}")
    own = shelf(tmp_path, "open_objects", "yolo-world-onnx", path)
    assert open_words(parse_query(query), own) == words


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("a unicorn on the left", "a unicorn on the left"),
        ("穿红衣服的人", "person wearing red"),
        ("左边的狗", None),
        ("麒麟", None),
    ],
)
def test_a_detector_of_english_is_asked_in_english(tmp_path: Path, query: str, words: str | None) -> None:
    own = shelf(tmp_path, "open_objects", "grounding-dino-onnx", tiny.grounding(tmp_path / "g"))
    assert open_words(parse_query(query), own) == words


def test_without_an_open_detector_there_are_no_words(tmp_path: Path) -> None:
    assert open_words(parse_query("dog"), ModelShelf(ModelCache(tmp_path))) is None
