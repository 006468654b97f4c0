"""Entities keep their ids for good, whoever registers at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.store.videos import add, make_file
from vidence.errors import UnknownName
from vidence.schema.entities import Entity
from vidence.store.sqlite import SqliteStore


def _video(store: SqliteStore, path: Path) -> str:
    return add(store, make_file(path, path.name.encode())).video.video_id


def _entity(video_id: str, entity_id: str, description: str = "the dog") -> Entity:
    return Entity(
        entity_id=entity_id,
        video_id=video_id,
        description=description,
        category="dog",
        timestamp=1.0,
        bbox=(0.1, 0.2, 0.3, 0.4),
        confidence=0.9,
        signature="dog:brown",
    )


def test_ids_count_within_a_video_and_outlive_the_process(home: Path, tmp_path: Path) -> None:
    with SqliteStore.open(home) as store:
        first, second = _video(store, tmp_path / "a"), _video(store, tmp_path / "b")
        ids = [store.entities.add(first, lambda i: _entity(first, i)).entity_id for _ in range(3)]
        assert ids == ["ent_001", "ent_002", "ent_003"]
        assert store.entities.add(second, lambda i: _entity(second, i)).entity_id == "ent_001"
    with SqliteStore.open(home) as store:
        assert [one.entity_id for one in store.entities.all(first)] == ids
        assert store.entities.get(first, "ent_002") == _entity(first, "ent_002")


def test_many_at_once_get_different_ids(home: Path, tmp_path: Path) -> None:
    with SqliteStore.open(home) as store:
        video = _video(store, tmp_path / "a")
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: store.entities.add(video, lambda i: _entity(video, i)), range(40)))
        assert len({one.entity_id for one in made}) == 40


def test_an_unknown_id_names_the_near_ones(home: Path, tmp_path: Path) -> None:
    with SqliteStore.open(home) as store:
        video = _video(store, tmp_path / "a")
        with pytest.raises(UnknownName, match="Register one with register_entity"):
            store.entities.get(video, "ent_001")
        store.entities.add(video, lambda i: _entity(video, i))
        with pytest.raises(UnknownName, match=r"Did you mean 'ent_001'.*the dog"):
            store.entities.get(video, "ent_1")


def test_entities_go_with_their_video(home: Path, tmp_path: Path) -> None:
    with SqliteStore.open(home) as store:
        video = _video(store, tmp_path / "a")
        store.entities.add(video, lambda i: _entity(video, i))
        store.catalogue.remove(video)
        assert store.entities.all(video) == []
