"""`vidence bench topics`: the monitor on the shared sets, each figure beside a floor and the goal."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from vidence.app import Workspace
from vidence.bench.fault_site import run_monitor, serve_faults
from vidence.bench.report import print_json, print_table
from vidence.bench.shared import scratch_workspace, shared_folder
from vidence.bench.topics_critic import critic_rows
from vidence.bench.topics_sets import WildTopic, load_wild
from vidence.intel.library import Library
from vidence.intel.passages import plain_text
from vidence.language.tokens import index_text, query_terms, term_id
from vidence.memory.bm25 import InvertedIndex
from vidence.schema.topics import Page

__all__ = ["TopicRow", "command"]

_K = 5
_DOCUMENTS = 1000
_PARTS = ("search", "reports", "critic", "faults", "speed")


@dataclass(frozen=True)
class TopicRow:
    """One measure beside its floor and its goal."""

    part: str
    measure: str
    ours: float
    floor: float | None
    floor_name: str
    goal: str
    number: int
    """Questions, claims or runs."""


@click.command("topics")
@click.option("--part", "parts", type=click.Choice(_PARTS), multiple=True, help="Only this part; repeat.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(parts: tuple[str, ...], as_json: bool) -> None:
    """Measure the monitor: retrieval, reports, critic, faults and speed.

    \b
    Example:
      vidence bench topics --part search
    """
    folder = shared_folder() / "topics"
    chosen = parts or _PARTS
    rows = [row for part in _PARTS if part in chosen for row in _MEASURES[part](folder)]
    if as_json:
        print_json(Console(), [asdict(row) for row in rows])
        return
    headings = ("part", "measure", "ours", "floor", "which floor", "goal", "n")
    cells = [(r.part, r.measure, r.ours, r.floor, r.floor_name, r.goal, r.number) for r in rows]
    print_table(Console(), "Topics", headings, cells)


def _search(folder: Path) -> Iterator[TopicRow]:
    """Measure the share of a question's pages among the first five, with each topic's web on its own."""
    ours: dict[str, list[float]] = {}
    floor: dict[str, list[float]] = {}
    for topic in load_wild(folder):
        with scratch_workspace() as workspace:
            library = _stored(workspace, topic)
            index = _page_index(topic)
            for question in topic.questions:
                found = [int(hit.url.rpartition("/")[2]) for hit in library.search(question.text, _K)]
                plain = _bm25(index, question.text)
                for kind in question.kinds:
                    ours.setdefault(kind, []).append(_recall(found, question.pages))
                    floor.setdefault(kind, []).append(_recall(plain, question.pages))
    for kind, goal in (("single-fact", "≥ .72"), ("multi_fact", "≥ .55")):
        figures = _mean(ours[kind]), _mean(floor[kind])
        yield TopicRow("search", f"page recall@5, {kind}", *figures, "BM25 over pages", goal, len(ours[kind]))


def _stored(workspace: Workspace, topic: WildTopic) -> Library:
    library = Library(workspace.store.topics)
    with workspace.store.unit_of_work():
        for place, (title, text) in enumerate(topic.pages):
            page = Page(url=f"wild://page/{place}", title=title, text=text, platform="wild")
            library.keep("wild", page)
    return library


def _page_index(topic: WildTopic) -> InvertedIndex:
    index = InvertedIndex()
    index.extend([index_text(plain_text(text), subject=title) for title, text in topic.pages])
    return index


def _bm25(index: InvertedIndex, query: str) -> list[int]:
    scores: dict[int, float] = {}
    for term in query_terms(query):
        matches = index.matches(term_id(term))
        for document, score in zip(matches.documents.tolist(), matches.scores.tolist(), strict=True):
            scores[document] = scores.get(document, 0.0) + score
    return sorted(scores, key=lambda document: (-scores[document], document))[:_K]


def _recall(found: list[int], wanted: frozenset[int]) -> float:
    return len(wanted & set(found)) / len(wanted)


def _reports(folder: Path) -> Iterator[TopicRow]:
    """Write one briefing a topic without a language model and look up every quotation in its page."""
    statements = supported = quotes = resolved = 0
    for topic in load_wild(folder):
        with scratch_workspace() as workspace, tempfile.TemporaryDirectory() as pages:
            for place, (_, text) in enumerate(topic.pages):
                Path(pages, f"{place:04d}.md").write_text(text, encoding="utf-8")
            briefing = workspace.monitor(f"What is known about {topic.name}?", sources=[pages]).briefing
            texts = {
                card.number: workspace.run("web_scrape", {"url": card.url}, topics=_sources(workspace, pages))
                for card in briefing.sources
            }
            for statement in briefing.statements:
                held = [
                    " ".join(quote.text.split()) in " ".join(texts[quote.source].result.text.split())
                    for quote in statement.quotes
                ]
                statements, quotes = statements + 1, quotes + len(held)
                resolved += sum(held)
                supported += any(held) and statement.support >= 0.5
    yield TopicRow(
        "reports", "statements supported", supported / max(statements, 1), None, "–", "≥ .95", statements
    )
    yield TopicRow("reports", "citations that resolve", resolved / max(quotes, 1), None, "–", "1.00", quotes)


def _sources(workspace: Workspace, folder: str) -> Any:
    from vidence.app.monitor import topic_sources

    return topic_sources(workspace, [folder])


def _critic(folder: Path) -> Iterator[TopicRow]:
    with scratch_workspace() as workspace:
        for measure, ours, floor, name, goal, number in critic_rows(
            folder, workspace.indexer.shelf.text.embed
        ):
            yield TopicRow("critic", measure, ours, floor, name, goal, number)


def _faults(folder: Path) -> Iterator[TopicRow]:
    """Run the monitor against a site where half of the requests fail; compare with a second, resumed run."""
    with serve_faults() as site, tempfile.TemporaryDirectory() as home:
        first = run_monitor(f"{home}/one", site.address)
        again = run_monitor(f"{home}/two", site.address)
        share = site.faults / site.requests
    named = sum(path in "\n".join(first.briefing.gaps) for path in ("/story/3", "/story/7", "/story/11"))
    yield TopicRow("faults", "requests that failed", share, None, "–", ".50", site.requests)
    yield TopicRow(
        "faults", "runs with the same bytes", float(first.markdown == again.markdown), None, "–", "1.00", 2
    )
    yield TopicRow("faults", "lost sources that are named", named / 3, None, "–", "1.00", 3)


def _speed(folder: Path) -> Iterator[TopicRow]:
    """Time the first briefing over a thousand documents, from an empty workspace."""
    pages = [page for topic in load_wild(folder) for page in topic.pages][:_DOCUMENTS]
    with scratch_workspace() as workspace, tempfile.TemporaryDirectory() as documents:
        for place, (_, text) in enumerate(pages):
            Path(documents, f"{place:04d}.md").write_text(text, encoding="utf-8")
        started = time.perf_counter()
        workspace.monitor("Monitor Steam's latest developments", sources=[documents])
        seconds = time.perf_counter() - started
    yield TopicRow("speed", "seconds to the first briefing", seconds, None, "–", "< 120", len(pages))


def _mean(values: list[float]) -> float:
    return sum(values) / max(len(values), 1)


_MEASURES: dict[str, Callable[[Path], Iterator[TopicRow]]] = {
    "search": _search,
    "reports": _reports,
    "critic": _critic,
    "faults": _faults,
    "speed": _speed,
}
