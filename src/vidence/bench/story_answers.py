"""Answers about stories against their references: attempts, floors, renamed people, foreign questions."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from vidence.app import Workspace
from vidence.app.story import Story
from vidence.bench.story_sets import AskedStory, StoryRow
from vidence.knowledge.build import StoryBuilder
from vidence.knowledge.matching import contains
from vidence.knowledge.sources import SourceText
from vidence.language.tokens import query_terms, stems, terms
from vidence.schema.agent import AgentAnswer
from vidence.tools.story.shapes import quotes_in

__all__ = ["Asking", "asked_rows", "holds", "made_story"]

_SHOWN = 4
"""Lines of an answer in most attempts."""


@dataclass(frozen=True)
class Asking:
    """How many questions of a set are asked, and who words the answers: "" for the local model."""

    limit: int
    reader: str


@dataclass
class _Tally:
    """What was measured on the questions of one set, question by question."""

    last: list[bool] = field(default_factory=list)
    first: list[bool] = field(default_factory=list)
    words: list[bool] = field(default_factory=list)
    graph: list[bool] = field(default_factory=list)
    renamed: list[tuple[bool, bool]] = field(default_factory=list)
    foreign: list[bool] = field(default_factory=list)
    unsupported: int = 0


def asked_rows(
    name: str, goal: str, sets: Sequence[AskedStory], workspace: Workspace, how: Asking
) -> Iterator[StoryRow]:
    """Measure answers by containment on the odd stories, which nothing was fitted to, beside floors.

    Three attempts are compared with one, and every fourth question is asked again with all people renamed and
    of a story that it is not about.
    """
    told, reader = _Tally(), how.reader
    unseen = sets[1::2]
    for number, (story, question, answers) in enumerate(_sample(unseen, how.limit)):
        made = made_story(workspace, f"{name}-{story.name}", story.text)
        once = _ask(made, question, reader, attempts=1)
        answer = once if once.passed else _ask(made, question, reader)
        told.unsupported += sum(not claim.citations for claim in answer.claims)
        told.first.append(holds(once.answer, answers))
        told.last.append(holds(answer.answer, answers))
        told.words.append(holds(_by_words(story.text, question), answers))
        told.graph.append(holds(_by_graph(made, question), answers))
        if number % 4 == 0:
            told.renamed.append((_renamed(workspace, made, story, question, answers, reader), told.last[-1]))
            other = unseen[(unseen.index(story) + 1) % len(unseen)]
            elsewhere = made_story(workspace, f"{name}-{other.name}", other.text)
            told.foreign.append(_ask(elsewhere, question, reader).status == "answered")
    yield from _rows(name, told, goal)


def _rows(name: str, told: _Tally, goal: str) -> Iterator[StoryRow]:
    size, ours = len(told.last), _mean(told.last)
    yield StoryRow(
        f"{name}: answer contained", ours, _mean(told.words), "as many sentences by words", goal, size
    )
    yield StoryRow(f"{name}: answer contained", ours, _mean(told.graph), "graph alone", goal, size)
    yield StoryRow(f"{name}: unsupported claims", float(told.unsupported), None, "–", "0", size)
    yield StoryRow(
        f"{name}: three attempts against one",
        ours,
        _mean(told.first),
        f"one attempt; {_sign(told.first, told.last)}",
        "better",
        size,
    )
    own, names = _mean([one for _, one in told.renamed]), _mean([one for one, _ in told.renamed])
    yield StoryRow(f"{name}: people renamed", names, own, "their own names", "same", len(told.renamed))
    yield StoryRow(
        f"{name}: answered although about another story",
        _mean(told.foreign),
        None,
        "–",
        "–",
        len(told.foreign),
    )


def _ask(story: Story, question: str, reader: str, attempts: int = 3) -> AgentAnswer:
    return story.ask(question, attempts=attempts, engines={"reader": reader} if reader else None)


def _mean(values: Sequence[bool]) -> float:
    return float(np.mean(values)) if values else 0.0


def _sample(sets: Sequence[AskedStory], limit: int) -> list[tuple[AskedStory, str, tuple[str, ...]]]:
    rows = [(story, question, answers) for story in sets for question, answers in story.questions]
    if not limit or limit >= len(rows):
        return rows
    chosen = random.Random(7).sample(range(len(rows)), limit)
    return [rows[at] for at in sorted(chosen)]


def made_story(workspace: Workspace, name: str, text: str) -> Story:
    """Return the story of a text; it is read once."""
    story = Story(name[:80], workspace=workspace)
    if story.name not in workspace.store.stories.names():
        builder = StoryBuilder(workspace.store, story.name, embedder=workspace.indexer.shelf.text)
        builder.add(SourceText(f"{story.name}.txt", text))
        builder.build()
    return story


def holds(answer: str, references: Sequence[str]) -> bool:
    """Say whether an answer holds one of the references: every content word of it, in any order."""
    held = set(stems(answer))
    return any(
        contains(reference, answer) or (bool(wanted := set(stems(reference))) and wanted <= held)
        for reference in references
    )


def _by_words(text: str, question: str) -> str:
    """Return the sentences that share most words with the question: as much as our own answer shows."""
    wanted = set(query_terms(question))
    lines = re.split(r"(?<=[.!?])\s+|\n", text)
    best = sorted(lines, key=lambda line: (-len(wanted & set(terms(line))), len(line)))
    return "\n".join(best[:_SHOWN])


def _by_graph(story: Story, question: str) -> str:
    """Return what the graph alone tells of whoever the question names first: descriptions and events."""
    found = story.reader.finder.find(question)
    if not found:
        return ""
    name = story.reader.name_of(found[0].entity_id)
    results = [story.call(tool, entity=name).result for tool in ("lookup_knowledge", "get_character_events")]
    return "\n".join(quote.text for result in results for quote in quotes_in(result))


def _renamed(
    workspace: Workspace,
    made: Story,
    story: AskedStory,
    question: str,
    answers: tuple[str, ...],
    reader: str,
) -> bool:
    """Return whether the answer is held with every person renamed."""
    names: dict[str, str] = {}
    for number, person in enumerate(one for one in made.people() if one.kind == "person"):
        for word in person.name.split():
            names.setdefault(word, f"Q{chr(97 + number % 26)}{'aeiou'[number // 26 % 5]}rin")
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")\b")

    def rename(value: str) -> str:
        return pattern.sub(lambda found: names[found[0]], value) if names else value

    other = made_story(workspace, f"renamed-{story.name}", rename(story.text))
    return holds(_ask(other, rename(question), reader).answer, [rename(one) for one in answers])


def _sign(first: Sequence[bool], last: Sequence[bool]) -> str:
    """Return how many answers got better and worse, and how likely that is by chance (sign test)."""
    better = sum(new and not old for old, new in zip(first, last, strict=True))
    worse = sum(old and not new for old, new in zip(first, last, strict=True))
    size = better + worse
    tail = sum(math.comb(size, at) for at in range(min(better, worse) + 1)) / 2**size
    return f"{better} better, {worse} worse, p {min(1.0, 2 * tail):.3f}"
