"""Taking notes: the sentences of pages that bear on a command, ranked by words, meaning and place."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vidence.intel.passages import page_sentences
from vidence.language.identify import has_han
from vidence.language.tokens import query_terms, terms
from vidence.schema.topics import ReadPage, SelectReply, SelectVariables, TopicNote

__all__ = [
    "Embed",
    "is_personal",
    "is_question",
    "near_duplicates",
    "select_notes",
    "shingles",
    "wanted_terms",
]

Embed = Callable[[Sequence[str]], Any]
"""Sentences to an (N, D) array of unit vectors."""
_PER_PAGE = 15
"""Sentences of one page that are compared by meaning."""
_WORDS, _MEANING = 0.6, 0.4
_COMMAND, _ASPECT = 0.8, 0.2
"""Weights of the command's own words, and of those of a sub-task."""
_TITLE = 0.6
"""What a word counts that stands in the page's title and not in the sentence."""
_ENOUGH = 2
"""So many words of a sub-task make a sentence one of it."""
_OWN, _ASIDE = 0.34, 0.6
"""A sentence that itself holds less than this share of the command counts so much: it may be about else."""
_LATER = 0.002
"""What each further sentence of a page costs: what matters comes first."""
_EARLY, _FRONT = 0.06, 60
"""What a sentence gains whose first characters name the subject: it is about it."""
_PERSONAL = 0.15
"""What a sentence costs that speaks of its writer or reader, who are nobody in a briefing."""
_RECENT = 0.15
"""What the newest page adds where what is new is asked for; half as much `_HALF_LIFE_DAYS` earlier."""
_HALF_LIFE_DAYS = 365.0
_UNDATED = 0.25
"""How new a page without a day is taken to be, from 0 to 1."""
_FROM_ONE_PAGE = 4
_SAME = 0.9
_SAME_PAGE = 0.7
"""The share of common shingles from which two pages are copies."""
_SHINGLE = 5
_SPEAKS = re.compile(r"\b(?:I|[Ww]e|[Yy]ou|[Yy]our|[Oo]ur|[Mm]y|me)\b|我们|你们|您|笔者|小编")
_QUOTED = re.compile(r"[“\"][^”\"]*[”\"]")
_ASKS = re.compile(
    r"\s*(?:who|what|which|when|where|why|how|is|are|was|were|did|does|do|has|have|can)\b", re.IGNORECASE
)


@dataclass
class _Line:
    page: ReadPage
    text: str
    place: int
    words: frozenset[str]
    score: float = 0.0
    sub_task: int = 0


def select_notes(variables: SelectVariables, embed: Embed) -> SelectReply:
    """Return the sentences that bear on a command, the best first; repetitions across pages are all kept."""
    command = wanted_terms(variables.command, variables.subject)
    known = set(command)
    aims = [[word for word in query_terms(task.query) if word not in known] for task in variables.sub_tasks]
    lines = [line for page in variables.pages for line in _lines(page)]
    if not lines:
        return SelectReply()
    # A long question has many words that its answer does not repeat.
    _score_words(lines, command, aims or [[]], 0.0 if is_question(variables.command) else _OWN)
    kept = _best_of_pages(lines)
    _add_meaning(kept, [variables.command, variables.subject], embed)
    if not is_question(variables.command):
        _add_recency(kept)
    ranked = sorted(kept, key=lambda line: (-line.score, line.page.number, line.place))
    notes = [
        TopicNote(
            number=number,
            text=line.text,
            source=line.page.number,
            published=line.page.published,
            sub_task=line.sub_task,
            score=round(line.score, 4),
        )
        for number, line in enumerate(_varied(ranked, variables.most), 1)
    ]
    return SelectReply(notes=tuple(notes))


def wanted_terms(command: str, subject: str) -> list[str]:
    """Return the words that a note should hold: those of the subject, and those of a longer command."""
    named = query_terms(subject)
    if has_han(command) or not is_question(command):
        return named
    return list(dict.fromkeys([*named, *query_terms(command)]))


def is_question(command: str) -> bool:
    """Tell a question, each word of which matters, from an order to watch something."""
    return command.rstrip().endswith(("?", "？")) or bool(_ASKS.match(command))


def is_personal(sentence: str) -> bool:
    """Tell whether a sentence speaks of its writer or to its reader, other than in a quotation."""
    return bool(_SPEAKS.search(_QUOTED.sub("", sentence)))


