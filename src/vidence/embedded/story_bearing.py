"""Whether the passages that a search found bear on a question, or the story does not tell.

A small linear model over words: how many of the question's words stand in one line, which of them the story
never has, names above all. The weights were fitted on half of the stories of two public sets, against
questions about other stories (`training/story/bearing.py`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise

from vidence.embedded.story_lines import story_lines_of
from vidence.knowledge.graph.rank import names_in
from vidence.language.tables import read_table
from vidence.language.tokens import query_terms, terms

__all__ = ["BEARING_FEATURES", "bearing", "bearing_features"]

BEARING_FEATURES = ("answerable", "absent", "absent_names", "line", "two_lines")
_LEAST, _MOST = 0.01, 0.99


def bearing(question: str, passages: Sequence[str], absent: Collection[str], answerable: float) -> float:
    """Return the probability that a question is about the story whose passages were found.

    Args:
        question: the question, in the language of the story.
        passages: the texts found.
        absent: terms of the question that stand nowhere in the story.
        answerable: the search's own probability that one of the passages answers.
    """
    weights = _weights()
    values = bearing_features(question, passages, absent, answerable)
    total = weights["bias"] + sum(
        weights[name] * value for name, value in zip(BEARING_FEATURES, values, strict=True)
    )
    return 1 / (1 + math.exp(-total))


def bearing_features(
    question: str, passages: Sequence[str], absent: Collection[str], answerable: float
) -> list[float]:
    """Return the features, in the order of `BEARING_FEATURES`."""
    asked = set(query_terms(question))
    size = max(1, len(asked))
    # The first word has a capital, name or not.
    names = {term for name in names_in(question[1:]) for term in name.split()}
    lines = [set(terms(line)) for passage in passages for line in story_lines_of(passage)]
    one = max((len(asked & line) for line in lines), default=0) / size
    two = max((len(asked & (line | after)) for line, after in pairwise(lines)), default=0) / size
    chance = min(max(answerable, _LEAST), _MOST)
    return [
        math.log(chance / (1 - chance)),
        len(asked & set(absent)) / size,
        len(names & set(absent)) / max(1, len(names)),
        one,
        max(one, two),
    ]


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    return {name: float(value) for name, value in read_table("story_bearing.tsv", "embedded")}
