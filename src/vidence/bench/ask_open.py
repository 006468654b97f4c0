"""The open questions of `vidence bench ask videoqa`: real clips, raw video, scored by their own rules."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vidence.errors import FileProblem

__all__ = ["OpenItem", "Rules", "load_open", "load_rules"]

Rules = Callable[[dict[str, Any], str], bool | None]
"""Says whether an answer meets a question's check."""


@dataclass(frozen=True)
class OpenItem:
    """A question about a clip."""

    item_id: str
    video: Path
    question: str
    kind: str
    check: dict[str, Any]
    """As the scoring rules read it; its shape is theirs."""


def load_open(media: Path) -> list[OpenItem]:
    """Return the questions about the shared clips."""
    path = media / "qa.json"
    try:
        items = json.loads(path.read_text(encoding="utf-8"))["items"]
    except OSError as exc:
        raise FileProblem(f"The questions about the clips are not at {path}: set VIDENCE_SHARED.") from exc
    return [
        OpenItem(row["id"], media / "videos" / row["video"], row["question"], row["type"], row["check"])
        for row in items
    ]


def load_rules(media: Path) -> Rules:
    """Return the very rules the questions come with."""
    path = media / "score_qa.py"
    spec = importlib.util.spec_from_file_location("vidence_shared_score_qa", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileProblem(f"The scoring rules are not at {path}: set VIDENCE_SHARED.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rules: Rules = module.ok
    return rules
