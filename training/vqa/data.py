"""The questions: answers as the VQA score compares them, soft targets, and the split by photograph."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "PARTS",
    "TYPES",
    "accuracy",
    "load_questions",
    "normalise_answer",
    "split",
    "vocabulary",
    "votes",
]

TYPES = ("yes/no", "number", "other")
PARTS = ("train", "val", "cal", "test")
_SIZES = {"test": 3000, "val": 1500, "cal": 1500}
_SEED = 41
_ARTICLES = frozenset({"a", "an", "the"})
_WORDS = ["none", "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_NUMBERS = {word: str(max(0, k - 1)) for k, word in enumerate(_WORDS) if word != "none"}
_MARKS = re.compile(r"[^\w\s:'/-]")


def normalise_answer(text: str) -> str:
    """Return an answer as the VQA score compares it: lower case, digits, no articles and marks."""
    words = _MARKS.sub(" ", text.lower().replace(",", "")).split()
    kept = [_NUMBERS.get(word, word) for word in words if word not in _ARTICLES]
    return " ".join(kept) or text.lower().strip()


def load_questions(shared: Path) -> list[dict[str, Any]]:
    """Return the questions, their answers normalised."""
    with gzip.open(shared / "vqa" / "questions.json.gz", "rt", encoding="utf-8") as file:
        questions: list[dict[str, Any]] = json.load(file)
    for one in questions:
        one["answers"] = [normalise_answer(answer) for answer in one["answers"]]
    return questions


def split(ids: NDArray[np.int64], captioned: set[int]) -> dict[str, NDArray[np.int64]]:
    """Return the numbers of the photographs of each part; a captioned one is only trained on.

    Lens has seen the captioned photographs, so on them its vectors are better than on new ones.
    """
    order = np.random.default_rng(_SEED).permutation(len(ids))
    held = [int(k) for k in order if int(ids[k]) not in captioned]
    parts, start = {}, 0
    for name, size in _SIZES.items():
        parts[name] = np.array(held[start : start + size])
        start += size
    taken = set(held[:start])
    parts["train"] = np.array([int(k) for k in order if int(k) not in taken])
    return parts


def vocabulary(questions: list[dict[str, Any]], least: int) -> list[str]:
    """Return the answers that at least `least` questions have as a right one, the commonest first."""
    counts: Counter[str] = Counter()
    for one in questions:
        counts.update(answer for answer, n in Counter(one["answers"]).items() if n >= 3)
    return [answer for answer, n in counts.most_common() if n >= least]


def votes(answers: list[str], index: dict[str, int]) -> dict[int, int]:
    """Return how many people gave each known answer; the VQA accuracy is a third of it, at most 1."""
    return {index[a]: n for a, n in Counter(answers).items() if a in index}


def accuracy(votes: NDArray[np.int8]) -> NDArray[np.float32]:
    """Return the VQA accuracy of answers by how many of ten people gave them: three make one right."""
    return np.minimum(votes.astype(np.float32) / 3, 1)
