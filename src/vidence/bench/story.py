"""`vidence bench story`: speakers, relations, retrieval, answers and the grader, beside their floors."""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from vidence.app import Workspace, open_workspace
from vidence.bench import litbank
from vidence.bench.chains import coreference_f1
from vidence.bench.memory_sets import KeptEmbedder, load_set
from vidence.bench.report import output, print_json, print_table
from vidence.bench.shared import load_set_file, scratch_workspace, shared_folder
from vidence.bench.story_answers import Asking, asked_rows
from vidence.bench.story_sets import (
    StoryRow,
    fairy_tales,
    friends,
    load_novel,
    load_relations,
    name_finder,
    verdicts,
)
from vidence.errors import FileProblem, OpRetry
from vidence.knowledge.build import StoryBuilder
from vidence.knowledge.graph.paths import find_paths
from vidence.knowledge.graph.rank import PassageGraph, follow_names, names_in
from vidence.knowledge.matching import contains, same_answer
from vidence.knowledge.reader import StoryReader
from vidence.knowledge.relations import inverse_of, relation_class
from vidence.knowledge.sources import SourceText
from vidence.knowledge.speakers import rank_speakers
from vidence.memory import HybridRetriever
from vidence.memory.hybrid_retriever import Retrieved
from vidence.models.text.tagger import open_tagger
from vidence.store.protocols import Floats
from vidence.tools.story.connection import relations_between

__all__ = ["command"]

_TOP = 3


@click.command("story")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(["litbank", "speakers", "relations", "musique", "fairytale", "friends", "grader"]),
    help="Only these parts.",
)
@click.option("--limit", default=40, show_default=True, help="Questions of each set of stories; 0 for all.")
@click.option(
    "--vectors", type=click.Path(path_type=Path, dir_okay=False), help="Keep sentence vectors here."
)
@click.option("--local-reader", is_flag=True, help="Let the small local model word the answers (slow).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    only: tuple[str, ...], limit: int, vectors: Path | None, local_reader: bool, as_json: bool
) -> None:
    """Measure stories on FairytaleQA, FriendsQA, MuSiQue, 红楼梦, Chinese speakers and people's verdicts.

    \b
    Example:
      vidence bench story --only speakers --only grader
    """
    folder = shared_folder()
    rows: list[StoryRow] = []
    how = Asking(limit, "" if local_reader else "embedded")
    with scratch_workspace() as workspace:
        parts: dict[str, Callable[[], Iterator[StoryRow]]] = {
            "litbank": lambda: _litbank(folder, workspace),
            "speakers": lambda: _speakers(folder),
            "relations": lambda: _relations(folder),
            "grader": lambda: _grader(folder),
            "musique": lambda: _musique(folder, workspace, vectors),
            "fairytale": lambda: asked_rows("FairytaleQA", "≥ .45", fairy_tales(folder), workspace, how),
            "friends": lambda: asked_rows("FriendsQA", "≥ .35", friends(folder), workspace, how),
        }
        for name in only or parts:
            for row in parts[name]():
                click.echo(
                    f"{row.measure}: {_text(row.ours)} ({row.floor_name} {_text(row.floor)})", err=True
                )
                rows.append(row)
    console = output()
    if as_json:
        print_json(console, [asdict(row) for row in rows])
        return
    headings = ("measure", "vidence", "floor", "what the floor is", "goal", "cases")
    table = [(one.measure, one.ours, one.floor, one.floor_name, one.goal, one.cases) for one in rows]
    print_table(console, "stories", headings, table)


