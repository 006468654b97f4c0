"""A search over the vectors and the words of the whole library."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.store.videos import add, make_file
from vidence.schema.observations import Caption
from vidence.store import VectorRow
from vidence.store.sqlite import SqliteStore


def _index(store: SqliteStore, video_id: str, vectors: list[list[float]]) -> None:
    store.stages.begin(video_id, "lens_vectors", "toy@1")
    rows = [VectorRow(n, n + 1, "frame", np.array(v, np.float32)) for n, v in enumerate(vectors)]
    store.vectors.append(video_id, "lens_vectors", rows)
    store.stages.finish(video_id, "lens_vectors")


def test_the_video_with_the_nearest_vector_comes_first(store: SqliteStore, tmp_path: Path) -> None:
    one = add(store, make_file(tmp_path / "one.mp4", b"1")).video.video_id
    two = add(store, make_file(tmp_path / "two.mp4", b"2")).video.video_id
    _index(store, one, [[1, 0], [0.5, 0.5]])
    query = np.array([0, 1], np.float32)
    assert store.vectors.best_videos("lens_vectors", query, depth=5) == [one]
    _index(store, two, [[0, 1]])
    assert store.vectors.best_videos("lens_vectors", query, depth=5) == [two, one]
    assert len(list((store.db.path.parent / "vectors").iterdir())) == 1
    store.catalogue.remove(two)
    assert store.vectors.best_videos("lens_vectors", query, depth=5) == [one]


def test_vectors_of_another_length_are_passed_over(store: SqliteStore, tmp_path: Path) -> None:
    one = add(store, make_file(tmp_path / "one.mp4", b"1")).video.video_id
    _index(store, one, [[1, 0]])
    assert store.vectors.best_videos("lens_vectors", np.ones(3, np.float32), depth=5) == []


def test_words_are_found_as_they_stand(store: SqliteStore, tmp_path: Path) -> None:
    one = add(store, make_file(tmp_path / "one.mp4", b"1")).video.video_id
    caption = Caption(start_time=0, end_time=1, segment_id="seg_001", en="100% wool", zh="羊毛", confidence=1)
    store.observations.append(one, "captions", [caption])
    assert store.observations.videos_naming("100%", ["captions"], limit=5) == [one]
    assert store.observations.videos_naming("羊毛", ["captions"], limit=5) == [one]
    assert store.observations.videos_naming("1_0", ["captions"], limit=5) == []
    assert store.observations.videos_naming("wool", ["ocr"], limit=5) == []
