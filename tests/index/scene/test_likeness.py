"""Lens says which place a frame looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from vidence.index.scene.likeness import SEEMS, feature_places
from vidence.language.tables import read_table
from vidence.media import open_video
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.shelf import ModelShelf
from vidence.settings import load_settings


def test_every_place_captioned_is_one_the_rules_know() -> None:
    known = {row[0] for row in read_table("places.tsv")} | {"indoor", "outdoor"}
    assert {row[0] for row in read_table("scene_words.tsv")} <= known


def test_a_frame_seems_to_be_somewhere(sample: Path) -> None:
    shelf = ModelShelf(ModelCache(load_settings().model_home))
    with open_video(sample) as reader:
        image = next(reader.at([13.0])).rgb(max_side=960)
    try:
        found = feature_places(shelf, shelf.labeller.label([image])[0].feature)
    except MissingModel as exc:
        pytest.skip(str(exc))
    # A cup of coffee on a table.
    assert found[SEEMS + "indoor"] > 0.8
    assert sum(found[SEEMS + name] for name in ("indoor", "outdoor")) == pytest.approx(1.0)
