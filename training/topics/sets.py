"""The shared sets, each split into the part that is fitted and the part that is reported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vidence.bench.shared import load_set_file
from vidence.bench.topics_sets import is_held_out

__all__ = ["News", "entailment_pairs", "news_rows", "reviews", "support_rows"]

POLARITY = {2: 0, 4: 1, 6: 2}


@dataclass(frozen=True)
class News:
    """A sentence, the span of its target, and the polarity towards it."""

    text: str
    span: tuple[int, int]
    label: int


def reviews(folder: Path) -> list[tuple[str, int]]:
    """Return the Chinese reviews to fit on, with 1 for positive."""
    rows = [row for name in ("hotels", "meals") for row in load_set_file(f"sentiment_zh_{name}", folder)]
    return [(row["review"], int(row["label"])) for row in rows if not is_held_out(row["review"])]


def news_rows(folder: Path, name: str) -> list[News]:
    """Return the sentences of a part of the news set, one for each target."""
    return [
        News(row["sentence_normalized"], (target["from"], target["to"]), POLARITY[int(target["polarity"])])
        for row in load_set_file(name, folder)
        for target in row["targets"]
    ]


def entailment_pairs(folder: Path) -> list[tuple[str, str, str]]:
    """Return premise, claim and relation of the training part."""
    rows = load_set_file("ocnli_train", folder)
    return [(row["sentence1"], row["sentence2"], row["label"]) for row in rows if row["label"] != "-"]


def support_rows(folder: Path) -> list[tuple[str, list[str], int]]:
    """Return claim, evidence and whether it is supported, of the half to fit on."""
    return [
        (row["claim"], row["evidence"], int(row["label"] == "supported"))
        for row in load_set_file("wice", folder)
        if not is_held_out(row["claim"], of=2)
    ]
