"""Content analysis by a language model; the fallback fills in what it leaves out or gets wrong."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import date
from typing import Any

from pydantic import ValidationError

from vidence.errors import BackendError
from vidence.language.identify import has_han
from vidence.llm.blocks import json_candidates
from vidence.llm.protocol import Engine
from vidence.memory.content_analyzer import ContentAnalyzer
from vidence.prompts import Prompt
from vidence.prompts.build import build_content_analysis_prompt
from vidence.schema.planning import ContentAnalysis, ContentVariables

__all__ = ["EngineAnalyst", "content_skill"]

_LOGGER = logging.getLogger(__name__)
_MAX_CHARS = 12_000
_MOST = {"keywords": 8, "entities": 20, "topics": 3, "times": 20}
_LANGUAGES = {"en", "zh", "mixed", "unknown"}


class EngineAnalyst:
    """Asks an engine what a text is about and keeps every well-formed field."""

    def __init__(self, engine: Engine, *, today: Callable[[], date] = date.today) -> None:
        self._engine, self._today = engine, today

    def analyze(self, content: str) -> dict[str, Any]:
        """Return the fields the engine filled; none when it failed."""
        text = content[:_MAX_CHARS]
        variables = ContentVariables(
            content=text,
            language="zh" if has_han(text) else "en",
            today=self._today().isoformat(),
        )
        try:
            reply = self._engine.answer(build_content_analysis_prompt(variables))
        except BackendError as exc:
            _LOGGER.warning("the text was analysed without a language model: %s", exc)
            return {}
        blocks = json_candidates(reply.text)
        return _well_formed(blocks[-1].value) if blocks else {}


def content_skill(prompt: Prompt) -> str:
    """Answer `content.analyze` without a language model."""
    variables = prompt.variables
    if not isinstance(variables, ContentVariables):
        raise TypeError(f"content.analyze needs ContentVariables, not {type(variables).__name__}")
    today = date.fromisoformat(variables.today)
    found = ContentAnalyzer(today=lambda: today).analyze_content(variables.content)
    analysis = ContentAnalysis.model_validate({name: found[name] for name in ContentAnalysis.model_fields})
    return f"{analysis.summary}\n\n```json\n{analysis.model_dump_json()}\n```"


def _well_formed(value: dict[str, Any]) -> dict[str, Any]:
    """Return the valid fields; one bad field does not spoil the others."""
    kept: dict[str, Any] = {}
    for name in ContentAnalysis.model_fields:
        try:
            field = getattr(ContentAnalysis.model_validate({name: value.get(name)}), name)
        except ValidationError:
            continue
        if field is not None and _is_sensible(name, field):
            kept[name] = field[: _MOST[name]] if name in _MOST else field
    return kept


def _is_sensible(name: str, field: Any) -> bool:
    if name == "times":
        return all(_is_day(row.get("start")) and _is_day(row.get("end")) for row in field)
    if name == "language":
        return field in _LANGUAGES
    return bool(field) or name == "importance"


def _is_day(text: str | None) -> bool:
    try:
        date.fromisoformat(text or "")
    except ValueError:
        return False
    return True
