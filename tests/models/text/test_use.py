"""The sentence encoder: one space for Chinese and English, whatever the text."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from vidence.errors import BackendError
from vidence.models.cache import MissingModel, ModelCache
from vidence.models.context import ModelContext
from vidence.models.protocols import TextEmbedder
from vidence.models.text.use import PieceTable, UseEmbedder, build

PAIRS = [
    ("a dog runs on the grass", "一只狗在草地上奔跑"),
    ("a person wearing red clothes is walking", "穿红衣服的人在走路"),
    ("the stock market crashed", "股市崩盘了"),
    ("pour coffee into a cup", "把咖啡倒进杯子里"),
    ("two men are talking in a meeting room", "两个男人在会议室里谈话"),
]


@pytest.fixture(scope="module")
def embedder(model_cache: ModelCache) -> UseEmbedder:
    try:
        return build(ModelContext(model_cache))
    except MissingModel as exc:
        pytest.skip(str(exc))


def test_it_is_a_text_embedder(embedder: UseEmbedder) -> None:
    assert isinstance(embedder, TextEmbedder)
    assert embedder.embed([]).shape == (0, 512)


def test_vectors_are_unit_float32(embedder: UseEmbedder) -> None:
    found = embedder.embed(["a cat", "", "   ", "😀", "第" * 300])
    assert found.shape == (5, 512)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)


def test_each_sentence_finds_its_translation(embedder: UseEmbedder) -> None:
    english = embedder.embed([pair[0] for pair in PAIRS])
    chinese = embedder.embed([pair[1] for pair in PAIRS])
    likeness = english @ chinese.T
    assert likeness.argmax(axis=0).tolist() == likeness.argmax(axis=1).tolist() == list(range(len(PAIRS)))
    assert np.diag(likeness).min() > 0.5
    assert (likeness - 2 * np.eye(len(PAIRS))).max() < 0.5


def test_a_long_text_is_the_same_in_slices_and_in_company(embedder: UseEmbedder) -> None:
    long = "the quick brown fox jumps over the lazy dog and then " * 500
    alone = embedder.embed([long])
    among = embedder.embed(["short", long, "一句话"])
    assert np.allclose(alone[0], among[1], atol=1e-4)
    assert np.array_equal(alone, embedder.embed([long]))


def test_threads_get_the_same_vectors(embedder: UseEmbedder) -> None:
    texts = [pair[i] for pair in PAIRS for i in (0, 1)]
    wanted = embedder.embed(texts)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(embedder.embed, [texts] * 8):
            assert np.allclose(found, wanted, atol=1e-6)


def test_damaged_files_are_refused_by_name(tmp_path: Path) -> None:
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"not an archive")
    vocabulary = tmp_path / "sp.model"
    vocabulary.write_bytes(b"\x0a\xff\xff")
    with pytest.raises(BackendError, match=r"sp\.model"):
        UseEmbedder(broken, PieceTable(broken, vocabulary)).embed(["x"])


def test_an_unpacked_table_gives_the_same_vectors(model_cache: ModelCache, embedder: UseEmbedder) -> None:
    weights, vocabulary = (model_cache.path(UseEmbedder.model_id, role) for role in ("weights", "vocabulary"))
    packed = UseEmbedder(weights, PieceTable(weights, vocabulary))
    texts = [text for pair in PAIRS for text in pair]
    np.testing.assert_array_equal(packed.embed(texts), embedder.embed(texts))
