"""Which notes a reader is given: all of a short video, the relevant ones of a long one.

A model that caches prompts reads the notes of a video once for all questions about it, so the order and the
numbers of notes depend on no question: where not all fit, a fixed selection comes first and what bears on the
question after it. What is read anew for a question is bounded: two cores read some 100 tokens a second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from vidence.language.identify import count_han
from vidence.language.tokens import query_terms, terms
from vidence.ops.get_notes import GetNotesResult
from vidence.runs.reading import note_line
from vidence.schema.agent import AnswerLanguage
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.reading import Note, NotedLine
from vidence.schema.time import TimeRange

__all__ = ["NOTE_TOKENS", "ChosenNotes", "choose_notes", "noted_lines", "relevance", "token_count"]

Embed = Callable[[Sequence[str]], Any]
"""Sentences to an (N, D) array of unit vectors."""

NOTE_TOKENS = 1250
"""For all notes; the first question about a video waits for them."""
_ASKED_TOKENS = 250
"""Of these, for what bears on the question where not all notes fit: it is read anew for each question."""
_SPAN_TOKENS = 350
"""For the notes of a part of the video, which no other question shares."""
_HAN, _DIGIT, _LETTER, _MARK, _LINE = 0.7, 1.25, 0.26, 0.95, 1.6
"""Tokens of a Chinese character, a digit (often with the space before it), a Latin letter, any other sign and
the end of a line: fitted to what Qwen2.5's tokenizer makes of notes, of texts in both languages and of texts
misread. Sums are a tenth off at most; random letters take nearly twice as many."""
_DIGITS, _LETTERS = re.compile(r"\d"), re.compile(r"[A-Za-z]")
_SHARED, _MEANT = 0.6, 0.4
"""Weights of shared words and of similar meaning."""
_AROUND_S = 1.0
_WORTH = {"written": 1.2, "said": 1.0, "seen": 0.9, "action": 0.9, "place": 0.6, "heard": 0.5}
"""How much a note of each kind is worth in the fixed selection."""


def noted_lines(record: EvidenceRecord) -> list[NotedLine]:
    """Return the lines of a record of `get_notes`."""
    return GetNotesResult.model_validate(record.result).notes


class ChosenNotes(NamedTuple):
    """The notes for a question."""

    notes: tuple[Note, ...]
    shared: int = 0
    """So many, from the first on, are the same for every question about the whole video."""


def choose_notes(
    record: EvidenceRecord,
    question: str,
    embed: Embed,
    *,
    language: AnswerLanguage,
    span: TimeRange | None = None,
    more: Sequence[Note] = (),
    tokens: int = NOTE_TOKENS,
) -> ChosenNotes:
    """Return the notes for a question within a budget of tokens.

    Args:
        record: what `get_notes` answered for the whole video.
        question: "" for what tells most about the video.
        span: the part of the video that is asked about; notes outside it are left out.
        more: further notes, such as what a visual answerer says; they come last, with new numbers.
    """
    lines = noted_lines(record)
    notes = [_note(number, line, record, language) for number, line in enumerate(lines, 1)]
    extra = [note.model_copy(update={"number": len(lines) + place}) for place, note in enumerate(more, 1)]
    cost = partial(_cost, language=language)
    best = partial(_best, embed=embed, cost=cost)
    inside = notes if span is None else [note for note in notes if _is_within(note, span)]
    # What depends on the question must not change what is shared, so further notes take from what follows.
    taken = sum(map(cost, extra))
    if len(inside) < len(notes):
        return ChosenNotes((*best(inside, question, min(tokens, _SPAN_TOKENS) - taken), *extra))
    if sum(map(cost, notes)) <= tokens:
        return ChosenNotes((*notes, *extra), len(notes))
    asked = min(tokens, _ASKED_TOKENS)
    shared = best(notes, "", tokens - asked)
    known = {note.number for note in shared}
    rest = [note for note in notes if note.number not in known] if question else []
    return ChosenNotes((*shared, *best(rest, question, asked - taken), *extra), len(shared))


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
    """Return about how many tokens a text takes in a language model, by its kinds of characters."""
    han, digits, letters = count_han(text), len(_DIGITS.findall(text)), len(_LETTERS.findall(text))
    marks = len("".join(text.split())) - han - digits - letters
    return _HAN * han + _DIGIT * digits + _LETTER * letters + _MARK * marks


def _best(
    notes: Sequence[Note], question: str, tokens: float, *, embed: Embed, cost: Callable[[Note], float]
) -> list[Note]:
    """Return the notes that bear on a question, or that tell most without one, in order of time."""
    if sum(map(cost, notes)) <= max(tokens, 0.0):
        return list(notes)
    texts = [note.text for note in notes]
    scores = relevance(question, texts, embed) if question else _telling(notes, embed(texts))
    kept: set[int] = set()
    for _, note in sorted(zip(scores, notes, strict=True), key=lambda pair: -pair[0]):
        if cost(note) <= tokens:
            kept.add(note.number)
            tokens -= cost(note)
    return [note for note in notes if note.number in kept]


def _telling(notes: Sequence[Note], embedded: Any) -> list[float]:
    """Return what each note is worth to any question: near to what the video is about, and not yet said."""
    vectors = np.asarray(embedded, np.float32)
    centre = vectors.mean(axis=0)
    near = vectors @ centre / (float(np.linalg.norm(centre)) or 1.0)
    alike = vectors @ vectors.T
    repeats = [float(alike[index, :index].max(initial=0.0)) for index in range(len(notes))]
    return [
        _WORTH.get(note.kind, 1.0) * (0.5 + float(near[index]) - 0.5 * max(repeats[index], 0.0))
        for index, note in enumerate(notes)
    ]


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


def _cost(note: Note, language: AnswerLanguage) -> float:
    return token_count(note_line(note, language)) + _LINE