def _litbank(folder: Path, workspace: Workspace) -> Iterator[StoryRow]:
    """Measure people, events and speakers of English novels on the books that were left out of fitting."""
    books = litbank.load_books(folder)[:: litbank.HELD_OUT]
    tagger = open_tagger(workspace.indexer.shelf.text)
    if tagger is None:
        raise FileProblem("LitBank needs the embedded sentence encoder as text embedder.")
    ours, floor = litbank.score(books, tagger), litbank.floor(books)
    for kind, name, goal, plain in (
        ("entities", "entities with pronouns, F1", "≥ .72", "capitals and pronouns"),
        ("nouns", "entities without pronouns, F1", "–", "capitals"),
        ("layer", "entities of the entity layer, F1", "–", "capitals"),
        ("events", "events, F1", "≥ .58", "words in -ed"),
    ):
        cases = ours.rows[kind]["there"]
        yield StoryRow(f"LitBank {name}", ours.f1(kind), floor.f1(kind), plain, goal, cases)
    same = coreference_f1(floor.given_chains)
    for pairs, name in ((ours.chains, "own mentions"), (ours.given_chains, "mentions given")):
        value = coreference_f1(pairs)
        yield StoryRow(f"LitBank coreference, {name}", value, same, "same words, given", "≥ .60", len(books))
    for kind, name in (
        ("speakers", "own mentions"),
        ("given_speakers", "mentions given"),
        ("given_people", "people given"),
    ):
        nearest = floor.share("given_speakers")
        cases = ours.rows[kind]["there"]
        yield StoryRow(
            f"LitBank speakers, {name}", ours.share(kind), nearest, "nearest person", "≥ .75", cases
        )
    other = litbank.score([litbank.renamed(book) for book in books], tagger)
    for name, new, old in (
        ("entities", other.f1("entities"), ours.f1("entities")),
        ("events", other.f1("events"), ours.f1("events")),
        ("coreference", coreference_f1(other.chains), coreference_f1(ours.chains)),
        ("speakers", other.share("speakers"), ours.share("speakers")),
    ):
        yield StoryRow(f"LitBank {name}, people renamed", new, old, "their own names", "same", len(books))


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
        judged = same_answer(question, reference, answer)
        rows[model].append((judged, contains(reference, answer), verdict))
    for model, cases in rows.items():
        own, floor, people = (np.array([row[at] for row in cases]) for at in range(3))
        agreed = (_kappa(own, people), _kappa(floor, people))
        passes = (float((own & ~people).mean()), float((floor & ~people).mean()))
        yield StoryRow(f"grader κ, answers of {model}", *agreed, "containment", "≥ .75", len(cases))
        yield StoryRow(f"grader false passes, {model}", *passes, "containment", "≤ .03", len(cases))


def _musique(folder: Path, workspace: Workspace, vectors: Path | None) -> Iterator[StoryRow]:
    """Measure multi-hop retrieval: a search, then a walk over the names that passages share."""
    [part] = load_set("musique", folder / "eval", "all")
    embedder = KeptEmbedder(workspace.indexer.shelf.text, vectors)
    retriever = HybridRetriever(embedder=embedder)
    retriever.add_documents(part.documents)
    embedder.save()
    words = HybridRetriever()
    words.add_documents([one.text for one in part.documents])
    graph = PassageGraph([names_in(one.text) | names_in(one.subject or "") for one in part.documents])

    def lead_on(scores: Floats, asked: Mapping[int, float]) -> Floats:
        return follow_names(scores, graph, asked, lambda at: retriever.bm25.text(at).terms)

    def walk(scores: Floats, asked: Mapping[int, float]) -> Floats:
        return graph.walk(np.where(scores == scores.max(), scores, 0).astype(np.float32))

    ways: dict[str, Callable[[str], Retrieved]] = {
        "ours": lambda text: retriever.search(text, 5, rerank=lead_on),
        "hybrid alone": lambda text: retriever.search(text, 5),
        "BM25 alone": lambda text: words.search(text, 5),
        "graph alone": lambda text: retriever.search(text, 5, rerank=walk),
    }
    recall = {
        name: [_recall(way(one.text), one.gold) for one in part.questions] for name, way in ways.items()
    }
    for half, chosen in (("all", slice(None)), ("the half that chose nothing", slice(1, None, 2))):
        ours = recall["ours"][chosen]
        for name in list(ways)[1:]:
            figures = (float(np.mean(ours)), float(np.mean(recall[name][chosen])))
            yield StoryRow(f"MuSiQue R@5 by graph retrieval, {half}", *figures, name, "≥ .66", len(ours))


def _recall(found: Retrieved, gold: frozenset[int]) -> float:
    return len({hit.index for hit in found.hits} & gold) / max(1, len(gold))


def _kappa(mine: NDArray[np.bool_], people: NDArray[np.bool_]) -> float:
    agreed = float((mine == people).mean())
    chance = float(mine.mean() * people.mean() + (1 - mine.mean()) * (1 - people.mean()))
    return (agreed - chance) / (1 - chance) if chance < 1 else 1.0


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
