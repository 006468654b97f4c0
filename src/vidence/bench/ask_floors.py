"""What simpler ways would have chosen on the same questions: an engine is worth what it adds to them."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np

from vidence.bench.ask_sets import ChoiceItem
from vidence.embedded.choice.captions import Embed, content_words, gather
from vidence.embedded.choice.features import bm25
from vidence.embedded.choice.score import score_options

__all__ = ["FLOORS", "floors_of"]

FLOORS = ("random", "longest", "bm25", "question-blind", "video-blind")


def floors_of(item: ChoiceItem, embed: Embed) -> Mapping[str, bool]:
    """Return, by floor, whether it chooses rightly."""
    chosen = {
        "random": random.Random(item.item_id).randrange(len(item.options)),
        "longest": max(range(len(item.options)), key=lambda index: len(item.options[index])),
        "bm25": _by_words(item, embed),
        "question-blind": score_options("", item.options, item.video.units, embed).best,
        "video-blind": _by_question(item, embed),
    }
    return {name: choice == item.answer for name, choice in chosen.items()}


def _by_words(item: ChoiceItem, embed: Embed) -> int:
    """Choose the option whose words have the best BM25, averaged over the captions."""
    evidence = gather(item.video.units, embed)
    if evidence is None:
        return 0
    return int(np.argmax([bm25(content_words(option), evidence).mean() for option in item.options]))


def _by_question(item: ChoiceItem, embed: Embed) -> int:
    """Choose the option that means most nearly what the question says, without any caption."""
    vectors = np.asarray(embed([item.question, *item.options]), np.float32)
    return int((vectors[1:] @ vectors[0]).argmax())
