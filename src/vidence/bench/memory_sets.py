"""The question sets of `vidence bench memory`, read into one shape."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from vidence.errors import FileProblem
from vidence.memory.documents import Document

__all__ = ["SETS", "Question", "QuestionSet", "load_set"]

_UNANSWERABLE = 5


@dataclass(frozen=True)
class Question:
    """A question and the places of the texts that answer it."""

    text: str
    gold: frozenset[int]
    answerable: bool = True


@dataclass(frozen=True)
class QuestionSet:
    """Texts and what is asked of them."""

    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    now: float | None = None
    """When the questions are asked."""
    has_sessions: bool = False


def load_set(name: str, folder: Path, half: str = "all") -> list[QuestionSet]:
    """Return a set, whole or the half that was (or was not) looked at while tuning."""
    path = folder / f"{name}.json.gz"
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            parts = SETS[name](json.load(file))
    except OSError as exc:
        raise FileProblem(f"The set {name} is not at {path}: give its folder with --eval.") from exc
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
        Question(
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
    questions = tuple(Question(row["text"], frozenset(places[one] for one in row["gold"])) for row in rows)
    return QuestionSet(documents, questions)


SETS: dict[str, Callable[[Any], list[QuestionSet]]] = {
    "locomo": _locomo,
    "cmrc2018": _passages,
    "musique": _passages,
    "fairytaleqa": _stories,
}
