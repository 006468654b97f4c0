"""The multiple-choice sets of `vidence bench ask`, read into one shape."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from vidence.errors import FileProblem
from vidence.schema.agent import MemoryUnit, VideoCard

__all__ = ["CHOICE_SETS", "CaptionedVideo", "ChoiceItem", "SetName", "load_choices"]

SetName = Literal["egoschema", "nextqa", "videoqa"]
CHOICE_SETS: tuple[SetName, ...] = ("egoschema", "nextqa")


@dataclass(frozen=True)
class CaptionedVideo:
    """A video as its captions tell it."""

    card: VideoCard
    units: tuple[MemoryUnit, ...]


@dataclass(frozen=True)
class ChoiceItem:
    """A question with options, the right one, and where the video shows it, where that is known."""

    item_id: str
    video: CaptionedVideo
    question: str
    options: tuple[str, ...]
    answer: int
    kind: str
    """The set's own type, for reports only: no engine is shown it."""
    spans: tuple[tuple[float, float], ...] = ()

    @property
    def distinct(self) -> tuple[str, ...]:
        """The options without repetitions: a few items offer the same words twice, which no asker would."""
        first: dict[str, str] = {}
        for option in self.options:
            first.setdefault(_plain(option), option)
        return tuple(first.values())

    def is_right(self, option: str) -> bool:
        """Whether an option's words are those of the right one."""
        return _plain(option) == _plain(self.options[self.answer])


def load_choices(name: SetName, folder: Path) -> list[ChoiceItem]:
    """Return the questions of a set, video by video."""
    path = folder / f"{name}.json.gz"
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows: list[dict[str, Any]] = json.load(file)
    except OSError as exc:
        raise FileProblem(f"The set {name} is not at {path}: give its folder with --eval.") from exc
    return [item for row in rows for item in _items(row)]


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
