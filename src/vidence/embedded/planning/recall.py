"""Answer from memories: what was said, by whom and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from vidence.language.phrases import phrase
from vidence.language.tokens import query_terms, sentences, terms
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import Citation, Claim
from vidence.schema.planning import FinalOutput, RecalledNote

__all__ = ["answer_from_memories"]

_USER = frozenset({"user", "me", "用户", "我"})
_SUMMARY_LINE = re.compile(r"^\[(?P<when>[\d: -]+)\] (?P<role>\w+): (?P<words>.*)$")
_TURNS = (
    (re.compile(r"\bI am\b|\bI'm\b", re.IGNORECASE), "you are"),
    (re.compile(r"\bI was\b", re.IGNORECASE), "you were"),
    (re.compile(r"\bmyself\b", re.IGNORECASE), "yourself"),
    (re.compile(r"\bmine\b", re.IGNORECASE), "yours"),
    (re.compile(r"\bmy\b", re.IGNORECASE), "your"),
    (re.compile(r"\b(?:I|me)\b"), "you"),
    (re.compile(r"\bour\b", re.IGNORECASE), "your"),
    (re.compile(r"我们?"), "你"),
)
_ASKS = re.compile(r"[?？]\s*$|[吗呢]\s*$")


def answer_from_memories(
    question: str, notes: Sequence[RecalledNote], language: AnswerLanguage
) -> FinalOutput | None:
    """Return the statement of the memories that fits the question best; None without memories."""
    asked = set(query_terms(question))
    ranked = [
        (_overlap(asked, words), note.memory_type != "conversation_summary", note.said_at or 0.0, line, place)
        for place, note in enumerate(notes)
        for line, words in enumerate(_statements(note))
    ]
    if not ranked:
        return None
    # Of equal statements, a single memory comes before a summary, and a later one before an earlier one.
    shared, _, _, line, place = max(ranked)
    note, words = notes[place], _statements(notes[place])[line]
    claim = Claim(text=words, citations=(Citation(record_id=note.memory_id, quote=words),))
    return FinalOutput(
        answer=_worded(note, words, language),
        explanation=_source_of(note, language),
        claims=(claim,),
        probability=round(min(max(note.relevance, 0.3 + 0.5 * shared), 0.95), 3),
    )


def _source_of(note: RecalledNote, language: AnswerLanguage) -> str:
    """Return who said it and when: "You told me on 3 May 2026"."""
    day = _day(note.said_at, language)
    when = phrase("on_day", language, day) if day else phrase("some_day", language)
    who = "told_by_user" if _is_own(note) else "told_by_other" if note.speaker else "noted_by_me"
    return phrase(who, language, note.speaker, when=when, memory=note.memory_id)


def _is_own(note: RecalledNote) -> bool:
    """Tell whether the user said it."""
    return (note.speaker or "").casefold() in _USER or note.memory_type == "conversation_summary"


def _second_person(words: str) -> str:
    """Return the user's words in the second person: "my dog" becomes "your dog"."""
    for pattern, word in _TURNS:
        words = pattern.sub(word, words)
    return words[:1].upper() + words[1:]


def _statements(note: RecalledNote) -> list[str]:
    """Return the statements of a memory; of a summary, only the user's, without questions."""
    lines = []
    for line in note.content.splitlines():
        match = _SUMMARY_LINE.match(line)
        if match is None:
            lines.append(line)
        elif match["role"] == "user":
            lines.append(match["words"])
    found = [sentence.strip() for line in lines for sentence in sentences(line) if sentence.strip()]
    stated = [sentence for sentence in found if not _ASKS.search(sentence)]
    return stated if note.memory_type == "conversation_summary" else stated or found


def _overlap(asked: set[str], words: str) -> float:
    return len(asked & set(terms(words))) / max(len(asked), 1)


def _worded(note: RecalledNote, words: str, language: AnswerLanguage) -> str:
    plain = words.rstrip(" .。")
    said = _second_person(plain) if _is_own(note) else plain
    source = _source_of(note, language)
    return f"{said}。{source}。" if language == "zh" else f"{said}. {source}."


def _day(said_at: float | None, language: AnswerLanguage) -> str:
    if said_at is None:
        return ""
    day = datetime.fromtimestamp(said_at)
    return f"{day.year}年{day.month}月{day.day}日" if language == "zh" else f"{day.day} {day:%B %Y}"
