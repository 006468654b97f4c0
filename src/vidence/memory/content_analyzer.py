"""What a text is about: keywords, entities, times, topics, language and importance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Any, Protocol

from vidence.language.dates import find_dates
from vidence.language.identify import HAN, has_han, text_language
from vidence.language.quotations import quotations
from vidence.language.tables import read_table
from vidence.language.tokens import sentences, terms

__all__ = ["ContentAnalyst", "ContentAnalyzer"]

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


class ContentAnalyst(Protocol):
    """Analyses with a language model; the fallback fills in what it leaves out."""

    def analyze(self, content: str) -> dict[str, Any]:
        """Return any of the keys `analyze_content` returns."""


class ContentAnalyzer:
    """Analyses text with a language model where there is one, and always without."""

    def __init__(
        self, llm_engine: ContentAnalyst | None = None, *, today: Callable[[], date] = date.today
    ) -> None:
        self.llm_engine = llm_engine
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
