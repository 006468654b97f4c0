"""Questions with checks: the spent first list, the readable clips of the second, and our own."""

from __future__ import annotations

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
    return found + _own(shared), load_rules(shared / "media2")


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
