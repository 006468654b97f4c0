"""What a model is shown of frames, results, memories and tools: data inside fences, never instructions.

Captions, on-screen text, speech, file names and memories are written by strangers. They reach a model only
inside `[Frame …]` or `<data …>`, and nothing inside can close its own fence.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from vidence.schema.agent import MemoryUnit, VideoCard
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.planning import RecalledNote, ToolCard
from vidence.schema.time import format_timecode

__all__ = [
    "brief_json",
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
_MOST_ITEMS = 8
"""Of a longer list that a tool was given or gives so many are shown."""
_BOOKKEEPING = frozenset({"evidence"})
"""Fields of a tool's result that its lines tell anyway."""
_UNTOLD = frozenset({"object_id", "bbox", "confidence"})
"""Fields of a repeated step that are left out; an entity's id is told, since other operations take it."""
_TIMES = ("timestamp", "start_time", "end_time")
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
    """Return a record under the id that a claim cites; a very long result is cut.

    Of a tool the outputs are told, and each record of its steps with its id. A step that was repeated is told
    in brief: the ledger has the whole, and the operation gives it to whoever asks.
    """
    text, note = _tool_text(record) if record.parts else brief_json(record.result), ""
    if len(text) > MAX_RESULT_CHARS:
        note = f"\n(cut; {len(text) - MAX_RESULT_CHARS} characters more: ask for a shorter span)"
        text = text[:MAX_RESULT_CHARS]
    is_asked = record.kind == "operation"
    given = {name: _few(value) if record.parts else value for name, value in record.arguments.items()}
    asked = f"{cut(brief_json(given))}\n" if is_asked else ""
    return data(f"{asked}{text}", f'record_id="{record.record_id}" operation="{record.source}"') + note


def brief_json(value: object) -> str:
    """Return a value as JSON without blanks and without fields that are null."""
    return json.dumps(_without_nulls(value), ensure_ascii=False, separators=(",", ":"))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_nulls(one) for name, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list | tuple) else value


def _tool_text(record: EvidenceRecord) -> str:
    """Return a tool's outputs, but for results of its steps, and then those: one a line."""
    result = record.result if isinstance(record.result, Mapping) else {}
    results = [part.result for part in record.parts]
    outputs = {
        name: _few(value)
        for name, value in result.items()
        if name not in _BOOKKEEPING and not _is_told(value, results) and value not in (None, [], ())
    }
    lines = [brief_json(outputs)] if outputs else []
    times = Counter(part.source for part in record.parts)
    for source in times:
        lines += _step_lines(source, [part for part in record.parts if part.source == source])
    return "\n".join(lines)


def _is_told(value: Any, results: Sequence[Any]) -> bool:
    """Tell whether an output is the result of a step or a list of such results."""
    if isinstance(value, list):
        return bool(value) and all(_is_told(one, results) for one in value)
    return isinstance(value, Mapping) and any(
        isinstance(one, Mapping) and all(value.get(name) == each for name, each in one.items())
        for one in results
    )


def _step_lines(source: str, parts: Sequence[EvidenceRecord]) -> list[str]:
    """Return a step's results: one as it is; several in brief, those that say the same in one line."""
    if len(parts) == 1:
        return [f"{parts[0].record_id} {source}: {brief_json(parts[0].result)}"]
    first = parts[0].arguments
    varying = [name for name in first if any(one.arguments.get(name) != first[name] for one in parts)]
    lines = [f"{source}, {len(parts)} times:"]
    for told, group in groupby(parts, key=lambda part: brief_json(_brief(_undated(part.result)))):
        lines.append(f"{told}: {'; '.join(_named(one, varying) for one in group)}")
    return lines


def _undated(result: Any) -> Any:
    if not isinstance(result, Mapping):
        return result
    return {name: value for name, value in result.items() if name not in _TIMES}


def _named(record: EvidenceRecord, varying: Sequence[str]) -> str:
    """Return a record's id and what it is about: the arguments in which it differs from others."""
    result = record.result if isinstance(record.result, Mapping) else {}
    told = {name: record.arguments.get(name) for name in varying}
    told |= {name: result[name] for name in _TIMES if name in result}
    return " ".join([record.record_id, *(_value(one) for one in told.values() if one is not None)])


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else brief_json(value)


def _brief(value: Any) -> Any:
    """Return what was found without boxes and confidences; alike things are counted."""
    if isinstance(value, Mapping):
        kept = {name: _brief(one) for name, one in value.items() if name not in _UNTOLD}
        return {name: one for name, one in kept.items() if one not in (None, {})}
    if isinstance(value, list) and all(isinstance(one, Mapping) for one in value):
        counted = Counter(brief_json(_brief(one)) for one in value)
        return [{**json.loads(one), **({"×": n} if n > 1 else {})} for one, n in counted.items()]
    return value


def _few(value: Any) -> Any:
    """Return a long list cut, with how many more there are."""
    if isinstance(value, list | tuple) and len(value) > _MOST_ITEMS:
        return [*value[:_MOST_ITEMS], f"… {len(value) - _MOST_ITEMS} more"]
    return value


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
