"""`vidence bench story`: speakers, relations, retrieval, answers and the grader, beside their floors."""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from vidence.app import Workspace, open_workspace
from vidence.app.story import Story
from vidence.bench.memory_sets import KeptEmbedder, load_set
from vidence.bench.report import print_json, print_table
from vidence.bench.shared import load_set_file, scratch_workspace, shared_folder
from vidence.bench.story_sets import (
    AskedStory,
    fairy_tales,
    friends,
    load_novel,
    load_relations,
    name_finder,
    verdicts,
)
from vidence.errors import OpRetry
from vidence.knowledge.build import StoryBuilder
from vidence.knowledge.graph.paths import find_paths
from vidence.knowledge.graph.rank import PassageGraph
from vidence.knowledge.matching import contains, same_answer
from vidence.knowledge.reader import StoryReader
from vidence.knowledge.relations import inverse_of, relation_class
from vidence.knowledge.sources import SourceText
from vidence.knowledge.speakers import rank_speakers
from vidence.language.tokens import query_terms, stems, terms
from vidence.memory import HybridRetriever
from vidence.store.protocols import Floats
from vidence.tools.story.connection import relations_between

__all__ = ["command"]

_TOP = 3
_WALK = 0.5
"""Weight of the walk over the graph beside the search's own score."""


@dataclass(frozen=True)
class StoryRow:
    """One measure: ours, the floor in the same run, the goal, and on how many cases."""

    measure: str
    ours: float | None
    floor: float | None
    floor_name: str
    goal: str
    cases: int


