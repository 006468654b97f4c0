"""Which lines of the passages found answer a question, and whether they bear on it at all.

Two small linear models. The first scores lines by words, meaning and cues; a line is a sentence of prose or
what one person says in a script. The second says whether the story tells it: how many of the question's words
stand in one line, which of them the story never has, names above all. The weights were fitted on half of the
stories of two public sets (`training/story/answers.py`), the second's against questions about other stories
(`training/story/bearing.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vidence.embedded.recipes.recipe import Embed
from vidence.knowledge.chapters import sentence_spans
from vidence.knowledge.graph.rank import names_in
from vidence.language.tables import named_patterns, read_table
from vidence.language.tokens import query_terms, terms

__all__ = [
    "BEARING_FEATURES",
    "FEATURES",
    "bearing",
    "bearing_features",
    "line_features",
    "score_lines",
    "story_lines_of",
]

_SPOKEN = re.compile(r"^[^\n:：,，.。;；?？!！“”\"「]{1,40}[:：]\s*[^\s“\"「]")
"""A speaker and a colon; what opens with a quotation mark is prose."""
_KINDS = ("who", "when", "where", "why", "feel", "number", "say")
FEATURES = (
    "words",
    "meaning",
    "words_around",
    "after_question",
    "rank",
    "length",
    "new_words",
    "is_question",
    "names",
    *(f"{kind}_cue" for kind in _KINDS),
)
Rows = NDArray[np.float32]  # (lines, features)


def story_lines_of(text: str) -> list[str]:
    """Return the lines of a passage: what each says in a script, else its sentences."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) > 1 and 2 * sum(bool(_SPOKEN.match(line)) for line in lines) > len(lines):
        return lines
    return [text[start:end] for start, end in sentence_spans(text)]


def score_lines(question: str, passages: Sequence[Sequence[str]], embed: Embed) -> list[float]:
    """Return how likely each line of the passages, the best passage first, answers the question."""
    weights = _weights("story_lines")
    slopes = np.array([weights[name] for name in FEATURES], np.float32)
    totals = line_features(question, passages, embed) @ slopes + weights["bias"]
    return [1 / (1 + math.exp(-float(total))) for total in totals]


def line_features(question: str, passages: Sequence[Sequence[str]], embed: Embed) -> Rows:
    """Return the features of every line, passage by passage."""
    lines = [line for passage in passages for line in passage]
    if not lines:
        return np.zeros((0, len(FEATURES)), np.float32)
    asked = set(query_terms(question))
    owned = [set(terms(line)) for line in lines]
    rarity = {word: 1.0 / (1 + sum(word in own for own in owned)) ** 0.5 for word in asked}
    total = sum(rarity.values()) or 1.0
    words = [sum(rarity[word] for word in asked & own) / total for own in owned]
    vectors = np.asarray(embed([question, *lines]), np.float32)
    meaning = (vectors[1:] @ vectors[0]).tolist()
    kinds = {kind for kind, asks in named_patterns("story_questions.tsv", "asks") if asks.search(question)}
    known = names_in(question)
    rows, at = [], 0
    for rank, passage in enumerate(passages):
        for place, line in enumerate(passage):
            before = words[at - 1] if place > 0 else 0.0
            after = words[at + 1] if place + 1 < len(passage) else 0.0
            asks = place > 0 and passage[place - 1].rstrip(' "”’').endswith(("?", "？"))
            rows.append(
                [
                    words[at],
                    meaning[at],
                    max(before, after),
                    before * asks,
                    1 / (1 + rank),
                    math.log1p(len(owned[at])) / 4,
                    math.log1p(len(owned[at] - asked)) / 4,
                    float(line.rstrip(' "”’').endswith(("?", "？"))),
                    float(bool(names_in(line[1:]) - known)),
                    *(float(kind in kinds and _has_cue(kind, line, known)) for kind in _KINDS),
                ]
            )
            at += 1
    return np.array(rows, np.float32)


def _has_cue(kind: str, line: str, known: set[str]) -> bool:
    if kind == "who":
        return bool(names_in(line) - known)
    return any(cue.search(line) for name, cue in named_patterns("story_questions.tsv", "cue") if name == kind)


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
    weights = _weights("story_bearing")
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


@lru_cache(maxsize=2)
def _weights(model: str) -> dict[str, float]:
    return {name: float(value) for name, value in read_table(f"{model}.tsv", "embedded")}
