"""The question sets of `vidence bench memory`, read into one shape, and the vectors of their texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidence.bench.shared import load_set_file
from vidence.errors import FileProblem
from vidence.memory.documents import Document
from vidence.models.protocols import TextEmbedder

__all__ = ["SETS", "KeptEmbedder", "MemoryQuestion", "QuestionSet", "load_set"]

_UNANSWERABLE = 5
_BATCH = 64


@dataclass(frozen=True)
class MemoryQuestion:
    """A question and the indices of the texts that answer it."""

    text: str
    gold: frozenset[int]
    answerable: bool = True


@dataclass(frozen=True)
class QuestionSet:
    """Texts and the questions about them."""

    documents: tuple[Document, ...]
    questions: tuple[MemoryQuestion, ...]
    now: float | None = None
    """When the questions are asked."""
    has_sessions: bool = False


def load_set(name: str, folder: Path, half: str = "all") -> list[QuestionSet]:
    """Return a set: all of it, its tuning half or its checking half."""
    parts = SETS[name](load_set_file(name, folder))
    if half == "all":
        return parts
    if name == "locomo":
        return parts[:2] if half == "tuning" else parts[2:]
    first = 0 if half == "tuning" else 1
    return [replace(part, questions=part.questions[first::2]) for part in parts]


def _locomo(data: list[dict[str, Any]]) -> list[QuestionSet]:
    return [_conversation(one["turns"], one["questions"]) for one in data]


def _conversation(turns: list[dict[str, Any]], asked: list[dict[str, Any]]) -> QuestionSet:
    places = {turn["id"]: place for place, turn in enumerate(turns)}
    documents = tuple(
        Document(turn["text"], speaker=turn["speaker"], group=turn["session"], said_at=_when(turn["date"]))
        for turn in turns
    )
    questions = tuple(
        MemoryQuestion(
            row["question"],
            frozenset(places[one] for one in row["evidence"] if one in places),
            answerable=row["category"] != _UNANSWERABLE,
        )
        for row in asked
    )
    kept = tuple(question for question in questions if question.gold or not question.answerable)
    return QuestionSet(documents, kept, now=_when(turns[-1]["date"]), has_sessions=True)


def _when(text: str) -> float:
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").timestamp()


def _passages(data: dict[str, list[dict[str, Any]]]) -> list[QuestionSet]:
    documents = tuple(Document(row["text"], subject=row.get("title")) for row in data["passages"])
    return [_asked([row["id"] for row in data["passages"]], documents, data["queries"])]


def _stories(data: list[dict[str, Any]]) -> list[QuestionSet]:
    rows = [(story["story"], section) for story in data for section in story["sections"]]
    documents = tuple(Document(section["text"], group=story) for story, section in rows)
    asked = [question for story in data for question in story["questions"]]
    return [_asked([section["id"] for _, section in rows], documents, asked)]


def _asked(ids: list[str], documents: tuple[Document, ...], rows: list[dict[str, Any]]) -> QuestionSet:
    places = {name: place for place, name in enumerate(ids)}
    questions = tuple(
        MemoryQuestion(row["text"], frozenset(places[one] for one in row["gold"])) for row in rows
    )
    return QuestionSet(documents, questions)


SETS: dict[str, Callable[[Any], list[QuestionSet]]] = {
    "locomo": _locomo,
    "cmrc2018": _passages,
    "musique": _passages,
    "fairytaleqa": _stories,
}


class KeptEmbedder:
    """An embedder with a cache, in half precision as in the database."""

    def __init__(self, embedder: TextEmbedder, path: Path | None = None) -> None:
        self.real = embedder
        self.model_id, self.dim = embedder.model_id, embedder.dim
        self._path = path
        self._known: dict[str, NDArray[np.float16]] = {}
        if path is not None and path.exists():
            self._read(path)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text."""
        self.prepare(texts)
        return np.stack([self._known[text] for text in texts]).astype(np.float32)

    def prepare(self, texts: Iterable[str]) -> None:
        """Compute the missing vectors, in batches of texts of similar length."""
        missing = sorted({text for text in texts if text not in self._known}, key=len)
        for start in range(0, len(missing), _BATCH):
            some = missing[start : start + _BATCH]
            self._known.update(zip(some, self.real.embed(some).astype(np.float16), strict=True))

    def save(self) -> None:
        """Write the cache to its file, if it has one."""
        if self._path is None or not self._known:
            return
        # One block of UTF-8 needs no pickling.
        encoded = [text.encode(errors="surrogatepass") for text in self._known]
        np.savez(
            self._path,
            model=np.frombuffer(self.model_id.encode(), np.uint8),
            lengths=np.array([len(text) for text in encoded], np.int64),
            texts=np.frombuffer(b"".join(encoded), np.uint8),
            vectors=np.stack(list(self._known.values())),
        )

    def _read(self, path: Path) -> None:
        try:
            with np.load(path, allow_pickle=False) as archive:
                model = archive["model"].tobytes().decode()
                ends = np.cumsum(archive["lengths"]).tolist()
                body, vectors = archive["texts"].tobytes(), archive["vectors"]
        except (OSError, ValueError, KeyError) as exc:
            raise FileProblem(f"{path} holds no sentence vectors: {exc}. Name another file.") from exc
        if model != self.model_id:
            raise FileProblem(f"{path} holds vectors of {model}, not of {self.model_id}. Name another file.")
        for start, end, vector in zip([0, *ends], ends, vectors, strict=False):
            self._known[body[start:end].decode(errors="surrogatepass")] = vector
