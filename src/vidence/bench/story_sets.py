"""The material of `vidence bench story`, as texts to add to a story and questions with their answers."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidence.bench.shared import load_set_file
from vidence.errors import FileProblem
from vidence.knowledge.mentions import NameFinder

__all__ = [
    "AskedStory",
    "StoryRow",
    "fairy_tales",
    "friends",
    "load_novel",
    "load_relations",
    "name_finder",
    "verdicts",
]

VERDICT_MODELS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")


@dataclass(frozen=True)
class StoryRow:
    """One measure: ours, the floor in the same run, the goal, and on how many cases."""

    measure: str
    ours: float | None
    floor: float | None
    floor_name: str
    goal: str
    cases: int


@dataclass(frozen=True)
class AskedStory:
    """A text and questions about it, each with its possible answers."""

    name: str
    text: str
    questions: tuple[tuple[str, tuple[str, ...]], ...]


def fairy_tales(folder: Path) -> list[AskedStory]:
    """Return the stories of FairytaleQA, each whole."""
    return [
        AskedStory(
            row["story"],
            "\n\n".join(section["text"] for section in row["sections"]),
            tuple((one["text"], (one["answer"],)) for one in row["questions"]),
        )
        for row in load_set_file("fairytaleqa", folder / "eval")
    ]


def friends(folder: Path) -> list[AskedStory]:
    """Return the scenes of FriendsQA as scripts: a speaker and a line."""
    found = []
    for scene in load_set_file("friendsqa", folder / "story")["data"]:
        for part in scene["paragraphs"]:
            lines = [f"{', '.join(one['speakers'])}: {one['utterance']}" for one in part["utterances:"]]
            asked = tuple(
                (row["question"], tuple(dict.fromkeys(one["answer_text"] for one in row["answers"])))
                for row in part["qas"]
                if row["answers"]
            )
            found.append(AskedStory(scene["title"], "\n".join(lines), asked))
    return found


def load_novel(folder: Path) -> str:
    """Return 红楼梦."""
    path = folder / "story" / "hongloumeng.txt.gz"
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return file.read()
    except OSError as exc:
        raise FileProblem(f"The novel is not at {path}.") from exc


def load_relations(folder: Path) -> list[tuple[str, str, str]]:
    """Return the known relations of the novel: A, B and what A is to B."""
    path = folder / "eval" / "hongloumeng_relations.csv"
    with path.open(encoding="utf-8") as file:
        return [(row[0], row[1], row[2]) for row in csv.reader(file) if len(row) >= 3]


def name_finder(names: str) -> NameFinder:
    """Return a finder of the people of the Chinese quotations: each line a gender, a name and other names."""
    known: dict[str, str] = {}
    for line in names.splitlines():
        _, *forms = line.split() or [""]
        for form in forms:
            if len(form) > 1:
                known.setdefault(form, forms[0])
    return NameFinder(known)


def verdicts(folder: Path, *, odd: bool) -> list[tuple[str, str, str, str, bool]]:
    """Return model, question, reference, answer and verdict of the odd (left out) or even questions."""
    rows: list[dict[str, Any]] = [
        row for row in load_set_file("answer_verdicts", folder / "story") if not row["improper"]
    ]
    return [
        (model, row["question"], row["golden_answer"], row[f"answer_{model}"], bool(row[f"judge_{model}"]))
        for row in rows[int(odd) :: 2]
        for model in VERDICT_MODELS
        if row[f"judge_{model}"] is not None and row[f"answer_{model}"]
    ]
