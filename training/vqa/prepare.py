"""Turn questions and answers into arrays for training; runs in the project's own environment, without torch.

PYTHONPATH=src:. python -m training.vqa.prepare --shared ../shared --work WORK
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.vqa.data import PARTS, TYPES, load_questions, split, vocabulary, votes
from vidence.language.categories import categories
from vidence.models.cache import ModelCache
from vidence.models.context import ModelContext
from vidence.models.text import use
from vidence.models.text.use import UseEmbedder, open_pieces
from vidence.models.vision.eyes.features import named_categories
from vidence.models.vision.lens import LensEncoder
from vidence.settings import load_settings

LEAST = 3
LOUD = 20
"""As in the network: vectors of 512 numbers with about variance 1 each."""
LONGEST = 24


class Texts:
    """The three views of a text that the model gets: pieces, sentence vector, lens vector."""

    def __init__(self) -> None:
        context = ModelContext(ModelCache(load_settings().model_home))
        self.pieces = open_pieces(context)
        self._use: UseEmbedder = use.build(context)
        self._lens = LensEncoder(self.pieces)

    def ids(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """Return (N, LONGEST) piece numbers, 0 where a text has ended."""
        rows = np.zeros((len(texts), LONGEST), np.int32)
        for row, ids in zip(rows, self.pieces.ids(list(texts), limit=LONGEST), strict=True):
            row[: len(ids)] = ids
        return rows

    def sentence(self, texts: Sequence[str]) -> NDArray[np.float16]:
        """Return (N, 512) vectors of the sentence encoder."""
        return _batched(self._use.embed, texts)

    def named(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Return (N, 80): the detector's categories that a text names."""
        return np.stack([named_categories(text) for text in texts]) > 0

    def lens(self, texts: Sequence[str]) -> NDArray[np.float16]:
        """Return (N, 512) vectors of lens."""
        return _batched(self._lens.encode_texts, texts)


def is_sided(question: dict[str, Any]) -> bool:
    """Tell whether a mirrored picture might change the answer."""
    text = " ".join([question["question"], *question["answers"]])
    return re.search(r"\b(left|right)\b", text, re.IGNORECASE) is not None


def _batched(embed, texts: Sequence[str]) -> NDArray[np.float16]:
    unique = list(dict.fromkeys(texts))
    found = np.concatenate([embed(unique[k : k + 512]) for k in range(0, len(unique), 512)]).astype(
        np.float16
    )
    place = {text: k for k, text in enumerate(unique)}
    return found[[place[text] for text in texts]]


def main() -> None:
    """Write `texts.npz`, `targets.npz`, `categories.npy` and `answers.json`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    args = parser.parse_args()
    questions = load_questions(args.shared)
    with np.load(args.shared / "vqa" / "images_index.npz") as index:
        ids = index["ids"]
    with gzip.open(args.shared / "vqa" / "captions.json.gz", "rt") as file:
        captioned = {int(key) for key in json.load(file)}
    parts = split(ids, captioned)
    part_of = np.zeros(len(ids), np.int8)
    for number, name in enumerate(PARTS):
        part_of[parts[name]] = number
    place = {int(one): k for k, one in enumerate(ids)}
    image = np.array([place[one["image"]] for one in questions])
    trained = [one for one, k in zip(questions, image, strict=True) if part_of[k] == 0]
    answers = vocabulary(trained, LEAST)
    (args.work / "answers.json").write_text(json.dumps(answers))
    index_of = {answer: k for k, answer in enumerate(answers)}
    targets = [votes(one["answers"], index_of) for one in questions]
    flat = [(row, k, count) for row, found in enumerate(targets) for k, count in found.items()]
    texts = Texts()
    if not (args.work / "texts.npz").exists():
        asked = [one["question"] for one in questions]
        np.savez(
            args.work / "texts.npz",
            ids=texts.ids(asked),
            sentence=texts.sentence(asked),
            lens=texts.lens(asked),
            named=texts.named(asked),
        )
    np.savez(
        args.work / "targets.npz",
        image=image,
        part=part_of[image],
        type=np.array([TYPES.index(one["answer_type"]) for one in questions]),
        rows=np.array([row for row, _, _ in flat]),
        answers=np.array([k for _, k, _ in flat]),
        votes=np.array([count for _, _, count in flat], np.int8),
        answer_sentence=texts.sentence(answers),
        answer_lens=texts.lens(answers),
    )
    np.save(args.work / "sided.npy", np.array([is_sided(one) for one in questions]))
    names = [category.name for category in categories().values()]
    np.save(args.work / "categories.npy", texts.lens(names) * np.float16(LOUD))
    ceiling = np.mean([min(1, max(found.values(), default=0) / 3) for found in targets])
    print(len(answers), "answers; best possible accuracy", round(float(ceiling), 4))


if __name__ == "__main__":
    main()