@click.command("story")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(["speakers", "relations", "musique", "fairytale", "friends", "grader"]),
    help="Only these parts.",
)
@click.option("--limit", default=40, show_default=True, help="Questions of each set of stories; 0 for all.")
@click.option(
    "--vectors", type=click.Path(path_type=Path, dir_okay=False), help="Keep sentence vectors here."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(only: tuple[str, ...], limit: int, vectors: Path | None, as_json: bool) -> None:
    """Measure stories on FairytaleQA, FriendsQA, MuSiQue, 红楼梦, Chinese speakers and people's verdicts.

    \b
    Example:
      vidence bench story --only speakers --only grader
    """
    folder = shared_folder()
    rows: list[StoryRow] = []
    with scratch_workspace() as workspace:
        parts: dict[str, Callable[[], Iterator[StoryRow]]] = {
            "speakers": lambda: _speakers(folder),
            "relations": lambda: _relations(folder),
            "grader": lambda: _grader(folder),
            "musique": lambda: _musique(folder, workspace, vectors),
            "fairytale": lambda: _asked("FairytaleQA", fairy_tales(folder), workspace, limit, "≥ .45"),
            "friends": lambda: _asked("FriendsQA", friends(folder), workspace, limit, "≥ .35"),
        }
        for name in only or parts:
            for row in parts[name]():
                click.echo(
                    f"{row.measure}: {_text(row.ours)} ({row.floor_name} {_text(row.floor)})", err=True
                )
                rows.append(row)
    console = Console(width=None if sys.stdout.isatty() else 160)
    if as_json:
        print_json(console, [asdict(row) for row in rows])
        return
    headings = ("measure", "vidence", "floor", "what the floor is", "goal", "cases")
    table = [(one.measure, one.ours, one.floor, one.floor_name, one.goal, one.cases) for one in rows]
    print_table(console, "stories", headings, table)


def _speakers(folder: Path) -> Iterator[StoryRow]:
    """Measure who says a Chinese quotation; the ranker was fitted on other quotations of the novel."""
    data = load_set_file("speakers_zh", folder / "story")
    finder = name_finder(data["names"])
    right: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for row in data["dev"]:
        speaker = finder.owner(row["speaker"]) if row["speaker"] in finder.names else row["speaker"]
        ranked = rank_speakers(row["lines"], row["quote_line"], finder)
        near = [one for line in reversed(row["lines"][: row["quote_line"]]) for one in finder.find(line)]
        hits = (bool(ranked) and ranked[0][0] == speaker, bool(near) and near[0].entity_id == speaker)
        for kind in ("all", row["category"]):
            right[kind].append(hits)
    goals = {"all": "≥ .60", "explicit": "≥ .90"}
    for kind, found in right.items():
        ours, floor = (float(np.mean([one[at] for one in found])) for at in (0, 1))
        yield StoryRow(
            f"Chinese speakers, {kind}", ours, floor, "nearest name before", goals.get(kind, "–"), len(found)
        )


def _relations(folder: Path) -> Iterator[StoryRow]:
    """Measure the known relations of 红楼梦 among the first three statements, and the cost of reading it."""
    rows = load_relations(folder)
    with tempfile.TemporaryDirectory() as home, open_workspace(home=home) as workspace:
        started = time.perf_counter()
        builder = StoryBuilder(workspace.store, "novel", embedder=None)
        builder.add(SourceText("红楼梦.txt", load_novel(folder)))
        builder.build()
        seconds = time.perf_counter() - started
        reader = StoryReader(workspace.store, "novel")
        hits, directed, met = 0, 0, 0
        for first, second, relation in rows:
            found = _stated(reader, first, second)
            wanted = relation_class(relation)
            directed += wanted is not None and wanted in found
            hits += wanted is not None and (wanted in found or inverse_of(wanted) in found)
            met += bool(found)
        size = len(rows)
        yield StoryRow(
            "红楼梦 relations in the first 3, with direction",
            directed / size,
            met / size,
            "share of pairs that meet in a sentence",
            "≥ .60",
            size,
        )
        yield StoryRow("红楼梦 relations in the first 3, either direction", hits / size, None, "–", "–", size)
        path = find_paths(
            reader.graph, "novel", reader.resolve("焦大").entity_id, reader.resolve("林黛玉").entity_id
        )
        yield StoryRow(
            "焦大 → 林黛玉: hops of the path found",
            float(len(path[0]) if path else 0),
            5.0,
            "known",
            "found",
            1,
        )
        yield StoryRow("红楼梦 read, seconds (without vectors)", seconds, 300.0, "limit", "< 300", 1)


def _stated(reader: StoryReader, first: str, second: str) -> list[str]:
    """Return what the first three statements say the first is to the second."""
    try:
        one, other = reader.resolve(first), reader.resolve(second)
    except OpRetry:
        return []
    if one.entity_id == other.entity_id:
        return []
    found = relations_between(reader, one, other)[:_TOP]
    return [row.relation if row.source == one.entity_id else inverse_of(row.relation) for row in found]


def _grader(folder: Path) -> Iterator[StoryRow]:
    """Measure agreement with people on questions that nothing was fitted to."""
    rows: dict[str, list[tuple[bool, bool, bool]]] = defaultdict(list)
    for model, question, reference, answer, verdict in verdicts(folder, odd=True):
        ours = same_answer(question, reference, answer)
        rows[model].append((ours, contains(reference, answer), verdict))
    for model, judged in rows.items():
        own, floor, people = (np.array([row[at] for row in judged]) for at in range(3))
        yield StoryRow(
            f"grader κ, answers of {model}",
            _kappa(own, people),
            _kappa(floor, people),
            "containment",
            "≥ .75",
            len(judged),
        )
        passes = float((ours & ~people).mean())
        yield StoryRow(
            f"grader false passes, {model}",
            passes,
            float((floor & ~people).mean()),
            "containment",
            "≤ .03",
            len(judged),
        )


def _musique(folder: Path, workspace: Workspace, vectors: Path | None) -> Iterator[StoryRow]:
    """Measure multi-hop retrieval: words and meaning, then a walk over the names that passages share."""
    [part] = load_set("musique", folder / "eval", "all")
    embedder = KeptEmbedder(workspace.indexer.shelf.text, vectors)
    retriever = HybridRetriever(embedder=embedder)
    retriever.add_documents(part.documents)
    embedder.save()
    graph = PassageGraph([one.text for one in part.documents], [one.subject or "" for one in part.documents])
    ours, floor = [], []
    for question in part.questions:
        hits = retriever.search(question.text, 60).hits
        scores = np.zeros(len(part.documents), np.float32)
        scores[[hit.index for hit in hits]] = [hit.score for hit in hits]
        floor.append(_recall(scores, question.gold))
        ours.append(_recall(fused(scores, graph), question.gold))
    yield StoryRow(
        "MuSiQue R@5 by graph retrieval",
        float(np.mean(ours)),
        float(np.mean(floor)),
        "hybrid alone",
        "≥ .66",
        len(ours),
    )


def fused(scores: Floats, graph: PassageGraph) -> Floats:
    """Return the scores of a search with those of the walk that begins at its best passages."""
    start = np.where(scores >= np.sort(scores)[-8], scores**3, 0)
    walk = graph.walk(start.astype(np.float32))
    walked = np.where(start > 0, 0, walk)
    top = float(walked.max()) or 1.0
    return np.asarray(scores / (float(scores.max()) or 1.0) + _WALK * walked / top, np.float32)


def _recall(scores: Floats, gold: frozenset[int]) -> float:
    best = set(np.argsort(-scores, kind="stable")[:5].tolist())
    return len(best & gold) / max(1, len(gold))


def _asked(
    name: str, sets: Sequence[AskedStory], workspace: Workspace, limit: int, goal: str
) -> Iterator[StoryRow]:
    """Measure answers by containment: the loop's first attempt, all three, BM25 alone, and renamed people."""
    chosen = _sample(sets, limit)
    first, last, floor, renamed, unsupported = [], [], [], [], 0
    for number, (story, question, answers) in enumerate(chosen):
        made = _made(workspace, f"{name}-{story.name}", story.text)
        once = made.ask(question, attempts=1)
        answer = once if once.passed else made.ask(question)
        unsupported += sum(not claim.citations for claim in answer.claims)
        first.append(_holds(once.answer, answers))
        last.append(_holds(answer.answer, answers))
        floor.append(_holds(_bm25(story.text, question), answers))
        if number % 4 == 0:
            renamed.append(_renamed(workspace, made, story, question, answers))
    size = len(chosen)
    yield StoryRow(
        f"{name}: answer contained",
        float(np.mean(last)),
        float(np.mean(floor)),
        "best sentence by BM25 terms",
        goal,
        size,
    )
    yield StoryRow(f"{name}: unsupported claims", float(unsupported), None, "–", "0", size)
    yield StoryRow(
        f"{name}: three attempts against one",
        float(np.mean(last)),
        float(np.mean(first)),
        f"one attempt; {_sign(first, last)}",
        "better",
        size,
    )
    yield StoryRow(
        f"{name}: people renamed",
        float(np.mean([one for one, _ in renamed])),
        float(np.mean([one for _, one in renamed])),
        "same questions, own names",
        "same",
        len(renamed),
    )


def _sample(sets: Sequence[AskedStory], limit: int) -> list[tuple[AskedStory, str, tuple[str, ...]]]:
    rows = [(story, question, answers) for story in sets for question, answers in story.questions]
    if not limit or limit >= len(rows):
        return rows
    chosen = random.Random(7).sample(range(len(rows)), limit)
    return [rows[at] for at in sorted(chosen)]


def _made(workspace: Workspace, name: str, text: str) -> Story:
    story = Story(name[:80], workspace=workspace)
    if story.name not in workspace.store.stories.names():
        builder = StoryBuilder(workspace.store, story.name, embedder=workspace.indexer.shelf.text)
        builder.add(SourceText(f"{story.name}.txt", text))
        builder.build()
    return story


def _holds(answer: str, references: Sequence[str]) -> bool:
    """Say whether an answer holds one of the references: every content word of it, in any order."""
    held = set(stems(answer))
    return any(
        contains(reference, answer) or (bool(wanted := set(stems(reference))) and wanted <= held)
        for reference in references
    )


def _bm25(text: str, question: str) -> str:
    wanted = set(query_terms(question))
    lines = re.split(r"(?<=[.!?])\s+|\n", text)
    return max(lines, key=lambda line: (len(wanted & set(terms(line))), -len(line)))


def _renamed(
    workspace: Workspace, made: Story, story: AskedStory, question: str, answers: tuple[str, ...]
) -> tuple[bool, bool]:
    """Return whether the answer is held with every person renamed, and with the names as they are."""
    names: dict[str, str] = {}
    for number, person in enumerate(one for one in made.people() if one.kind == "person"):
        for word in person.name.split():
            names.setdefault(word, f"Q{chr(97 + number % 26)}{'aeiou'[number // 26 % 5]}rin")
    pattern = re.compile(r"\b(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")\b")

    def rename(value: str) -> str:
        return pattern.sub(lambda found: names[found[0]], value) if names else value

    other = _made(workspace, f"renamed-{story.name}", rename(story.text))
    mine = other.ask(rename(question)).answer
    return _holds(mine, [rename(one) for one in answers]), _holds(made.ask(question).answer, answers)


def _sign(first: Sequence[bool], last: Sequence[bool]) -> str:
    """Return how many answers got better and worse: the material of a sign test."""
    better = sum(new and not old for old, new in zip(first, last, strict=True))
    worse = sum(old and not new for old, new in zip(first, last, strict=True))
    return f"{better} better, {worse} worse"


def _kappa(mine: NDArray[np.bool_], people: NDArray[np.bool_]) -> float:
    agreed = float((mine == people).mean())
    chance = float(mine.mean() * people.mean() + (1 - mine.mean()) * (1 - people.mean()))
    return (agreed - chance) / (1 - chance) if chance < 1 else 1.0


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
