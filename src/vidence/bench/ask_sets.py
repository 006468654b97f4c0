"""The question sets of `vidence bench ask`: multiple choice over captions, and open questions about clips."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from vidence.bench.shared import load_set_file
from vidence.errors import FileProblem
from vidence.schema.agent import MemoryUnit, VideoCard

__all__ = [
    "CHOICE_SETS",
    "OPEN_SETS",
    "CaptionedVideo",
    "ChoiceItem",
    "OpenItem",
    "Rules",
    "SetName",
    "load_choices",
    "load_open",
    "load_rules",
]

SetName = Literal["egoschema", "nextqa", "videoqa", "media2"]
CHOICE_SETS: tuple[SetName, ...] = ("egoschema", "nextqa")
OPEN_SETS: dict[SetName, str] = {"videoqa": "media", "media2": "media2"}
"""The folder of each set of open questions."""
_READABLE = frozenset({"bili_income", "clay_boy", "shop_cctv", "climber"})
"""The clips of the second list whose questions may be read while working; the others are only scored."""
Rules = Callable[[dict[str, Any], str], bool | None]
"""Decides whether an answer passes a question's check."""


@dataclass(frozen=True)
class CaptionedVideo:
    """A video given by its captions."""

    card: VideoCard
    units: tuple[MemoryUnit, ...]


@dataclass(frozen=True)
class ChoiceItem:
    """A question with options, the right one, and the gold spans where they are known."""

    item_id: str
    video: CaptionedVideo
    question: str
    options: tuple[str, ...]
    answer: int
    kind: str
    """The question type of the set, for reports only; engines do not see it."""
    spans: tuple[tuple[float, float], ...] = ()

    @property
    def distinct(self) -> tuple[str, ...]:
        """The options without duplicates, which a few items have."""
        first: dict[str, str] = {}
        for option in self.options:
            first.setdefault(_plain(option), option)
        return tuple(first.values())

    def is_right(self, option: str) -> bool:
        """Return whether an option has the same words as the right one."""
        return _plain(option) == _plain(self.options[self.answer])


@dataclass(frozen=True)
class OpenItem:
    """A question about a clip."""

    item_id: str
    video: Path
    question: str
    kind: str
    check: dict[str, Any]
    """Read by the scoring rules, which define its shape."""
    is_hidden: bool = False
    """Whether the question is only scored: neither it nor its answer is shown or kept."""


def load_choices(name: SetName, folder: Path) -> list[ChoiceItem]:
    """Return the questions of a set, video by video."""
    return [item for row in load_set_file(name, folder) for item in _items(row)]


def load_open(media: Path) -> list[OpenItem]:
    """Return the questions about the shared clips."""
    path = media / "qa.json"
    try:
        items = json.loads(path.read_text(encoding="utf-8"))["items"]
    except OSError as exc:
        raise FileProblem(f"The questions about the clips are not at {path}: set VIDENCE_SHARED.") from exc
    is_second = media.name == OPEN_SETS["media2"]
    return [
        OpenItem(
            row["id"],
            media / "videos" / row["video"],
            row["question"],
            row["type"],
            row["check"],
            is_hidden=is_second and Path(row["video"]).stem not in _READABLE,
        )
        for row in items
    ]


def load_rules(media: Path) -> Rules:
    """Return the scoring rules that come with the questions."""
    path = media / "score_qa.py"
    spec = importlib.util.spec_from_file_location("vidence_shared_score_qa", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileProblem(f"The scoring rules are not at {path}: set VIDENCE_SHARED.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rules: Rules = module.ok
    return rules


def _items(row: dict[str, Any]) -> Iterator[ChoiceItem]:
    video = _video(row)
    for asked in row["questions"]:
        yield ChoiceItem(
            item_id=asked["id"],
            video=video,
            question=asked["question"],
            options=tuple(asked["options"]),
            answer=asked["answer"],
            kind=asked.get("type", "all"),
            spans=tuple((float(start), float(end)) for start, end in asked.get("spans") or ()),
        )


def _video(row: dict[str, Any]) -> CaptionedVideo:
    name = str(row["video"])
    card = VideoCard(video_id=name, name=name, duration_s=float(row["duration"]), has_audio=False)
    units = tuple(
        MemoryUnit(frame_id=number, caption=text, timestamp_s=float(time_s), video_id=name)
        for number, (time_s, text) in enumerate(row["captions"])
    )
    return CaptionedVideo(card, units)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum()) or text.strip()
