"""Questions with checks: the spent first list, the readable clips of the second, our own, and photographs.

PHOTOGRAPHS names the folder that `training.answers.photographs` wrote; STRANGERS names folders like
`../shared/media2`, with a colon between, of other people's clips and questions. Without them there are none.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidence.bench.ask_sets import Rules, load_open, load_rules

OWN = Path(__file__).with_name("questions.tsv")
_NO = (
    r"^\W*(?:no|none|nothing|nobody|never|not)\b|\b(?:does not|doesn.t|do not|don.t|did not|is not|"
    r"isn.t|are not|aren.t|there (?:is|are|was|were) no)\b|^\W*(?:不|没|否|无|并没|并不)|没有|无法"
)
_YES = r"^\W*(?:yes|yeah)\b|^\W*(?:是|有|对|会|能|可以)"


@dataclass(frozen=True)
class Asked:
    """A question about a clip, and how its answer is checked."""

    item_id: str
    video: Path
    question: str
    kind: str
    check: dict[str, Any]
    origin: str


def load_questions(shared: Path) -> tuple[list[Asked], Rules]:
    """Return all questions that may be read, and the rules that check answers."""
    found = [
        Asked(item.item_id, item.video, item.question, item.kind, item.check, name)
        for name in ("media", "media2")
        for item in load_open(shared / name)
        if not item.is_hidden
    ]
    return found + _own(shared) + _photographs() + _strangers(), load_rules(shared / "media2")


def _strangers() -> list[Asked]:
    folders = [Path(name) for name in os.environ.get("STRANGERS", "").split(":") if name]
    return [
        Asked(item.item_id, item.video, item.question, item.kind, item.check, "stranger")
        for folder in folders
        for item in load_open(folder)
    ]


def _photographs() -> list[Asked]:
    folder = os.environ.get("PHOTOGRAPHS")
    if not folder:
        return []
    place = Path(folder)
    rows = json.loads((place / "questions.json").read_text(encoding="utf-8"))
    return [
        Asked(row["id"], place / row["video"], row["question"], row["type"], _people(row), "photograph")
        for row in rows
    ]


def _people(row: dict[str, Any]) -> dict[str, Any]:
    """Return the check for what people answer: three of ten make an answer right."""
    answers: list[str] = row["answers"]
    if row["type"] == "yes/no" and set(answers) <= {"yes", "no"}:
        return _check(answers[0]) if len(answers) == 1 else {"kind": "regex", "accept": f"{_YES}|{_NO}"}
    if row["type"] == "number" and all(one.isdigit() for one in answers):
        values = [float(one) for one in answers]
        middle = (min(values) + max(values)) / 2
        return {"kind": "number", "value": middle, "tol": max(values) - middle}
    return {"kind": "regex", "accept": "|".join(rf"\b{re.escape(one)}(?:s|es)?\b" for one in answers)}


def _own(shared: Path) -> list[Asked]:
    rows = [line.split("\t") for line in OWN.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    found = []
    for number, (clip, kind, question, check) in enumerate(rows):
        video = next(
            path for name in ("media", "media2") if (path := shared / name / "videos" / clip).exists()
        )
        found.append(Asked(f"own_{number:03d}", video, question, kind, _check(check), "own"))
    return found


def _check(text: str) -> dict[str, Any]:
    name, _, value = text.partition(":")
    match name:
        case "yes":
            return {"kind": "regex", "accept": _YES, "reject": _NO}
        case "no":
            return {"kind": "regex", "accept": _NO}
        case "abstain":
            return {"kind": "abstain"}
        case "num":
            number, _, tolerance = value.partition("~")
            return {"kind": "number", "value": float(number), "tol": float(tolerance or 0)}
        case "time":
            start, _, end = value.partition("-")
            return {"kind": "time_in", "start": float(start), "end": float(end)}
        case "re":
            return {"kind": "regex", "accept": value}
        case "all":
            return {"kind": "regex_all", "accept": value.split("&&")}
    raise ValueError(f"unknown check: {text}")
