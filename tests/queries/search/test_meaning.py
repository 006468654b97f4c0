"""How well phrases fit pictures, by image–text models that say nothing of their scale."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tests.queries.made import Films
from vidence.app import open_workspace
from vidence.language.question.search import read_search
from vidence.models.shelf import ModelShelf
from vidence.queries.search.material import Hit
from vidence.queries.search.meaning import Phrases, match_probability, pictures_like, texts_like
from vidence.schema.perception import FloatArray, Rgb
from vidence.store import VectorRow

DIM = 64


class Words:
    """An encoder whose phrases all lie at `usual` from a picture, give or take, but for one that fits."""

    def __init__(self, usual: float) -> None:
        self.model_id, self.dim = f"words:{usual}", DIM
        self._usual = usual

    def encode_images(self, images: Sequence[Rgb]) -> FloatArray:
        return np.tile(np.eye(1, DIM, dtype=np.float32), (len(images), 1))

    def encode_texts(self, texts: Sequence[str]) -> FloatArray:
        random = np.random.default_rng(5)
        along = [self._usual + (0.12 if text == "fits" else random.normal(0, 0.03)) for text in texts]
        rows = np.zeros((len(texts), DIM), np.float32)
        rows[:, 0] = along
        rows[:, 1] = np.sqrt(1 - np.square(along))
        return rows


@pytest.mark.parametrize("usual", [0.2, 0.0, -0.1])
@pytest.mark.parametrize("is_chinese", [False, True])
def test_what_fits_is_told_from_the_usual_wherever_that_lies(usual: float, is_chinese: bool) -> None:
    encoder = Words(usual)
    pictures = encoder.encode_images([np.zeros((4, 4, 3), np.uint8)] * 3)

    def probability(phrase: str) -> float:
        return float(
            match_probability(encoder, encoder.encode_texts([phrase]), pictures, is_chinese=is_chinese)[0]
        )

    assert probability("fits") > 0.6
    assert probability("does not") < 0.3


SENTENCES = {
    "speech: The cat is sleeping on the sofa.": "spoken",
    "speech: 股票市场今天大幅下跌。": "spoken",
    "text: Fresh bread and cakes": "screen",
    "caption: A train arrives at the station.": "captions",
    "seen: a train": "captions",
    "chapter: A cat asleep on a sofa.": None,
}
"""What each embedded sentence is evidence of; a label of another kind is none."""


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> ModelShelf:
    with open_workspace(home=tmp_path_factory.mktemp("meaning")) as workspace:
        return workspace.indexer.shelf


def _hits(films: Films, shelf: ModelShelf, asked: str) -> list[Hit]:
    vectors = shelf.text.embed([label.partition(": ")[2] for label in SENTENCES])
    rows = [
        VectorRow(2.0 * n, 2.0 * n + 1, label, vector)
        for n, (label, vector) in enumerate(zip(SENTENCES, vectors, strict=True))
    ]
    material = films.add(duration_s=20.0, vectors={"text_vectors": rows})
    return list(texts_like(Phrases(read_search(asked), shelf, pictures=False), material))


@pytest.mark.parametrize(
    ("asked", "start", "source"),
    [
        ("a kitten asleep on a couch", 0.0, "spoken"),
        ("猫在沙发上睡觉", 0.0, "spoken"),
        ("stock prices fell sharply", 2.0, "spoken"),
        ("火车到站", 6.0, "captions"),
        ("新鲜的面包和蛋糕", 4.0, "screen"),
    ],
)
def test_a_sentence_is_found_by_its_meaning_in_either_language(
    films: Films, shelf: ModelShelf, asked: str, start: float, source: str
) -> None:
    best = max(_hits(films, shelf, asked), key=lambda hit: hit.score)
    assert (best.start_s, best.end_s, best.source) == (start, start + 1, source)
    assert 0.05 <= best.score <= 1


def test_a_label_of_unknown_kind_is_no_evidence(films: Films, shelf: ModelShelf) -> None:
    starts = {hit.start_s for hit in _hits(films, shelf, "a cat asleep on a sofa")}
    assert 0.0 in starts
    assert 10.0 not in starts


def test_without_embeddings_no_model_is_asked(films: Films, shelf: ModelShelf) -> None:
    phrases, material = Phrases(read_search("a cat"), shelf, pictures=False), films.add()
    assert list(texts_like(phrases, material)) == []
    assert list(pictures_like(phrases, material)) == []
