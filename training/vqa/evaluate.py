"""Measure the shipped file, in NumPy, on photographs it was not trained or calibrated on.

PYTHONPATH=src:. python -m training.vqa.evaluate --work WORK [--part test]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.vqa.data import PARTS, TYPES, accuracy
from training.vqa.prepare import LONGEST, Texts
from vidence.models.runtime import single_threaded_blas
from vidence.models.vision.eyes.answerer import joint_logits
from vidence.models.vision.eyes.features import BOXES
from vidence.models.vision.eyes.network import AskedText, SeenPictures
from vidence.models.vision.eyes.weights import EyesWeights, answer_chances, load_weights

BINS = 10
TRANSLATED = Path(__file__).parent / "data" / "chinese_test.tsv"


class Questions:
    """The questions whose photograph was extracted, one at a time as the shipped network takes them."""

    def __init__(self, work: Path) -> None:
        self._t = dict(np.load(work / "targets.npz"))
        texts = dict(np.load(work / "texts.npz"))
        self._ids, self._sentence, self._lens, self._named = (
            texts[name] for name in ("ids", "sentence", "lens", "named")
        )
        self._pieces = Texts().pieces
        self._stored = {
            name: np.load(work / f"{name}.npy", mmap_mode="r")
            for name in ("seen_cells", "seen_box_cells", "boxes", "regions", "whole", "lens_images", "seen")
        }
        self._prior = np.load(work / "prior_logits.npy", mmap_mode="r")
        self.image = self._t["image"]
        self.type = self._t["type"]
        self.part = self._t["part"]

    def of(self, part: str) -> NDArray[np.int64]:
        """Return the questions of a part."""
        return np.flatnonzero((self._t["part"] == PARTS.index(part)) & self._stored["seen"][self.image])

    def text(self, row: int) -> AskedText:
        """Return one question as the encoders see it."""
        ids = self._ids[row][self._ids[row] > 0].astype(np.int64)
        return AskedText(
            self._pieces.vectors(ids),
            self._sentence[row].astype(np.float32),
            self._lens[row].astype(np.float32),
            self._named[row].astype(np.float32),
        )

    def seen(self, row: int) -> SeenPictures:
        """Return its photograph as the embedded models see it."""
        image = self.image[row : row + 1]
        get = {name: self._stored[name][image].astype(np.float32) for name in self._stored}
        return SeenPictures(
            get["seen_cells"],
            get["boxes"][:, :BOXES],
            get["seen_box_cells"],
            get["regions"],
            get["whole"],
            get["lens_images"],
        )

    def prior(self, row: int) -> NDArray[np.float32]:
        """Return what the question alone says, as in training."""
        return self._prior[row].astype(np.float32)

    def targets(self, rows: NDArray[np.int64], answers: int) -> NDArray[np.float32]:
        """Return (rows, answers) VQA accuracies."""
        place = np.full(len(self.image), -1)
        place[rows] = np.arange(len(rows))
        wanted = place[self._t["rows"]] >= 0
        out = np.zeros((len(rows), answers), np.float32)
        out[place[self._t["rows"][wanted]], self._t["answers"][wanted]] = accuracy(self._t["votes"][wanted])
        return out


def logits_of(
    weights: EyesWeights, questions: Questions, rows: NDArray[np.int64], texts: list[AskedText] | None = None
) -> NDArray[np.float32]:
    """Return (rows, answers) logits."""
    out = []
    with single_threaded_blas():
        for k, row in enumerate(rows):
            text, seen = texts[k] if texts else questions.text(row), questions.seen(row)
            out.append(joint_logits(weights, text, seen)[0])
    return np.array(out, np.float32)


def report(
    weights: EyesWeights, logits: NDArray[np.float32], targets: NDArray[np.float32], types: NDArray[np.int64]
) -> dict[str, float]:
    """Return accuracy in all and by type, the calibration error, and the accuracy of the surest half."""
    chance = answer_chances(weights, logits)
    best = chance.argmax(1)
    rows = np.arange(len(best))
    right, stated = targets[rows, best], chance[rows, best]
    found = {"n": float(len(best)), "all": float(right.mean())}
    found |= {name: float(right[types == k].mean()) for k, name in enumerate(TYPES)}
    bins = np.minimum((stated * BINS).astype(int), BINS - 1)
    found["ece"] = sum(
        abs(right[bins == b].mean() - stated[bins == b].mean()) * (bins == b).mean() for b in set(bins)
    )
    found["surest half"] = float(right[np.argsort(-stated)[: len(best) // 2]].mean())
    found["surest quarter"] = float(right[np.argsort(-stated)[: len(best) // 4]].mean())
    return {key: round(float(value), 4) for key, value in found.items()}


def main() -> None:
    """Print the figures of one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--part", default="test", choices=PARTS)
    args = parser.parse_args()
    weights, questions = load_weights(), Questions(args.work)
    rows = questions.of(args.part)
    started = time.process_time()
    logits = logits_of(weights, questions, rows)
    spent = time.process_time() - started
    print(report(weights, logits, questions.targets(rows, len(weights.answers)), questions.type[rows]))
    print(f"{1000 * spent / len(rows):.1f} ms of CPU a question and picture")
    if args.part == "test":
        in_chinese(weights, questions)


def in_chinese(weights: EyesWeights, questions: Questions) -> None:
    """Print the figures of the translated questions in both languages."""
    lines = TRANSLATED.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if not line.startswith("#")]
    rows, chinese = np.array([int(row) for row, _ in pairs]), [text for _, text in pairs]
    views = Texts()
    vectors = (one(chinese).astype(np.float32) for one in (views.sentence, views.lens, views.named))
    texts = [
        AskedText(pieces, *whole)
        for pieces, *whole in zip(views.pieces.pieces(chinese, limit=LONGEST), *vectors, strict=True)
    ]
    targets = questions.targets(rows, len(weights.answers))
    for name, given in (("English", None), ("Chinese", texts)):
        logits = logits_of(weights, questions, rows, given)
        print(name, report(weights, logits, targets, questions.type[rows]))


if __name__ == "__main__":
    main()
