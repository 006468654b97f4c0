"""Text from outside inside a fence it cannot close: data, never instructions."""

from __future__ import annotations

import json
import re

from vidence.schema.evidence import EvidenceRecord
from vidence.schema.planning import RecalledNote, ToolCard

__all__ = ["data", "memories_text", "records_text", "tools_text"]

_FENCE = re.compile(r"<(?=\s*/?\s*data)", re.IGNORECASE)
_MAX_RECORD_CHARS = 6000


def data(text: str, label: str = "") -> str:
    """Fence `text`; a fence inside it is made harmless."""
    head = f"<data {label}>" if label else "<data>"
    return f"{head}\n{_FENCE.sub('‹', text)}\n</data>"


def memories_text(memories: tuple[RecalledNote, ...]) -> str:
    """Return recalled memories, each under its id, with who said it."""
    lines = [f"{one.memory_id} ({one.memory_type}, {one.speaker or '–'}): {one.content}" for one in memories]
    return data("\n".join(lines), 'kind="memories"') if lines else "–"


def records_text(records: tuple[EvidenceRecord, ...]) -> str:
    """Return what the tools found, each under the id a claim cites."""
    return "\n".join(_record(record) for record in records) or "–"


def tools_text(tools: tuple[ToolCard, ...]) -> str:
    """Return the tools, one a line."""
    return "\n".join(f"- {tool.name}: {tool.description}" for tool in tools) or "–"


def _record(record: EvidenceRecord) -> str:
    text = json.dumps(record.result, ensure_ascii=False)[:_MAX_RECORD_CHARS]
    return data(text, f'record_id="{record.record_id}" source="{record.source}"')
