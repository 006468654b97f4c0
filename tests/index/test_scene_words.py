"""Lens says which place a frame looks like."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vidence.index.scene_words import SEEMS, seems
from vidence.index.tables import read_table
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.shelf import ModelShelf
from vidence.schema.perception import Rgb


@pytest.fixture(scope="module")
def shelf(model_cache: ModelCache) -> ModelShelf:
    found = ModelShelf(model_cache)
    try:
        _ = found.image_text
    except MissingModel as exc:
        pytest.skip(str(exc))
    return found


def test_every_place_captioned_is_one_the_rules_know() -> None:
    known = {row[0] for row in read_table("places.tsv")} | {"indoor", "outdoor"}
    assert {row[0] for row in read_table("scene_words.tsv")} <= known


@pytest.mark.parametrize(("photo", "where"), [("horses-2904536_1280.jpg", "outdoor")])
def test_a_photograph_seems_to_be_where_it_is(
    shelf: ModelShelf, shared_media: Path, read_rgb: Callable[[Path], Rgb], photo: str, where: str
) -> None:
    image = read_rgb(shared_media / "images" / photo)
    found = seems(shelf, shelf.labeller.label([image])[0].feature)
    assert found[SEEMS + where] > 0.8
    assert sum(found[SEEMS + name] for name in ("indoor", "outdoor")) == pytest.approx(1.0)
