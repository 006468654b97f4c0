"""What a model is shown of frames, results, memories and tools: data inside fences, never instructions.

Captions, on-screen text, speech, file names and memories are written by strangers. They reach a model only
inside `[Frame …]` or `<data …>`, and nothing inside can close its own fence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence

from vidence.schema.agent import MemoryUnit, VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.planning import RecalledNote, ToolCard
from vidence.schema.time import format_timecode

__all__ = [
    "cut",
    "data",
    "fenced",
    "frames_text",
    "memories_text",
    "one_line",
    "options_text",
    "record_text",
    "records_text",
    "tools_text",
    "videos_text",
]

MAX_RESULT_CHARS = 6000
"""A model is shown at most this much of one result; the ledger keeps all of it."""
MAX_CAPTION_CHARS = 1500
"""And this much of one caption, name, memory or argument list: a subtitle line may be as long as a book."""
NOTHING = "–"
_FENCE = re.compile(r"<(?=\s*/?\s*data)", re.IGNORECASE)
_SPACES = re.compile(r"\s+")
_BRACKETS = str.maketrans({"[": "(", "]": ")", "\u2028": " ", "\u2029": " "})


def data(text: str, label: str = "") -> str:
    """Return `text` inside a data fence."""
    return f"<data{' ' if label else ''}{label}>\n{fenced(text)}\n</data>"


def fenced(text: str) -> str:
    """Return `text` unable to open or close a data fence."""
    return _FENCE.sub("‹", text)


def one_line(text: str) -> str:
    """Return `text` on one line, unable to close its bracket or to open a fence."""
    return fenced(_SPACES.sub(" ", text.translate(_BRACKETS)).strip())


def cut(text: str, most: int = MAX_CAPTION_CHARS) -> str:
    """Return a text of at most so many characters, with a mark where it was cut."""
    return text if len(text) <= most else f"{text[:most]} … (cut; {len(text) - most} characters more)"


def frames_text(frames: Iterable[MemoryUnit]) -> str:
    """Return frames as `[Frame 6: caption] [Frame 7: caption]`."""
    return " ".join(f"[Frame {one.frame_id}: {_when(one)}{one_line(cut(one.caption))}]" for one in frames)


def record_text(record: EvidenceRecord) -> str:
    """Return a record under the id that a claim cites; a very long result is cut."""
    text, note = json.dumps(record.result, ensure_ascii=False), ""
    if len(text) > MAX_RESULT_CHARS:
        note = f"\n(cut; {len(text) - MAX_RESULT_CHARS} characters more: ask for a shorter span)"
        text = text[:MAX_RESULT_CHARS]
    is_asked = record.kind == "operation"
    asked = f"{cut(json.dumps(record.arguments, ensure_ascii=False))}\n" if is_asked else ""
    return data(f"{asked}{text}", f'record_id="{record.record_id}" operation="{record.source}"') + note


def records_text(records: Iterable[EvidenceRecord]) -> str:
    """Return records, one below the other."""
    return "\n".join(record_text(record) for record in records)


def options_text(options: Sequence[str], heading: str) -> str:
    """Return the options, numbered from 0, or nothing."""
    if not options:
        return ""
    lines = "\n".join(f"{number}. {one_line(option)}" for number, option in enumerate(options))
    return f"{heading}\n{lines}\n"


def videos_text(videos: Sequence[VideoCard], heading: str = "") -> str:
    """Return the videos that may be looked at, one a line, or nothing; a stranger chose their names."""
    lines = [
        f"- {video.video_id}: {one_line(cut(video.name))}, {video.duration_s:.1f} s"
        f"{'' if video.has_audio else ', no sound'}"
        for video in videos
    ]
    if not lines:
        return ""
    listed = data("\n".join(lines), 'kind="videos"')
    return f"{heading}\n{listed}" if heading else listed


def memories_text(memories: Sequence[RecalledNote]) -> str:
    """Return recalled memories, each with its id and speaker."""
    lines = [
        f"{one.memory_id} ({one.memory_type}, {one.speaker or NOTHING}): {cut(one.content)}"
        for one in memories
    ]
    return data("\n".join(lines), 'kind="memories"') if lines else NOTHING


def tools_text(tools: Sequence[ToolCard]) -> str:
    """Return the tools, one a line."""
    return "\n".join(f"- {tool.name}: {tool.description}" for tool in tools) or NOTHING


def _when(frame: MemoryUnit) -> str:
    if frame.timestamp_s is None:
        return ""
    where = f" of {frame.video_id}" if frame.video_id else ""
    return f"({format_timecode(frame.timestamp_s)}{where}) "
