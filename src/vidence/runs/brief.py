"""A record in one line for a person: when, by which sense, and what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from vidence.language.colours import colour_word, find_colours
from vidence.language.labels import chinese_number, label_in, measure_word
from vidence.language.phrases import phrase
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation, EvidenceRecord

__all__ = ["brief_result", "cited_span", "evidence_line", "short_time", "source_name"]

_SOURCES: dict[str, tuple[str, str]] = {
    "frame": ("picture", "画面"),
    "memory": ("memory", "记忆"),
    "get_video_info": ("video", "视频信息"),
    "get_temporal_structure": ("shots", "镜头"),
    "describe_visual": ("picture", "画面"),
    "detect_objects": ("objects", "物体"),
    "recognize_activity": ("activity", "活动"),
    "get_scene_attributes": ("scene", "场景"),
    "get_transcript": ("transcript", "语音"),
    "detect_audio_events": ("sounds", "声音"),
    "register_entity": ("entity", "对象"),
    "track_entity": ("track", "轨迹"),
    "query_entity_state": ("entity", "对象"),
    "spatial_relation": ("places", "位置关系"),
    "temporal_search": ("search", "搜索"),
    "get_notes": ("notes", "笔记"),
    "find_similar_segments": ("similar", "相似片段"),
    "read_memory": ("memory", "记忆"),
    "lookup_knowledge": ("story", "故事"),
    "find_connection": ("story", "故事"),
    "track_journey": ("story", "故事"),
    "get_character_events": ("story", "故事"),
    "search_memory": ("story", "故事"),
    "platform_search": ("search the sources", "搜索来源"),
    "web_scrape": ("read pages", "阅读网页"),
    "memory_search": ("earlier findings", "已有发现"),
    "timeline_query": ("timeline", "时间线"),
    "analyze_sentiment": ("tone", "语气"),
    "competitor_lookup": ("competitors", "竞争者"),
}
_LABELS = (
    "text",
    "label",
    "event_type",
    "description",
    "category",
    "content",
    "trajectory_summary",
    "answer",
    "title",
)
_NAMED = ("label", "event_type", "category", "trajectory_summary")
"""Fields that hold a label of ours, which has a name in either language."""
_QUOTED = ("get_transcript", "read_memory", "frame")
_LEEWAY_S = 1.0
_MAX_CHARS = 160
_MAX_ITEMS = 6


def evidence_line(record: EvidenceRecord, citation: Citation, language: AnswerLanguage) -> str:
    """Return `[00:18–00:20] transcript: "…"`."""
    span = cited_span(record, citation)
    when = "" if span is None else f"[{_times(*span)}] "
    # What detection names (a colour, a category) is clearer with the thing it belongs to than by itself.
    quote = None if citation.quote and _names_something(record, citation.quote) else citation.quote
    said = quote or brief_result(record, span, language)
    text = f"“{said}”" if record.source in _QUOTED or quote else said
    source = _note_kind(record, citation, language) or source_name(record.source, language)
    return f"{when}{source}: {text}"


def _note_kind(record: EvidenceRecord, citation: Citation, language: AnswerLanguage) -> str:
    """Return by which sense a cited note came about: said, written on screen, seen, …"""
    notes = record.result.get("notes") if isinstance(record.result, dict) else None
    for note in notes if record.source == "get_notes" and isinstance(notes, list) else ():
        if isinstance(note, dict) and citation.quote and citation.quote == note.get("text"):
            return phrase(f"note_{note['kind']}", language)
    return ""


def source_name(source: str, language: AnswerLanguage) -> str:
    """Return what a person calls the operation."""
    english, chinese = _SOURCES.get(source, (source, source))
    return chinese if language == "zh" else english


def cited_span(record: EvidenceRecord, citation: Citation) -> tuple[float, float] | None:
    """Return the times a citation speaks of: its own, else those of the record."""
    start, end = citation.start_time, citation.end_time
    if start is not None or end is not None:
        first = start if start is not None else end
        last = end if end is not None else start
        assert first is not None
        assert last is not None
        return first, last
    if record.span is not None:
        return record.span.start_time, record.span.end_time
    moment = record.result.get("timestamp") if isinstance(record.result, dict) else None
    return (float(moment), float(moment)) if isinstance(moment, int | float) else None


def brief_result(
    record: EvidenceRecord, span: tuple[float, float] | None = None, language: AnswerLanguage = "en"
) -> str:
    """Return what a record says within a span, in one line."""
    result = record.result
    if not isinstance(result, dict):
        return _cut(str(result))
    for items in result.values():
        rows = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
        if rows:
            kept = [row for row in rows if _within(row, span)] or rows
            return _cut(_listed(kept, language))
    if any(isinstance(value, list) for value in result.values()):
        return "没有" if language == "zh" else "nothing"
    told = [str(result[name]) for name in ("title", "description", "answer") if result.get(name)]
    return _cut(told[0] if told else _facts(result, language))


def short_time(seconds: float) -> str:
    """Write seconds as `MM:SS`, or `H:MM:SS` from an hour on."""
    whole = max(0, int(seconds + 0.5))
    hours, rest = divmod(whole, 3600)
    tail = f"{rest // 60:02d}:{rest % 60:02d}"
    return f"{hours}:{tail}" if hours else tail


def _times(start_s: float, end_s: float) -> str:
    first, last = short_time(start_s), short_time(end_s)
    return first if first == last else f"{first}–{last}"


def _within(item: Mapping[str, Any], span: tuple[float, float] | None) -> bool:
    start = item.get("start_time", item.get("timestamp"))
    end = item.get("end_time", start)
    if span is None or not isinstance(start, int | float) or not isinstance(end, int | float):
        return True
    return start <= span[1] + _LEEWAY_S and end >= span[0] - _LEEWAY_S


def _listed(items: Sequence[Mapping[str, Any]], language: AnswerLanguage) -> str:
    """List things by their label; several of a kind are counted."""
    timed = [item for item in items if not any(item.get(name) for name in _LABELS)]
    if timed:
        return ", ".join(
            _times(float(item["start_time"]), float(item["end_time"]))
            for item in items[:_MAX_ITEMS]
            if "start_time" in item and "end_time" in item
        )
    counted = Counter(_label(item, language) for item in items)
    shown = [_several(label, measure, number) for (label, measure), number in counted.items()]
    more = ["…"] if len(shown) > _MAX_ITEMS else []
    return ("；" if language == "zh" else "; ").join([*shown[:_MAX_ITEMS], *more])


def _several(label: str, measure: str, number: int) -> str:
    """Return how many of a thing there are: "2 × car", 两辆汽车."""
    if number == 1:
        return label
    return f"{chinese_number(number)}{measure}{label}" if measure else f"{number} × {label}"


def _label(item: Mapping[str, Any], language: AnswerLanguage) -> tuple[str, str]:
    """Return the name of a thing in a language, and in Chinese the measure word it is counted with."""
    key = next(key for key in _LABELS if item.get(key))
    said = str(item[key])
    if key not in _NAMED:
        return said.replace("_", " "), ""
    name = label_in(said, language)
    if "category" not in item:
        return name, ""
    attributes = item.get("attributes")
    colour = (
        attributes.get("color") or attributes.get("clothing_color") if isinstance(attributes, dict) else None
    )
    if language == "zh":
        words = "、".join(colour_word(one, "zh") for one in find_colours(str(colour))) if colour else ""
        return f"{name}（{words}）" if words else name, measure_word(said)
    return f"{name} ({colour})" if colour else name, ""


def _names_something(record: EvidenceRecord, quote: str) -> bool:
    """Tell whether a detection's quoted word is a label of ours rather than text read in the picture."""
    found = record.result.get("objects") if isinstance(record.result, dict) else None
    if record.source != "detect_objects" or not isinstance(found, list):
        return False
    attributes = [item.get("attributes") for item in found if isinstance(item, dict)]
    return not any(isinstance(known, dict) and known.get("text") for known in attributes)


def _facts(result: Mapping[str, Any], language: AnswerLanguage) -> str:
    comma, gap = ("，", "：") if language == "zh" else (", ", " ")
    return comma.join(
        f"{label_in(name, language)}{gap}{label_in(value, language) if isinstance(value, str) else value}"
        for name, value in result.items()
        if isinstance(value, str | int | float)
    )


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _MAX_CHARS else f"{flat[: _MAX_CHARS - 1]}…"
