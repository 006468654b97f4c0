"""`vidence bench topics`: the monitor on the shared sets, each figure beside a floor and the goal."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from vidence.app import Workspace
from vidence.app.topics import topic_sources
from vidence.bench.fault_site import LOST, run_and_kill, run_monitor, serve_faults
from vidence.bench.report import output, print_json, print_table
from vidence.bench.shared import scratch_workspace, shared_folder
from vidence.bench.topics_critic import critic_rows
from vidence.bench.topics_sets import WildTopic, load_wild
from vidence.intel.library import Library
from vidence.intel.passages import plain_text
from vidence.language.tokens import index_text, query_terms, term_id
from vidence.memory.bm25 import InvertedIndex
from vidence.schema.briefing import Briefing
from vidence.schema.topics import Page

__all__ = ["TopicRow", "command"]

_K = 5
_DOCUMENTS = 1000
_QUESTIONS = 4
"""Questions of a topic that are given as commands."""
_SUPPORTED = 0.5
_KILLS = ((2, 5), (3, 6, 9), (12,), (4, 4, 4, 4))
"""After how many requests a run is killed, each time it is begun again."""
_SECONDS = (1.0, 2.0, 4.0)
_LAST_REQUEST_S = 3.0
"""What a request under way, opening the workspace and writing the briefing may take beyond the budget."""
_NO_READER: dict[str, Any] = {"llm": {"tasks": {"reader": "embedded"}}}
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
        print_json(output(), [asdict(row) for row in rows])
        return
    headings = ("part", "measure", "ours", "floor", "which floor", "goal", "n")
    cells = [(r.part, r.measure, r.ours, r.floor, r.floor_name, r.goal, r.number) for r in rows]
    print_table(output(), "Topics", headings, cells)


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
    """Write briefings without a language model and look up every quotation in the page that it names."""
    statements = supported = quotes = resolved = 0
    for topic in load_wild(folder):
        with scratch_workspace(_NO_READER) as workspace, _as_files(topic.pages) as pages:
            asked = [one.text for one in topic.questions[:_QUESTIONS]]
            for command in (f"Monitor {topic.name}'s latest developments", *asked):
                briefing = workspace.monitor(command, sources=[pages]).briefing
                texts = _page_texts(workspace, briefing, pages)
                for statement in briefing.statements:
                    held = [quote.text in texts[quote.source] for quote in statement.quotes]
                    statements, quotes = statements + 1, quotes + len(held)
                    resolved += sum(held)
                    supported += any(held) and statement.support >= _SUPPORTED
    shares = supported / max(statements, 1), resolved / max(quotes, 1)
    yield TopicRow("reports", "statements supported", shares[0], None, "–", "≥ .95", statements)
    yield TopicRow("reports", "citations that resolve", shares[1], None, "–", "1.00", quotes)


def _page_texts(workspace: Workspace, briefing: Briefing, folder: str) -> dict[int, str]:
    """Return the text of every page that a briefing names, read again by its address."""
    sources = topic_sources(workspace, [folder])
    return {
        card.number: workspace.run("web_scrape", {"url": card.url}, topics=sources).result.text
        for card in briefing.sources
    }


@contextmanager
def _as_files(pages: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield a folder with one file a page, which is deleted afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        for place, (_, text) in enumerate(pages):
            Path(folder, f"{place:04d}.md").write_text(text, encoding="utf-8")
        yield folder


def _critic(folder: Path) -> Iterator[TopicRow]:
    with scratch_workspace() as workspace:
        for measure, ours, floor, name, goal, number in critic_rows(
            folder, workspace.indexer.shelf.text.embed
        ):
            yield TopicRow("critic", measure, ours, floor, name, goal, number)


def _faults(folder: Path) -> Iterator[TopicRow]:
    """Run the monitor against a site where half of the requests fail: whole, killed, and in little time."""
    with serve_faults() as site, tempfile.TemporaryDirectory() as home:
        whole = run_monitor(f"{home}/whole", site.address)
        same: list[bool] = []
        for kills in _KILLS:
            for requests in kills:
                run_and_kill(Path(home, f"killed{len(same)}"), site, requests)
            resumed = run_monitor(f"{home}/killed{len(same)}", site.address)
            same.append(resumed.markdown == whole.markdown)
        late = 0
        for seconds in _SECONDS:
            started = time.perf_counter()
            run_monitor(f"{home}/in{seconds}", site.address, seconds=seconds)
            late += time.perf_counter() - started > seconds + _LAST_REQUEST_S
        share, number = site.faults / site.requests, site.requests
    gaps = "\n".join(whole.briefing.gaps)
    named = sum(path in gaps for path in LOST)
    yield TopicRow("faults", "requests that failed", share, None, "–", ".50", number)
    yield TopicRow("faults", "same bytes after kill -9", _mean(same), None, "–", "1.00", len(same))
    in_time = 1 - late / len(_SECONDS)
    yield TopicRow("faults", "runs within their seconds", in_time, None, "–", "1.00", len(_SECONDS))
    yield TopicRow("faults", "lost sources that are named", named / len(LOST), None, "–", "1.00", len(LOST))


def _speed(folder: Path) -> Iterator[TopicRow]:
    """Time the first briefing over a thousand documents, from an empty workspace."""
    pages = [page for topic in load_wild(folder) for page in topic.pages][:_DOCUMENTS]
    with scratch_workspace(_NO_READER) as workspace, _as_files(pages) as documents:
        started = time.perf_counter()
        workspace.monitor("Monitor Steam's latest developments", sources=[documents])
        seconds = time.perf_counter() - started
    yield TopicRow("speed", "seconds to the first briefing", seconds, None, "–", "< 120", len(pages))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(len(values), 1)


_MEASURES: dict[str, Callable[[Path], Iterator[TopicRow]]] = {
    "search": _search,
    "reports": _reports,
    "critic": _critic,
    "faults": _faults,
    "speed": _speed,
}
