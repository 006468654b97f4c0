"""Which notes a reader is given: all of a short video, the relevant ones of a long one.

A model that caches prompts reads the notes of a video once for all questions about it, so the order and the
numbers of notes depend on no question: where not all fit, a fixed selection comes first and what bears on the
question after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from vidence.language.identify import count_han
from vidence.language.tokens import query_terms, terms
from vidence.ops.get_notes import GetNotesResult
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.reading import Note, NotedLine
from vidence.schema.time import TimeRange

__all__ = ["NOTE_TOKENS", "choose_notes", "noted_lines", "relevance", "token_count"]

Embed = Callable[[Sequence[str]], Any]
"""Sentences to an (N, D) array of unit vectors."""

NOTE_TOKENS = 1500
_FIXED = 0.6
"""Share of the tokens for the selection that is the same for every question."""
_OVERHEAD = 9
"""Tokens for the number, the time and the kind of a note."""
_SHARED, _MEANT = 0.6, 0.4
"""Weights of shared words and of similar meaning."""
_AROUND_S = 1.0
_WORTH = {"written": 1.2, "said": 1.0, "seen": 0.9, "action": 0.9, "place": 0.6, "heard": 0.5}
"""How much a note of each kind is worth in the fixed selection."""


def noted_lines(record: EvidenceRecord) -> list[NotedLine]:
    """Return the lines of a record of `get_notes`."""
    return GetNotesResult.model_validate(record.result).notes


def choose_notes(
    record: EvidenceRecord,
    question: str,
    embed: Embed,
    *,
    language: AnswerLanguage,
    span: TimeRange | None = None,
    more: Sequence[Note] = (),
    tokens: int = NOTE_TOKENS,
) -> tuple[Note, ...]:
    """Return the notes for a question within a budget of tokens.

    Args:
        record: what `get_notes` answered for the whole video.
        span: the part of the video that is asked about; notes outside it are left out.
        more: further notes, such as what a visual answerer says; they come last, with new numbers.
    """
    lines = noted_lines(record)
    notes = [_note(number, line, record, language) for number, line in enumerate(lines, 1)]
    if span is not None:
        notes = [note for note in notes if _is_within(note, span)]
    left = tokens - sum(_cost(note) for note in more)
    chosen = notes if sum(map(_cost, notes)) <= left else _selected(notes, question, embed, left)
    extra = [note.model_copy(update={"number": len(lines) + place}) for place, note in enumerate(more, 1)]
    return (*chosen, *extra)


def relevance(
    question: str, texts: Sequence[str], embed: Embed, *, ignored: frozenset[str] = frozenset()
) -> list[float]:
    """Return how much each text bears on a question, from 0 to 1: rare shared words, and meaning."""
    wanted = set(query_terms(question)) - ignored
    owned = [set(terms(text)) for text in texts]
    weights = {word: 1.0 / (1 + sum(word in own for own in owned)) ** 0.5 for word in wanted}
    total = sum(weights.values()) or 1.0
    vectors = np.asarray(embed([question, *texts]), np.float32)
    near = vectors[1:] @ vectors[0]
    return [
        _SHARED * sum(weights[word] for word in wanted & own) / total + _MEANT * max(0.0, float(likeness))
        for own, likeness in zip(owned, near, strict=True)
    ]


def token_count(text: str) -> float:
    """Return about how many tokens a text takes in a language model: by characters, digits and Chinese."""
    han, digits = count_han(text), len(re.findall(r"\d", text))
    return 0.75 * han + digits + (len(text) - han - digits) / 3.6


def _selected(notes: Sequence[Note], question: str, embed: Embed, tokens: float) -> list[Note]:
    """Return a fixed selection in order of time, then the relevant rest, in order of time, too."""
    vectors = np.asarray(embed([note.text for note in notes]), np.float32)
    fixed = _fill(notes, _telling(notes, vectors), _FIXED * tokens)
    rest = [note for note in notes if note.number not in fixed]
    scores = relevance(question, [note.text for note in rest], embed)
    spent = sum(_cost(note) for note in notes if note.number in fixed)
    asked = _fill(rest, scores, tokens - spent)
    return [
        *(note for note in notes if note.number in fixed),
        *(note for note in rest if note.number in asked),
    ]


def _telling(notes: Sequence[Note], vectors: Any) -> list[float]:
    """Return what each note is worth to any question: near to what the video is about, and not yet said."""
    centre = vectors.mean(axis=0)
    near = vectors @ centre / (float(np.linalg.norm(centre)) or 1.0)
    alike = vectors @ vectors.T
    repeats = [float(alike[index, :index].max(initial=0.0)) for index in range(len(notes))]
    return [
        _WORTH.get(note.kind, 1.0) * (0.5 + float(near[index]) - 0.5 * max(repeats[index], 0.0))
        for index, note in enumerate(notes)
    ]


def _fill(notes: Sequence[Note], scores: Sequence[float], tokens: float) -> set[int]:
    """Return the numbers of the best notes that fit into a budget."""
    kept: set[int] = set()
    for _, note in sorted(zip(scores, notes, strict=True), key=lambda pair: -pair[0]):
        if _cost(note) <= tokens:
            kept.add(note.number)
            tokens -= _cost(note)
    return kept


def _note(number: int, line: NotedLine, record: EvidenceRecord, language: AnswerLanguage) -> Note:
    who = line.name or (line.speaker or "").replace("_", " ")
    colon = "：" if language == "zh" else ": "
    said = f"{who}{colon}{line.text}" if who and line.kind == "said" else line.text
    return Note(
        number=number,
        text=said,
        kind=line.kind,
        start_s=line.start_time,
        end_s=line.end_time,
        record_id=record.record_id,
        quote=line.text,
    )


def _is_within(note: Note, span: TimeRange) -> bool:
    start, end = note.start_s or 0.0, note.end_s if note.end_s is not None else note.start_s or 0.0
    return start <= span.end_time + _AROUND_S and end >= span.start_time - _AROUND_S


def _cost(note: Note) -> float:
    return _OVERHEAD + token_count(note.text)
