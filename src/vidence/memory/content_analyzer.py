"""What a text is about: keywords, entities, times, topics, language and importance.

A language model may say it; the fallback, which needs none, fills in what the model leaves out or gets wrong.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Any

from pydantic import ValidationError

from vidence.language.dates import find_dates
from vidence.language.identify import HAN, has_han, text_language
from vidence.language.quotations import quotations
from vidence.language.tables import read_table
from vidence.language.tokens import sentences, terms
from vidence.llm.protocol import Engine
from vidence.llm.structured import json_candidates
from vidence.prompts import Prompt
from vidence.prompts.build import build_content_analysis_prompt
from vidence.schema.planning import ContentAnalysis, ContentVariables

__all__ = ["ContentAnalyzer", "EngineAnalyst", "content_skill"]

_LOGGER = logging.getLogger(__name__)
_MAX_PROMPT_CHARS = 12_000
_MOST = {"keywords": 8, "entities": 20, "topics": 3, "times": 20}
_LANGUAGES = {"en", "zh", "mixed", "unknown"}
_MAX_CHARS = 50_000
_WORD = re.compile(rf"[A-Za-z][A-Za-z'-]+|[{HAN}]+")
_NAME = re.compile(r"(?<![.!?…]\s)(?<!^)\b(?:[A-Z][\w'’-]+)(?:\s+(?:of|the|de|van|von)?\s*[A-Z][\w'’-]+)*")
_LONGEST_TITLE = 60
_ID = re.compile(r"\b(?:ent|seg|mem|obj|vid)_\w+\b")
_WEIGHTY = re.compile(
    r"\b(?:important|remember|never|always|must|allerg\w*|birthday|deadline|password|promise\w*|died|born|married"
    r"|decided|diagnosed|moved|hired|address|prefer\w*|love|hate)\b|重要|记住|必须|一定|过敏|生日|截止|密码|答应"
    r"|去世|出生|结婚|决定|确诊|搬家|地址|喜欢|讨厌",
    re.IGNORECASE,
)
_TOPICS: dict[str, set[str]] = {}
for _topic, _words in read_table("topics.tsv", "memory"):
    _TOPICS.setdefault(_topic, set()).update(terms(_words))


class EngineAnalyst:
    """Asks an engine what a text is about and keeps every well-formed field."""

    def __init__(self, engine: Engine, *, today: Callable[[], date] = date.today) -> None:
        self._engine, self._today = engine, today

    def analyze(self, content: str) -> dict[str, Any]:
        """Return the fields the engine filled; none when it failed."""
        text = content[:_MAX_PROMPT_CHARS]
        variables = ContentVariables(
            content=text,
            language="zh" if has_han(text) else "en",
            today=self._today().isoformat(),
        )
        try:
            reply = self._engine.answer(build_content_analysis_prompt(variables))
        except Exception as exc:
            # An engine of the user's own may raise anything, and a memory must be written all the same.
            _LOGGER.warning(
                "the text was analysed without a language model: %s", str(exc) or type(exc).__name__
            )
            return {}
        blocks = json_candidates(reply.text)
        return _well_formed(blocks[-1].value) if blocks else {}


class ContentAnalyzer:
    """Analyses text with rules, and with a language model where there is one."""

    def __init__(
        self, llm_engine: Engine | EngineAnalyst | None = None, *, today: Callable[[], date] = date.today
    ) -> None:
        self.llm_engine = (
            EngineAnalyst(llm_engine, today=today) if isinstance(llm_engine, Engine) else llm_engine
        )
        self._today = today

    def analyze_content(self, content: str) -> dict[str, Any]:
        """Return keywords, entities, times, topics, language and importance of a text."""
        return {**self._analyze_fallback(content), **self._analyze_with_llm(content)}

    def _analyze_with_llm(self, content: str) -> dict[str, Any]:
        found = self.llm_engine.analyze(content) if self.llm_engine else {}
        return {**found, "method": "llm"} if found else {}

    def _analyze_fallback(self, content: str) -> dict[str, Any]:
        text = content[:_MAX_CHARS]
        entities = _entities(text)
        times = find_dates(text, today=self._today())
        return {
            "keywords": _keywords(text),
            "entities": entities,
            "times": [{"start": span.start.isoformat(), "end": span.end.isoformat()} for span in times],
            "topics": _topics(text),
            "language": text_language(text),
            "importance": _importance(text, num_facts=len(entities) + len(times)),
            "summary": _lead(text),
            "method": "fallback",
        }


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


def _keywords(text: str, number: int = 8) -> list[str]:
    surface: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for match in _WORD.finditer(text):
        for term in terms(match.group()):
            counts[term] += 1
            surface.setdefault(term, term if has_han(term) else match.group().lower())
    ranked = sorted(counts, key=lambda term: (-counts[term] * min(len(term), 6), surface[term]))
    return [surface[term] for term in ranked[:number]]


def _entities(text: str) -> list[str]:
    found = [*_ID.findall(text), *(part for part in quotations(text) if len(part) <= _LONGEST_TITLE)]
    for sentence in sentences(text):
        found += [match.group() for match in _NAME.finditer(sentence) if match.group() != "I"]
    return list(dict.fromkeys(found))[:20]


def _topics(text: str) -> list[str]:
    held = Counter(terms(text))
    scores = {topic: sum(held[word] for word in words) for topic, words in _TOPICS.items()}
    return [topic for topic in sorted(scores, key=lambda name: -scores[name]) if scores[topic]][:3]


def _importance(text: str, *, num_facts: int) -> float:
    weighty = min(len(_WEIGHTY.findall(text)), 3)
    length = min(len(list(terms(text))) / 40, 1.0)
    chatter = -0.1 if not num_facts and length < 0.1 else 0.0
    return round(
        min(max(0.3 + 0.12 * weighty + 0.05 * min(num_facts, 4) + 0.1 * length + chatter, 0.0), 1.0), 2
    )


def _lead(text: str, limit: int = 200) -> str:
    first = sentences(text)[0].strip() if text.strip() else ""
    return first if len(first) <= limit else f"{first[: limit - 1]}…"
