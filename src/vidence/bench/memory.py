"""`vidence bench memory`: recall and speed of retrieval, beside plain BM25 and plain embeddings."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from vidence.bench.memory_sets import SETS, KeptEmbedder, MemoryQuestion, QuestionSet, load_set
from vidence.bench.report import output, print_json, print_table
from vidence.bench.shared import require, scratch_workspace, shared_folder
from vidence.errors import BackendError, MissingExtra
from vidence.memory import HybridRetriever, MemoryBook
from vidence.memory.embedding import document_texts
from vidence.memory.relevance import NOTHING_RELEVANT
from vidence.models.protocols import TextEmbedder
from vidence.schema.memory import NewMemory
from vidence.store import Store, open_store

__all__ = ["command"]

_DEPTH = 10
_TIMED = 50
"""Number of questions used to time the embedder alone."""

Ranker = Callable[[str, float | None], list[int]]


@dataclass
class Score:
    """The figures of one system on one set."""

    name: str
    system: str
    recall: dict[int, float] = field(default_factory=dict)
    groups: float | None = None
    abstained: float | None = None
    abstained_wrongly: float | None = None
    query_ms: float = 0.0
    embed_ms: float = 0.0


@click.command("memory")
@click.option("--set", "names", multiple=True, type=click.Choice(list(SETS)), help="Only these sets.")
@click.option("--eval", "folder", type=click.Path(path_type=Path), help="Folder of the sets.")
@click.option("--half", type=click.Choice(["all", "tuning", "checking"]), default="all", show_default=True)
@click.option("--scale", default=100_000, show_default=True, help="Memories of the speed test; 0 skips it.")
@click.option(
    "--vectors",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Save the sentence vectors in this .npz file, so that the next run need not compute them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    names: tuple[str, ...], folder: Path | None, half: str, scale: int, vectors: Path | None, as_json: bool
) -> None:
    """Search LoCoMo, CMRC2018, MuSiQue and FairytaleQA, and 100,000 memories for speed.

    \b
    Example:
      vidence bench memory --set locomo --scale 0
    """
    require("The comparison with bm25s", "bm25s")
    source = folder or shared_folder() / "eval"
    model = _embedder()
    embedder = None if model is None else KeptEmbedder(model, vectors)
    scores: list[Score] = []
    for name in names or SETS:
        for score in _measure(name, source, half, embedder):
            click.echo(f"{score.name}, {score.system}: {_brief(score)}", err=True)
            scores.append(score)
        if embedder is not None:
            embedder.save()
    speed = _speed(scale, model) if scale else {}
    console = output()
    if as_json:
        print_json(console, {"sets": [asdict(score) for score in scores], "speed": speed})
        return
    headings = (
        "set",
        "search",
        "R@1",
        "R@5",
        "R@10",
        "session R@10",
        "abstains",
        "wrongly",
        "ms",
        "embed ms",
    )
    print_table(console, "recall, abstention and p50 a query", headings, [_row(score) for score in scores])
    if speed:
        print_table(console, f"at {scale:,} memories", list(speed), [list(speed.values())])


def _embedder() -> TextEmbedder | None:
    with scratch_workspace() as workspace:
        try:
            return workspace.indexer.shelf.text
        except BackendError as exc:
            click.echo(f"without embeddings: {exc}", err=True)
            return None


def _measure(name: str, folder: Path, half: str, embedder: KeptEmbedder | None) -> Iterator[Score]:
    parts = load_set(name, folder, half)
    if embedder is not None:
        embedder.prepare(text for part in parts for one in part.documents for text in document_texts(one))
    yield _ours(name, parts, embedder)
    yield _plain(name, "bm25s", parts, _bm25s)
    if embedder is not None:
        model = embedder
        yield _plain(name, "embeddings", parts, lambda part: _embeddings(part, model))


def _ours(name: str, parts: Sequence[QuestionSet], embedder: KeptEmbedder | None) -> Score:
    score = Score(name, "vidence")
    ranks: list[tuple[MemoryQuestion, list[int]]] = []
    groups, times = [], []
    said: dict[bool, list[bool]] = {True: [], False: []}
    for part in parts:
        retriever = HybridRetriever(embedder=embedder)
        retriever.add_documents(part.documents)
        for question in part.questions:
            found = retriever.search(question.text, _DEPTH, now=part.now)
            times.append(found.seconds)
            said[question.answerable].append(found.answerable < NOTHING_RELEVANT)
            if question.answerable:
                ranks.append((question, [hit.index for hit in found.hits]))
                if part.has_sessions:
                    groups.append(_group_recall(part, retriever, question))
    score.recall = _recalls(ranks)
    score.groups = float(np.mean(groups)) if groups else None
    score.abstained = float(np.mean(said[False])) if said[False] else None
    score.abstained_wrongly = float(np.mean(said[True])) if said[True] else None
    score.query_ms = float(np.median(times)) * 1e3
    asked = [question.text for part in parts for question in part.questions][:_TIMED]
    score.embed_ms = _timed(lambda text: embedder.real.embed([text]), asked) if embedder else 0.0
    return score


def _group_recall(part: QuestionSet, retriever: HybridRetriever, question: MemoryQuestion) -> float:
    column = retriever.documents.column("group")
    gold = {int(column[index]) for index in question.gold}
    return len(gold & set(retriever.rank_groups(question.text, now=part.now)[:_DEPTH])) / len(gold)


def _plain(
    name: str, system: str, parts: Sequence[QuestionSet], build: Callable[[QuestionSet], Ranker]
) -> Score:
    ranks: list[tuple[MemoryQuestion, list[int]]] = []
    times = []
    for part in parts:
        rank = build(part)
        for question in part.questions:
            if question.answerable:
                started = time.perf_counter()
                found = rank(question.text, part.now)
                times.append(time.perf_counter() - started)
                ranks.append((question, found))
    return Score(name, system, _recalls(ranks), query_ms=float(np.median(times)) * 1e3)


def _bm25s(part: QuestionSet) -> Ranker:
    try:
        import bm25s
    except ImportError as exc:
        raise MissingExtra("The comparison with bm25s", "bench") from exc
    index = bm25s.BM25()
    texts = [f"{one.subject or ''} {one.speaker or ''} {one.text}" for one in part.documents]
    index.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    depth = min(_DEPTH, len(texts))

    def rank(query: str, now: float | None) -> list[int]:
        asked = bm25s.tokenize([query], show_progress=False)
        return [int(i) for i in index.retrieve(asked, k=depth, show_progress=False)[0][0]]

    return rank


def _embeddings(part: QuestionSet, embedder: KeptEmbedder) -> Ranker:
    texts = [": ".join(filter(None, (one.subject, one.speaker, one.text))) for one in part.documents]
    table = np.concatenate([embedder.embed(texts[at : at + 64]) for at in range(0, len(texts), 64)])

    def rank(query: str, now: float | None) -> list[int]:
        scores: NDArray[np.float32] = table @ embedder.embed([query])[0]
        return [int(i) for i in np.argsort(-scores, kind="stable")[:_DEPTH]]

    return rank


def _recalls(ranks: Sequence[tuple[MemoryQuestion, list[int]]]) -> dict[int, float]:
    return {
        k: float(
            np.mean([len(question.gold & set(found[:k])) / len(question.gold) for question, found in ranks])
        )
        for k in (1, 5, 10)
    }


class _Ready:
    """An embedder that returns random unit vectors at once, to time the search alone."""

    model_id, dim = "random-512", 512

    def __init__(self) -> None:
        self._random = np.random.default_rng(0)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = self._random.standard_normal((len(texts), self.dim), dtype=np.float32)
        found: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return found


def _speed(scale: int, embedder: TextEmbedder | None) -> dict[str, float]:
    """Fill a memory book on disk, then time adding, finding and opening; time the embedder separately."""
    random = np.random.default_rng(1)
    words = np.array([f"word{n}" for n in range(20_000)])
    odds = 1 / np.arange(1, len(words) + 1)
    texts = [" ".join(row) for row in random.choice(words, (scale + 100, 18), p=odds / odds.sum())]
    with (
        tempfile.TemporaryDirectory(prefix="vidence-bench-") as home,
        open_store(Path(home)) as store,
    ):
        book = MemoryBook(store.memories, "bench", embedder=_Ready())
        with store.unit_of_work():
            for n, text in enumerate(texts[:scale]):
                book.write(NewMemory(content=text, session_id=f"s{n // 100}"))
        added = _timed(lambda text: book.write(NewMemory(content=text)), texts[scale:])
        asked = [" ".join(text.split()[:6]) for text in texts[:60]]
        found = _timed(lambda text: book.recall(text, 10), asked)
        first, opened = _opened(store), _opened(store)
    apart = _timed(lambda text: embedder.embed([text]), asked) if embedder else 0.0
    return {
        "query ms": found,
        "add ms": added,
        "first open s": round(first, 2),
        "open s": round(opened, 2),
        "embed ms": apart,
    }


def _opened(store: Store) -> float:
    """Time opening a scope in a new process; the first time builds its index and stores it."""
    started = time.perf_counter()
    MemoryBook(store.memories, "bench", embedder=_Ready()).sync()
    return time.perf_counter() - started


def _timed(act: Callable[[str], object], texts: Sequence[str]) -> float:
    times = []
    for text in texts:
        started = time.perf_counter()
        act(text)
        times.append(time.perf_counter() - started)
    return float(np.median(times)) * 1e3


def _brief(score: Score) -> str:
    return ", ".join(f"R@{k} {value:.3f}" for k, value in score.recall.items())


def _row(score: Score) -> list[str | float | None]:
    recall = [score.recall[k] for k in (1, 5, 10)]
    return [
        score.name, score.system, *recall, score.groups, score.abstained, score.abstained_wrongly,
        round(score.query_ms, 2), round(score.embed_ms, 2),
    ]  # fmt: skip