def near_duplicates(texts: Sequence[str]) -> list[int]:
    """Return for each text the first text that it is a copy of; its own place where it is none."""
    held = [shingles(text) for text in texts]
    first = list(range(len(texts)))
    for place, mine in enumerate(held):
        for other in range(place):
            if first[other] != other or not mine or not held[other]:
                continue
            if len(mine & held[other]) >= _SAME_PAGE * min(len(mine), len(held[other])):
                first[place] = other
                break
    return first


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return the runs of terms by which copies of a text are known."""
    found = list(terms(text))
    return frozenset(zip(*(found[shift:] for shift in range(_SHINGLE)), strict=False))


def _lines(page: ReadPage) -> list[_Line]:
    return [
        _Line(page, text, place, frozenset(terms(text)))
        for place, text in enumerate(page_sentences(page.text))
    ]


def _score_words(
    lines: Sequence[_Line], command: Sequence[str], aims: Sequence[Sequence[str]], least: float
) -> None:
    """Score each line by the rare words it shares with the command, and with its best sub-task."""
    number = Counter(word for line in lines for word in line.words)
    weight = {word: math.log(2 + len(lines) / (0.5 + number[word])) for word in command}
    total = sum(weight.values()) or 1.0
    titles = {
        page.number: frozenset(terms(page.title))
        for page in {line.page.number: line.page for line in lines}.values()
    }
    for line in lines:
        own = sum(weight[word] for word in command if word in line.words)
        told = sum(
            weight[word] for word in command if word not in line.words and word in titles[line.page.number]
        )
        shares = [min(1.0, sum(word in line.words for word in aim) / _ENOUGH) for aim in aims]
        line.sub_task = max(range(len(shares)), key=lambda task: shares[task])
        line.score = _COMMAND * (own + _TITLE * told) / total + _ASPECT * shares[line.sub_task]
        line.score -= min(_LATER * line.place, 0.1)
        line.score += _EARLY * any(word in frozenset(terms(line.text[:_FRONT])) for word in command)
        line.score -= _PERSONAL * is_personal(line.text)
        if own < least * total:
            line.score *= _ASIDE
        if not own and not told:
            line.score = 0.0


def _best_of_pages(lines: Sequence[_Line]) -> list[_Line]:
    pages: dict[int, list[_Line]] = {}
    for line in lines:
        if line.score > 0:
            pages.setdefault(line.page.number, []).append(line)
    return [
        line
        for held in pages.values()
        for line in sorted(held, key=lambda one: (-one.score, one.place))[:_PER_PAGE]
    ]


def _add_meaning(lines: Sequence[_Line], aims: Sequence[str], embed: Embed) -> None:
    if not lines:
        return
    vectors = np.asarray(embed([*aims, *(line.text for line in lines)]), np.float32)
    near = np.maximum(vectors[len(aims) :] @ vectors[: len(aims)].T, 0.0)
    for line, likeness in zip(lines, near, strict=True):
        line.score = _WORDS * line.score + _MEANING * float(likeness.max())


def _add_recency(lines: Sequence[_Line]) -> None:
    """Let newer pages come first, counted from the newest of them."""
    days = [line.page.published for line in lines if line.page.published is not None]
    for line in lines:
        day = line.page.published
        share = 0.5 ** ((max(days) - day).days / _HALF_LIFE_DAYS) if day is not None else _UNDATED
        line.score += _RECENT * (share if days else 0.0)


def _varied(ranked: Sequence[_Line], most: int) -> list[_Line]:
    """Return the best lines; of one page not too many, and no line twice from one page."""
    pages = len({line.page.number for line in ranked}) or 1
    least = max(_FROM_ONE_PAGE, -(-most // pages))
    chosen: list[_Line] = []
    taken: Counter[int] = Counter()
    for line in ranked:
        if len(chosen) == most:
            break
        if taken[line.page.number] >= least:
            continue
        if any(_alike(line, other) for other in chosen if other.page.number == line.page.number):
            continue
        taken[line.page.number] += 1
        chosen.append(line)
    return chosen


def _alike(one: _Line, other: _Line) -> bool:
    return len(one.words & other.words) >= _SAME * min(len(one.words), len(other.words) or 1)
