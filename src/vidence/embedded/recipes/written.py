"""What is written on screen, in the part of the video that a question is about."""

from __future__ import annotations

from collections.abc import Sequence

from vidence.embedded.recipes.recipe import Finding, Inquiry, Steps, StepsOf, call, claim
from vidence.embedded.recipes.spans import find_span
from vidence.embedded.recipes.wording import joined, pick, quoted, sentence
from vidence.language.phrases import phrase
from vidence.language.tokens import query_terms, terms
from vidence.runs.notes import noted_lines
from vidence.schema.evidence import EvidenceRecord
from vidence.schema.reading import NotedLine

__all__ = ["answer", "plain_letters", "written_lines"]

_AROUND_S = 0.5
_MOST_LINES = 4
_ALONE, _AMONG = 0.7, 0.5
"""How probable it is that the only text is meant, or that the texts named first are."""


def answer(inquiry: Inquiry) -> Steps:
    """Return the texts that share words with the question; where none does, those shown longest."""
    lines, record = yield from written_lines(inquiry)
    if not lines:
        return Finding(phrase("no_text", inquiry.form.language), 0.3, cannot_tell=True)
    texts = _distinct(lines)
    language, named = inquiry.form.language, _foremost(inquiry.form.text, texts)
    words = [quoted(line.text, language) for line in named]
    claims = [
        claim(
            pick(language, f"The screen reads {text}.", f"画面上写着{text}。"),
            record,
            start_s=line.start_time,
            end_s=line.end_time,
            quote=line.text,
        )
        for text, line in zip(words, named, strict=True)
    ]
    told = sentence(named[0].text if len(named) == 1 else joined(words, language), language)
    return Finding(told, _ALONE if len(texts) == 1 else _AMONG, tuple(one for many in claims for one in many))


def written_lines(inquiry: Inquiry) -> StepsOf[tuple[list[NotedLine], EvidenceRecord | None]]:
    """Return the noted texts on screen in the part that the question is about, and their record."""
    span = yield from find_span(inquiry)
    (record,) = yield [call("get_notes", inquiry, language=inquiry.form.language)]
    start, end = span.start_s - _AROUND_S, span.end_s + _AROUND_S
    noted = noted_lines(record) if record is not None else []
    written = [line for line in noted if line.kind == "written"]
    return [line for line in written if line.end_time > start and line.start_time < end], record


def plain_letters(text: str) -> str:
    """Return only letters and digits, since text recognition often errs on spaces and marks."""
    return "".join(char for char in text.casefold() if char.isalnum())


def _distinct(lines: Sequence[NotedLine]) -> list[NotedLine]:
    """Return each text once, as it is shown longest."""
    kept: dict[str, NotedLine] = {}
    for line in sorted(lines, key=_prominence):
        kept[plain_letters(line.text)] = line
    return sorted((line for letters, line in kept.items() if letters), key=_prominence, reverse=True)


def _foremost(question: str, lines: Sequence[NotedLine]) -> list[NotedLine]:
    wanted = set(query_terms(question))
    shared = [len(wanted & set(terms(line.text))) for line in lines]
    most = max(shared)
    return [line for line, number in zip(lines, shared, strict=True) if number == most][:_MOST_LINES]


def _prominence(line: NotedLine) -> float:
    return line.confidence * (line.end_time - line.start_time)
